"""How long a turn takes: from a fresh clone to the pages, a second call, one notebook, the pages alone, the tests.

Run it with the Python of the workflow environment, on a machine that does nothing else; the processor's time is that of
the whole machine, as warm processes are nobody's children:

    .venv/bin/python benchmarks/turnaround.py [LINE ...] [--clone FOLDER]

    reports     `make reports` in a fresh clone, its environments included
    again       a second call, which does nothing
    notebook    what a notebook job costs beyond what it computes
    pages       all pages from the runs that are there
    check       `make check`
    test        `make test`

`reports` makes the clone (in a temporary folder, or in FOLDER, which must be empty); the others use FOLDER or this one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil

ROOT = Path(__file__).parents[1]
PAGES = ("claims", "figures", "page")  # the rules that make pages of runs


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, of all processors, and of the started program's own process."""

    wall: float
    cpu: float
    own: float

    def __str__(self) -> str:
        return f"{_words(self.wall):>9} {_words(self.cpu):>9} CPU"


def _words(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 100 else f"{seconds:.1f} s"


def _busy() -> float:
    """The seconds that the machine's processors have worked since it started."""
    times = psutil.cpu_times()
    return times.user + times.nice + times.system


def timed(command: list[str], folder: Path, log: Path) -> Taken:
    """What a command takes; its output goes to a file.

    Raises:
        SystemExit: if it fails; names the file.
    """
    begun, busy, own = time.perf_counter(), _busy(), {}
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        while process.poll() is None:
            own.update(_snakemakes(folder))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2)
    if process.returncode:
        sys.exit(f"turnaround: `{' '.join(command)}` failed; see {log}")
    return Taken(time.perf_counter() - begun, _busy() - busy, sum(own.values()))


def _snakemakes(folder: Path) -> dict[int, float]:
    """The CPU seconds so far of each Snakemake that works in a folder, without its jobs'."""
    found = {}
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(word.endswith(("/snakemake", "/start_snakemake.py")) for word in words[:2]):
            try:
                if Path(process.cwd()) == folder:
                    times = process.cpu_times()
                    found[process.pid] = times.user + times.system
            except psutil.Error:
                continue
    return found


def reports(folder: Path, logs: Path) -> None:
    """A fresh clone's first `make reports`, and where the time went."""
    if any(folder.iterdir()):
        sys.exit(f"turnaround: {folder} is not empty: give --clone an empty folder")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    environments = timed(["make", "environments"], folder, logs / "environments.log")
    rest = timed(["make", "reports"], folder, logs / "reports.log")
    whole = Taken(environments.wall + rest.wall, environments.cpu + rest.cpu, environments.own + rest.own)
    print(f"make reports, fresh clone    {whole}   bar 12 min, 20 min CPU")
    print(f"  environments               {environments}")
    print(f"  Snakemake's own process    {_words(rest.own):>19} CPU   bar 60 s")
    _where(folder)


def _where(folder: Path) -> None:
    """The sums over all runs of what their manifests say they took, and the longest."""
    manifests = {path: json.loads(path.read_text()) for path in folder.glob("data/runs/*/*/*/*/*/run.json")}
    for name, words in (
        ("total", "all runs"),
        ("first_round", "their first rounds"),
        ("train", "all their rounds"),
        ("evaluate", "their evaluations"),
    ):
        print(f"  {words:<27}{_words(sum(m['seconds'][name] for m in manifests.values())):>9}")
    longest = sorted(manifests.items(), key=lambda item: -item[1]["seconds"]["total"])[:5]
    for path, manifest in longest:
        print(f"    {manifest['seconds']['total']:6.1f} s  {'/'.join(path.parts[-5:-1])}")


def again(folder: Path, logs: Path) -> None:
    """A second `make reports`."""
    taken = timed(["make", "reports"], folder, logs / "again.log")
    if "Nothing to be done" not in (logs / "again.log").read_text():
        sys.exit(f"turnaround: the second call did something; see {logs / 'again.log'}")
    print(f"a second call                {taken}   bar 5 s")


def notebook(folder: Path, logs: Path, times: int = 8) -> None:
    """A notebook that computes nothing, as the workflow starts one; the first also starts the warm processes."""
    cells = [nbformat.v4.new_code_cell("a = 1", metadata={"tags": ["parameters"]}), nbformat.v4.new_code_cell("a")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), logs / "empty.ipynb")
    script = logs / "notebooks.py"
    script.write_text(_NOTEBOOKS.format(times=times, logs=str(logs)))
    done = subprocess.run(
        [str(folder / ".venv/bin/python"), str(script)], cwd=folder, check=True, capture_output=True, text=True
    )
    walls, cpus = zip(*(map(float, line.split()) for line in done.stdout.splitlines()), strict=True)
    each = Taken(statistics.median(walls[1:]), statistics.median(cpus[1:]), 0)
    print(f"a notebook beyond its run    {each}   bar 2.5 s (the first: {_words(walls[0])})")


_NOTEBOOKS = """\
import os, subprocess, sys, time
import psutil
from fedatlas.warm.client import own
own()
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
busy = lambda: sum(getattr(psutil.cpu_times(), name) for name in ("user", "nice", "system"))
for _ in range({times}):
    begun, before = time.perf_counter(), busy()
    subprocess.run(
        ["python", "-m", "fedatlas.warm", "workflow/warm/runs.py", "workflow/scripts/run_notebook.py",
         "{logs}/empty.ipynb", "{logs}/done.ipynb", "--kernel", "fedatlas-tff", "--log", "{logs}/job.log",
         "--preload", "workflow/warm/kernels.py", "-p", "a", "2"],
        check=True, stdout=subprocess.DEVNULL,
    )
    print(time.perf_counter() - begun, busy() - before)
"""


def pages(folder: Path, logs: Path) -> None:
    """All pages, figures notebooks and verdicts anew, from runs that are there."""
    command = [".venv/bin/snakemake", "--cores", "all", "--configfile", "config/quick.yaml", "--forcerun", *PAGES]
    taken = timed(command, folder, logs / "pages.log")
    print(f"all pages                    {taken}   bar 2 min")


def _make(target: str, bar: str) -> Callable[[Path, Path], None]:
    def measure(folder: Path, logs: Path) -> None:
        print(f"{f'make {target}':<29}{timed(['make', target], folder, logs / f'{target}.log')}   bar {bar}")

    return measure


LINES = {
    "reports": reports,
    "again": again,
    "notebook": notebook,
    "pages": pages,
    "check": _make("check", "60 s"),
    "test": _make("test", "8 min"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("lines", nargs="*", metavar="LINE", help=f"of {', '.join(LINES)}; all if none is given")
    parser.add_argument("--clone", type=Path, help="the clone to measure in")
    options = parser.parse_args()
    lines = options.lines or list(LINES)
    if unknown := set(lines) - set(LINES):
        parser.error(f"there is no line '{unknown.pop()}'; there are: {', '.join(LINES)}")
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory(prefix="turnaround-") as made:
        logs = Path(made, "logs")
        logs.mkdir()
        folder = options.clone or (Path(made, "clone") if "reports" in lines else ROOT)
        folder.mkdir(parents=True, exist_ok=True)
        for line in lines:
            LINES[line](folder.resolve(), logs)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
