"""Runs the tests of both environments and ends with one line that counts them all."""

from __future__ import annotations

import collections
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENTS = {"workflow": Path(".venv/bin/python"), "TFF": Path(".env/tff/bin/python")}
COUNTS = ("failures", "errors", "skipped", "tests")


def run(name: str, python: Path, arguments: list[str]) -> Mapping[str, int]:
    """Runs pytest in one environment and returns its counts."""
    report = Path(f"logs/tests-{name}.xml")
    report.unlink(missing_ok=True)
    print(f"== tests of the {name} environment", flush=True)
    # No pipe: a program that starts TFF's runtime would never see it closed.
    subprocess.run([str(python), "-m", "pytest", f"--junit-xml={report}", *arguments], check=False)
    if not report.exists():
        return {"errors": 1, "tests": 1}
    total = collections.Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        total.update({key: int(suite.get(key, 0)) for key in COUNTS})
    return total


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    Path("logs").mkdir(exist_ok=True)
    total = collections.Counter()
    for name, python in ENVIRONMENTS.items():
        total.update(run(name, python, arguments))
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    seconds = time.monotonic() - started
    line = f"{passed} passed, {failed} failed, {total['skipped']} skipped in both environments in {seconds:.0f} s"
    Path("logs/tests.txt").write_text(line + "\n")
    print(line, flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
