"""Runs the tests of both environments side by side and ends with one line that counts them all."""

from __future__ import annotations

import collections
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENTS = {"TFF": Path(".env/tff/bin/python"), "workflow": Path(".venv/bin/python")}
COUNTS = ("failures", "errors", "skipped", "tests")
LOGS = Path("logs/tests")


def start(name: str, arguments: list[str]) -> subprocess.Popen:
    """Starts pytest in one environment; what it says goes to a file.

    Not through a pipe: whoever starts TFF's runtime may leave it open behind.
    """
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    command = [str(ENVIRONMENTS[name]), "-m", "pytest", "--durations=5", f"--junit-xml={report}", *arguments]
    with (LOGS / f"{name}.txt").open("w") as out:
        return subprocess.Popen(command, stdout=out, stderr=out)


def counts(name: str) -> Mapping[str, int]:
    """What pytest counted in one environment; an error if it did not come to its end."""
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
    running = {name: start(name, arguments) for name in ENVIRONMENTS}
    total = collections.Counter()
    for name, process in running.items():
        process.wait()
        print(f"== tests of the {name} environment\n{(LOGS / f'{name}.txt').read_text(errors='replace')}", flush=True)
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
