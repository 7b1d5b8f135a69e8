"""Runs the tests of both environments side by side and ends with one line that counts them all.

Those that need TensorFlow take longest, so they run in two processes: by the clock, all cores have work to the end.
"""

from __future__ import annotations

import collections
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

TFF, WORKFLOW = Path(".env/tff/bin/python"), Path(".venv/bin/python")
APART = Path("tests/algorithms")
OTHERS = [path for path in sorted(Path("tests").glob("*/")) if path != APART]
PARTS = {
    "algorithms": (TFF, [f"--ignore={path}" for path in OTHERS]),
    "TFF": (TFF, [f"--ignore={APART}"]),
    "workflow": (WORKFLOW, []),
}
COUNTS = ("failures", "errors", "skipped", "tests")
LOGS = Path("logs/tests")


def start(name: str, arguments: list[str]) -> subprocess.Popen:
    """Starts pytest on one part of the tests; what it says goes to a file.

    Not through a pipe: whoever starts TFF's runtime may leave it open behind.
    """
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    python, ignored = PARTS[name]
    command = [str(python), "-m", "pytest", "--durations=5", f"--junit-xml={report}", *ignored, *arguments]
    with (LOGS / f"{name}.txt").open("w") as out:
        return subprocess.Popen(command, stdout=out, stderr=out)


def counts(name: str) -> Mapping[str, int]:
    """What pytest counted in one part; an error if it did not come to its end."""
    report = LOGS / f"{name}.xml"
    if not report.exists():
        return {"errors": 1, "tests": 1}
    total = collections.Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        total.update({key: int(suite.get(key, 0)) for key in COUNTS})
    return total


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    print(f"fedatlas: running the tests of both environments; see {LOGS}/*.txt for how far they are", flush=True)
    running = {name: start(name, arguments) for name in PARTS}
    total = collections.Counter()
    for name, process in running.items():
        process.wait()
        print(f"== tests of the part '{name}'\n{(LOGS / f'{name}.txt').read_text(errors='replace')}", flush=True)
        total.update(counts(name))
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    print(f"== both environments together, in {time.monotonic() - started:.0f} s", flush=True)
    line = f"{passed} passed, {failed} failed, {total['skipped']} skipped"
    (LOGS / "closing-line.txt").write_text(line + "\n")
    print(line, flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
