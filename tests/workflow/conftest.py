"""A copy of the project in a folder of its own, so that its runs and signals disturb nobody."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fedatlas.checking import STAMP

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "Makefile", "pyproject.toml", "workflow", "profiles", "notebooks", "config", "docs", "envs")
KERNEL = Path(".env/tff/share/jupyter/kernels/fedatlas-tff/kernel.json")


class Project:
    """A copy of the workflow, notebooks and configuration that uses this project's environments and library."""

    def __init__(self, folder: Path, kernel_python: Path):
        self.folder = folder
        folder.mkdir()
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
            copy(ROOT / part, folder / part)
        (folder / "data").mkdir()
        shutil.copy2(ROOT / "data/sources.yaml", folder / "data")
        kernel = folder / KERNEL
        kernel.parent.mkdir(parents=True)
        command = [str(kernel_python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel.write_text(json.dumps({"argv": command, "display_name": "test", "language": "python"}))
        os.utime(kernel, (time.time() + 1, time.time() + 1))  # newer than the lock: the environment counts as made
        if (ROOT / STAMP).is_file():  # what was found right here is not checked again
            (folder / STAMP).parent.mkdir()
            shutil.copy2(ROOT / STAMP, folder / STAMP)

    def snakemake(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess:
        """Runs snakemake to its end."""
        command = self.snakemake(*arguments)
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **options)

    def start(self, *arguments: str) -> subprocess.Popen:
        """Starts snakemake in a session of its own, its output in out.txt."""
        return self.launch(self.snakemake(*arguments))

    def launch(self, command: list[str], **environment: str) -> subprocess.Popen:
        """Starts a command as `start` does, with more in its environment."""
        with (self.folder / "out.txt").open("w") as out:
            return subprocess.Popen(
                command,
                cwd=self.folder,
                env={**os.environ, **environment},
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=_hear_interrupts,
            )

    def processes(self) -> list[psutil.Process]:
        """The living processes that work in the project's folder."""
        return [process for process in psutil.process_iter() if self._is_mine(process)]

    def end(self) -> None:
        for process in self.processes():
            process.kill()

    def _is_mine(self, process: psutil.Process) -> bool:
        try:
            return process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).is_relative_to(self.folder)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            return False


def _hear_interrupts() -> None:
    """A shell without job control starts what runs in the background deaf to Ctrl-C, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def make_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Project]]:
    """Makes projects whose TFF kernel is the given Python; ends what still runs in them."""
    made: list[Project] = []

    def make(kernel_python: Path) -> Project:
        made.append(Project(tmp_path_factory.mktemp("made") / "project", kernel_python))
        return made[-1]

    yield make
    for project in made:
        project.end()


@pytest.fixture
def project(make_project: Callable[[Path], Project]) -> Iterator[Project]:
    made = make_project(Path(sys.executable))
    yield made
    made.end()
