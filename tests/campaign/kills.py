"""Kills the workflow again and again, and looks whether anything is lost: `python tests/campaign/kills.py NUMBER`.

Six kills in ten meet single training processes (`killed_runs.py`), three calls of the whole workflow, and one `fedatlas
redraw`, which writes what is published: that must always be one whole state.

Of the workflow: two runs are trained in a copy of the project by calls that are killed (-9), each at a moment of its
own. The calls follow one another like those of a user who starts the same command again; once the runs are there, they
must be those of a call that nobody disturbed, to the bit. Then everything is removed and the next chain begins.

A moment survives if no process, no temporary folder and no half-written file is left after the next call, and that call
goes on. Checkpoints are taken after every evaluation here, so that kills meet them.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))

from waiting import wait_for  # noqa: E402
from workflow.conftest import ROOT, Project  # noqa: E402

from fedatlas.errors import AtlasError  # noqa: E402
from fedatlas.results.published import check, seal  # noqa: E402
from fedatlas.results.run import load_run  # noqa: E402

HERE = Path(__file__).parent
RUNS = [f"data/runs/quick/fedpd/figure_2a/{algorithm}/seed0" for algorithm in ("fedavg_gd", "fedpd_gd_falling")]
OUTPUTS = ["data/clients/*/manifest.json", *(f"{RUNS[1]}/{name}" for name in
           ("metrics.parquet", "model.npz", "run.json", "train.ipynb"))]  # fmt: skip
CHECKPOINT = f"{RUNS[0]}/.checkpoint.npz.*.partial"
AT_ANY_TIME, REPLACING, PUBLISHING = "at any time", "while a checkpoint is replaced", "while publishing"
PUBLISHED = "fco/section_3_2"
EDITS = (".published.*.partial", ".published.*.partial/*/*/.*.partial", ".published.*.partial/SHA256SUMS")


class Moment(NamedTuple):
    """When a call is killed: after so many seconds, or as soon as a file is there."""

    about: str
    seconds: float | None = None
    pattern: str = ""


class Campaign:
    """The project, what an undisturbed call computes in it, and how the kills ended."""

    def __init__(self, folder: Path, seed: int):
        self.random, self.temporary = random.Random(seed), folder / "tmp"
        self.project = Project(folder / "project", ROOT / ".env/tff/bin/python")
        self.temporary.mkdir()
        _checkpoint_often(self.project.folder / "notebooks/train.ipynb")
        self.tried: collections.Counter[str] = collections.Counter()
        self.lost: list[str] = []
        begun = time.monotonic()
        assert self.call().wait() == 0, self.said()
        self.seconds = time.monotonic() - begun
        self.expected = self.results()
        self.fresh()

    def call(self) -> subprocess.Popen:
        """Starts the workflow as `make` does."""
        start = [sys.executable, "workflow/scripts/start_snakemake.py", "--cores", "2"]
        return self.project.launch([*start, *(f"{run}/train.ipynb" for run in RUNS)], TMPDIR=str(self.temporary))

    def fresh(self) -> None:
        """Removes what was computed."""
        shutil.rmtree(self.project.folder / "data")

    def said(self) -> str:
        return (self.project.folder / "out.txt").read_text()

    def results(self) -> list[tuple]:
        """All that the runs hold but how long they took."""
        loaded = [load_run(self.project.folder / run) for run in RUNS]
        tables = [run.table[run.table["metric"] != "seconds"] for run in loaded]
        return [
            (run.manifest.diverged, run.manifest.selected, table.to_csv(), run.model.params.tobytes())
            for run, table in zip(loaded, tables, strict=True)
        ]

    def kill(self, moment: Moment) -> bool:
        """Starts a call and kills it at the moment; False if it came to its end before."""
        running = self.call()
        begun = time.monotonic()
        while running.poll() is None and not self._is_now(moment, time.monotonic() - begun):
            time.sleep(0.004)
        came_to_its_end = running.poll() is not None
        for process in [] if came_to_its_end else self._victims(running.pid):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        status = running.wait(timeout=600)  # where another process was killed, it goes on without that run
        self.tried[moment.about] += not came_to_its_end
        if came_to_its_end and status:
            self.lost.append(f"{moment.about}: the next call failed: {self.said()[-400:]}")
        return not came_to_its_end

    def _is_now(self, moment: Moment, seconds: float) -> bool:
        if moment.seconds is not None:
            return seconds >= moment.seconds
        return any(self.project.folder.glob(moment.pattern))

    def _victims(self, pid: int) -> list[psutil.Process]:
        """All processes of the project, or one: Snakemake, or any other."""
        everyone = self.project.processes()
        alone = [one for one in everyone if one.pid == pid], [self.random.choice(everyone)]
        return self.random.choice([everyone, everyone, *alone])

    def check(self, about: str) -> None:
        """Lets a last call finish, and compares what it leaves with what an undisturbed one does."""
        self.wait_for_quiet(about)
        if self.call().wait() != 0:
            self.lost.append(f"{about}: the last call failed: {self.said()[-400:]}")
        elif self.results() != self.expected:
            self.lost.append(f"{about}: other numbers than undisturbed")
        self.wait_for_quiet(about)
        left = [*self.temporary.iterdir(), *(self.project.folder / "data").rglob("*.partial")]
        self.lost += [f"{about}: {path} is left" for path in left]

    def wait_for_quiet(self, about: str) -> None:
        """Waits for the end of all processes; none may stay."""
        try:
            wait_for(lambda: not self.project.processes(), 120)
        except AssertionError:
            self.lost.append(f"{about}: {self.project.processes()} still run")
            self.project.end()

    def kill_training(self, number: int) -> None:
        """Kills so many training processes, outside of the workflow."""
        folder = self.temporary / "runs"
        folder.mkdir()
        command = [ROOT / ".env/tff/bin/python", HERE / "killed_runs.py", folder, str(number), "0"]
        with (folder / "out.txt").open("w") as out:
            status = subprocess.run(command, cwd=self.project.folder, stdout=out, stderr=out, check=False).returncode
        said = (folder / "out.txt").read_text()
        tried, lost = json.loads(said.splitlines()[-1]) if status == 0 else ({}, [said[-1000:]])
        self.tried.update(tried)
        self.lost += lost
        shutil.rmtree(folder)

    def kill_publishing(self, pattern: str) -> None:
        """Kills `redraw` once such a file is there, or soon after; what is published must be whole all the same."""
        folder = self.project.folder / "reports" / "published"
        if not folder.is_dir():
            shutil.copytree(ROOT / "reports/published" / PUBLISHED, folder / PUBLISHED)
            seal(folder)
        command = [sys.executable, "-m", "fedatlas", "redraw"]
        running = self.project.launch(command)
        wait_for(lambda: running.poll() is not None or any(folder.parent.glob(pattern)), 300)
        time.sleep(self.random.choice([0, 0, self.random.uniform(0, 2)]))
        running.kill()
        self.tried[PUBLISHING] += running.wait() < 0
        try:
            check(folder)
        except AtlasError as error:
            self.lost.append(f"{PUBLISHING}: {error}")
        if self.project.launch(command).wait() or [path.name for path in folder.parent.iterdir()] != ["published"]:
            self.lost.append(f"{PUBLISHING}: the next call leaves {[*folder.parent.iterdir()]}: {self.said()}")


def _checkpoint_often(path: Path) -> None:
    notebook = nbformat.read(path, 4)
    often = "import fedatlas.running.runner as runner\nrunner.SECONDS_BETWEEN_CHECKPOINTS = 0.0"
    notebook.cells.insert(2, nbformat.v4.new_code_cell(often))
    nbformat.write(notebook, path)


def moments(campaign: Campaign, number: int) -> Iterator[Moment]:
    """Half of the kills at any time, the others at the moments that matter, in turn."""
    matter = [*OUTPUTS, CHECKPOINT]
    for one in range(number):
        pattern = matter[one // 2 % len(matter)]
        about = REPLACING if pattern == CHECKPOINT else f"after {pattern.rpartition('/')[2]}"
        if one % 2:
            yield Moment(about, pattern=pattern)
        else:
            yield Moment(AT_ANY_TIME, seconds=campaign.random.uniform(0.2, campaign.seconds))


def run(campaign: Campaign, number: int, say: Callable[[str], object] = lambda line: None) -> None:
    """Kills so often; a chain of kills ends with the first call that finishes, or when its moment is past."""
    training, publishing = 6 * number // 10, number // 10
    campaign.kill_training(training)
    say(f"{training} of {number}: training processes; lost so far: {len(campaign.lost)}")
    for one in range(publishing):
        campaign.kill_publishing(EDITS[one % len(EDITS)])
        say(f"{training + one + 1} of {number}: {PUBLISHING}; lost so far: {len(campaign.lost)}")
    in_chain, before = 0, training + publishing
    for count, moment in enumerate(moments(campaign, number - before), before + 1):
        past = bool(moment.pattern) and any(campaign.project.folder.glob(moment.pattern))
        if past or in_chain == 5:
            campaign.check(moment.about)
            campaign.fresh()
            in_chain = 0
        if not campaign.kill(moment):
            campaign.tried[moment.about + " (it was done before)"] += 1
        in_chain += 1
        say(f"{count} of {number}: {moment.about}; lost so far: {len(campaign.lost)}")
    campaign.check("the end")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("number", type=int, nargs="?", default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        campaign = Campaign(Path(folder), options.seed)
        print(f"undisturbed: {campaign.seconds:.1f} s", flush=True)
        run(campaign, options.number, lambda line: print(line, flush=True))
        print(*(f"{about}: {count} tried" for about, count in campaign.tried.items()), sep="\n")
        print(*campaign.lost or ["nothing was lost"], sep="\n")
        campaign.project.end()
    return 1 if campaign.lost else 0


if __name__ == "__main__":
    sys.exit(main())
