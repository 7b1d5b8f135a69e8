"""What both environments are made with: uv, or pip where only that gets out, and a line now and then for who waits.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

SILENCE = 15.0  # seconds without a word after which a line says that the work goes on
CHANGED = re.compile(r" [+~-] \S+[=@ ]")  # uv lists some hundred packages
FETCHING = re.compile(r"Downloading (\S+)|\s*Downloaded (\S+)")


def say(sentence: str) -> None:
    print(f"fedatlas: {sentence}", flush=True)


def leave(number: int, _frame: object) -> None:
    """On Ctrl-C: ends with a sentence."""
    say("stopped: run the same command again; what was fetched is kept.")
    sys.exit(128 + number)


class Narrator:
    """Passes on what a program says, or keeps it, and speaks up when it is silent."""

    def __init__(self, stream: TextIO, keep: bool):
        self.started = self.spoken = time.monotonic()
        self.fetching: list[str] = []
        self.kept: list[str] | None = [] if keep else None
        self.thread = threading.Thread(target=self._listen, args=(stream,), daemon=True)
        self.thread.start()

    def _listen(self, stream: TextIO) -> None:
        for line in stream:
            if event := FETCHING.match(line):
                begun, ended = event.groups()
                self.fetching = [*self.fetching, begun] if begun else [name for name in self.fetching if name != ended]
            if self.kept is not None:
                self.kept.append(line)
            elif not CHANGED.match(line):
                print(line, end="", flush=True)
                self.spoken = time.monotonic()

    def remind(self) -> None:
        """After a silence, says for how long the work has gone on and what is still being fetched."""
        if time.monotonic() - self.spoken >= SILENCE:
            work = f"fetching {', '.join(self.fetching)}" if self.fetching else "at work"
            say(f"still {work}, for {time.monotonic() - self.started:.0f} s now")
            self.spoken = time.monotonic()


def call(command: list[str], environment: dict[str, str] | None = None, quiet: bool = False) -> int:
    """The exit status of a command; what it says goes where this program's words go, if quiet only when it fails."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        narrator = Narrator(process.stdout, keep=quiet)
        try:
            while narrator.thread.is_alive():
                narrator.thread.join(timeout=1)
                narrator.remind()
        except BaseException:
            process.terminate()
            raise
    if quiet and process.returncode:
        print(*narrator.kept, sep="", flush=True)
    return process.returncode


def run(sentence: str, *commands: list[str]) -> None:
    """Runs the commands until one succeeds; if none does, the program ends with the sentence."""
    for number, command in enumerate(commands):
        if number:
            say("uv could not (see above why); trying pip, which may know another way out and takes minutes ...")
        if call(command) == 0:
            return
    sys.exit(f"fedatlas: {sentence}.")


def pip_install(by: Path | str, into: Path, *what: str) -> list[str]:
    """The command by which pip, installed beside the Python `by`, installs into the environment of another Python."""
    quiet = ["-q", "--disable-pip-version-check", "--python", str(into)]
    return [str(by), "-m", "pip", *quiet, "install", "--no-deps", "--no-compile", *what]


def uv_install(by: Path | str, into: Path, *what: str) -> list[str]:
    """The same with uv."""
    return [str(by), "-m", "uv", "pip", "install", "--python", str(into), "--no-deps", *what]


def install(lock: Path, into: Path, by: Path | str, *options: str) -> None:
    """Installs what a lock holds, every file checked by its hash; the options are uv's."""
    locked = ["--require-hashes", "-r", str(lock)]
    run(
        f"the packages of {lock} could not be installed (see above why): check the network, the index that pip or uv "
        "is configured with and the free disk space (4 GB), and run the same command again",
        uv_install(by, into, *locked, *options),
        # uv does not read pip's configuration: where only pip knows the way out, pip is slower and gets there.
        pip_install(by, into, *locked),
    )


def install_package(into: Path, by: Path | str) -> None:
    """Installs this package, editable and without the network."""
    run(
        f"the package could not be installed into the environment of {into} (see above why)",
        uv_install(by, into, "--quiet", "--no-index", "--no-build-isolation", "--editable", "."),
    )


def try_out(python: Path, modules: str) -> None:
    """Imports modules once: then they are compiled, and the environment is known to work."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if call([str(python), "-c", f"import {modules}"], environment, quiet=True):
        sys.exit(
            f"fedatlas: the environment of {python} was made, but cannot be used on this machine (see above why): "
            "remove its folder and run the same command again; TensorFlow needs Linux on x86-64 with AVX."
        )
