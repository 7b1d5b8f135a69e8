"""Runs the tests of both environments side by side and ends with one line that counts them all.

As many processes as there are cores run the tests of each environment, and take turns in taking a file (`turns.py`).
What it does not know itself is said to pytest, such as `--core`.
"""

from __future__ import annotations

import argparse
import collections
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from processors import NUMERICAL, PROCESSORS, variables
from turns import DURATIONS, KEPT, durations, noted

LOGS = Path("logs/tests")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MOST = 8  # importing TensorFlow and collecting the tests takes a process ten seconds
COULD_NOT_BEGIN = (2, 3, 4)  # pytest's exit status: interrupted, an error of its own, a wrong option
AT_ONCE = min(CORES, MOST)  # processes of each environment
ENVIRONMENTS = {"tff": Path(".env/tff/bin/python"), "workflow": Path(".venv/bin/python")}
# The others wait much, for Snakemake and for Slurm, so they go first: those with TensorFlow fill what is left.
MANNERS = {"tff": ("nice", "-n", "5"), "workflow": ()}


class Part(NamedTuple):
    """One process of pytest. What it says goes to a file: whoever starts TFF's runtime may leave a pipe open behind."""

    name: str
    process: subprocess.Popen

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.txt"

    @property
    def outcomes(self) -> Mapping[tuple[str, ...], str]:
        """How each of its tests ended; an error if it did not come to its end itself."""
        report = LOGS / f"{self.name}.xml"
        if not report.exists():
            return {(self.name,): "failed"}
        cases = ElementTree.parse(report).getroot().iter("testcase")
        environment = self.name.partition("-")[0]  # whose processes all meet what cannot be collected
        return {(environment, case.get("classname"), case.get("name")): _outcome(case) for case in cases}


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def start(environment: str, number: int, arguments: list[str], variables: Mapping[str, str]) -> Part:
    name = f"{environment}-{number}"
    options = [f"--turns={LOGS / environment}", f"--junit-xml={LOGS / name}.xml", "--durations=5", *arguments]
    with (LOGS / f"{name}.txt").open("w") as out:
        command = [*MANNERS[environment], str(ENVIRONMENTS[environment]), "-m", "pytest", *options]
        process = subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **variables})
    return Part(name, process)


def progress(started: float) -> str:
    """How many tests are done, and how long the others will take at the pace so far."""
    totals = [LOGS / environment / "all" for environment in ENVIRONMENTS]
    if not all(path.exists() for path in totals):
        return "collecting the tests"
    counts, seconds = zip(*(path.read_text().split() for path in totals), strict=True)
    done = noted(LOGS)
    past = sum(durations().get(name, 0) for name in done)
    left = (sum(map(float, seconds)) - past) * (time.monotonic() - started) / max(past, 1.0)
    tests = sum(not name.endswith("()") for name in done)
    return f"{tests} of {sum(map(int, counts))} tests done, about {max(left, 0) / 60:.0f} min left"


def remember(of_some: bool) -> None:
    """Keeps what the tests and their shared fixtures have cost, rounded, so that a small change is none.

    Args:
        of_some: whether only some of the tests have run, so that what the others cost is kept too.
    """
    costs = (durations() if of_some else {}) | noted(LOGS)
    kept = sorted((name, seconds) for name, seconds in costs.items() if seconds >= KEPT)
    DURATIONS.write_text("".join(f"{seconds:.1f}\t{name}\n" for name, seconds in kept), encoding="utf-8")


def wait_for(parts: list[Part]) -> None:
    """Says now and then how far they are: on a terminal in one line, elsewhere every half a minute.

    Ends them all when one could not begin, as where a file of tests cannot be imported.
    """
    started = said = time.monotonic()
    here = sys.stdout.isatty()
    while any(part.process.poll() is None for part in parts):
        time.sleep(0.2)
        if any(part.process.poll() in COULD_NOT_BEGIN for part in parts):
            for part in parts:
                part.process.terminate()
        if time.monotonic() - said > (2 if here else 30):
            said = time.monotonic()
            print(f"\r\033[Kfedatlas: {progress(started)}" if here else f"fedatlas: {progress(started)}",
                  end="" if here else "\n", flush=True)  # fmt: skip
    print("\r\033[K" if here else "", end="", flush=True)


def run(arguments: list[str], processor: str | None = None) -> collections.Counter:
    """How many tests passed, failed and were skipped; what the processes said is printed when all have ended."""
    shutil.rmtree(LOGS, ignore_errors=True)
    parts = []
    for environment in ENVIRONMENTS:
        (LOGS / environment).mkdir(parents=True)
        chosen = variables(processor, environment) if processor else {}
        parts += [start(environment, number, arguments, chosen) for number in range(1, AT_ONCE + 1)]
    print(f"fedatlas: running the tests of both environments in {len(parts)} processes; see {LOGS}/*.txt", flush=True)
    wait_for(parts)
    outcomes: dict[tuple[str, ...], str] = {}
    for part in parts:
        print(f"== tests of the process '{part.name}'\n{part.log.read_text(errors='replace')}", flush=True)
        outcomes |= part.outcomes
    return collections.Counter(outcomes.values())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--remember", action="store_true", help=f"keep in {DURATIONS} what each has cost")
    parser.add_argument("--portable", action="store_true", help="run those that compute as other processors would")
    options, rest = parser.parse_known_args(arguments)
    started, total = time.monotonic(), collections.Counter()
    if options.portable:
        for processor in PROCESSORS:
            print(f"fedatlas: as {processor}", flush=True)
            total += run([*NUMERICAL, *rest], processor)
    else:
        total = run(rest)
    if options.remember:
        remember(of_some=bool(rest))
    print(f"== both environments together, in {time.monotonic() - started:.0f} s", flush=True)
    line = f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped"
    (LOGS / "closing-line.txt").write_text(line + "\n")
    print(line, flush=True)
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
