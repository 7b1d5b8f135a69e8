"""Asking for a warm process, and starting the server that gives it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from fedatlas.scratch import make_scratch
from fedatlas.warm.protocol import Request

FOLDER, OWNER = "FEDATLAS_WARM", "FEDATLAS_WARM_OWNER"
# What a program reads when it is imported: askers with other values of these get another server.
READ_AT_IMPORT = ("PYTHON", "OMP_", "OPENBLAS_", "MKL_", "TF_", "XLA_", "CUDA_", "LD_")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)  # that go on to a warm process


def own() -> None:
    """Makes this process the owner of the warm processes that it and its children ask for; they end with it.

    Raises:
        AtlasError: if the temporary folder cannot be written.
    """
    made = make_scratch()
    os.environ.update({FOLDER: str(made), OWNER: str(os.getpid())})


class WarmProcess:
    """A process that a server has forked for us, with the face of a `subprocess.Popen`.

    It ends when this process ends, or with `stop` when `close` gives it up.
    """

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket, pid: int):
        self._connection, self.pid = connection, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while it runs."""
        if self.returncode is None:
            self._connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                self._read()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end.

        Raises:
            TimeoutError: if it has not ended after so many seconds.
        """
        if self.returncode is None:
            self._connection.settimeout(timeout)
            return self._read()
        return self.returncode

    def _read(self) -> int:
        try:
            packet = self._connection.recv(100)
        except ConnectionResetError:
            packet = b""
        # A server that is gone took its children along.
        self.returncode = status = int(json.loads(packet)["status"]) if packet else -signal.SIGKILL
        return status

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(OSError):  # it has ended
            self._connection.send(str(int(number)).encode())

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(python: str, request: Request, preload: str, files: Sequence[int] = (0, 1, 2)) -> WarmProcess | None:
    """Starts a Python command line in a warm process; None where there can be none.

    Args:
        python: the interpreter.
        preload: a Python file that its server runs first, for what it imports.
        files: the descriptors of the child's standard input, output and error.
    """
    folder, owner = os.environ.get(FOLDER, ""), os.environ.get(OWNER, "")
    if not (owner and Path(folder).is_dir() and Path(f"/proc/{owner}").exists() and hasattr(os, "pidfd_open")):
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        _connect(connection, Path(folder), owner, python, preload, request)
        request.send(connection, files)
        answer = connection.recv(100)
    except OSError:
        answer = b""
    if not answer:
        connection.close()
        return None
    return WarmProcess(connection, json.loads(answer)["pid"])


def _connect(connection: socket.socket, folder: Path, owner: str, python: str, preload: str, request: Request) -> None:
    """Connects to the server of such processes; starts it if there is none.

    Raises:
        OSError: if none can be started.
    """
    environment = {k: v for k, v in request.environment.items() if k.startswith(READ_AT_IMPORT)}
    preload = str(Path(preload).absolute())
    content = json.dumps([python, preload, environment], sort_keys=True)
    path = folder / hashlib.sha256(content.encode()).hexdigest()[:12]
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of several that come first, one starts it
        with contextlib.suppress(FileNotFoundError):
            connection.connect(str(path))
            return
        with path.with_suffix(".log").open("w") as log:
            launched = subprocess.run(
                [python, "-m", "fedatlas.warm.server", str(path), owner, preload],
                env={**request.environment, "TMPDIR": str(folder.parent)},
                cwd=request.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=False,
            )
        if launched.returncode:
            raise OSError(f"the warm process of {path} does not start")
        connection.connect(str(path))


def run(arguments: Sequence[str], preload: str) -> int:
    """Runs `python ARGUMENTS` warm where that can be, else cold in place of this process; returns its exit status.

    Signals go on to it, also those that come before it is there, and it ends when the parent of this process ends.
    """
    early: list[int] = []
    usual = {number: signal.signal(number, lambda number, _: early.append(number)) for number in SIGNALS}
    process = start(sys.executable, Request(list(arguments), dict(os.environ), str(Path.cwd())), preload)
    if process is None:
        for number, handler in usual.items():
            signal.signal(number, handler)
        for heard in early:
            signal.raise_signal(heard)
        os.execv(sys.executable, [sys.executable, *arguments])
    for number in SIGNALS:
        signal.signal(number, lambda number, _: process.send_signal(number))
    for heard in early:
        process.send_signal(heard)
    status = process.wait()
    return 128 - status if status < 0 else status
