"""The warm process: `python -m fedatlas.warm.server SOCKET OWNER PRELOAD` runs a file of imports and forks on request.

It has no threads of its own and runs nothing before it forks: TensorFlow may be imported and forked, but not used and
forked. `serve` returns in the children only, so that what they run is the main program of a process like any other.
"""

from __future__ import annotations

import contextlib
import gc
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import cast

from fedatlas.warm.protocol import Request, end_with_parent, send

GRACE = 5.0  # seconds between a child's stop signal and SIGKILL


@dataclass
class Child:
    """A forked process, and the connection of whoever asked for it."""

    pid: int
    ended: int  # a descriptor that can be read from when the process has ended
    connection: socket.socket
    stop: int
    kill_at: float | None = None

    def signal(self, number: int) -> None:
        """Signals the child, and all processes of its group where it is to end without a word."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if number == signal.SIGKILL else os.kill)(self.pid, number)

    def give_up(self) -> None:
        """Ends the child: now with its stop signal, later by force."""
        if self.kill_at is None:
            self.kill_at = time.monotonic() + GRACE
            self.signal(self.stop)


class Server:
    """Waits for requests, the ends of children and the end of the owner, all at once."""

    def __init__(self, listener: socket.socket, owner: int):
        self._listener = listener
        self._children: dict[int, Child] = {}
        self._selector = selectors.DefaultSelector()
        self._watch(listener, self._accept)
        self._watch(os.pidfd_open(owner), self._leave)
        self._leaving = False

    def serve(self) -> Request | None:
        """The request to run, in a child; None in the server itself, when it has nothing left to do."""
        while not self._leaving or self._children:
            for key, _ in self._selector.select(self._patience())[:1]:  # what it does may settle the others
                request = key.data()
                if request is not None:
                    return request
            for child in self._children.values():
                if child.kill_at is not None and time.monotonic() > child.kill_at:
                    child.signal(signal.SIGKILL)
        return None

    def _watch(self, what: socket.socket | int, then: Callable[[], Request | None]) -> None:
        self._selector.register(what, selectors.EVENT_READ, then)

    def _patience(self) -> float | None:
        return 0.1 if any(child.kill_at is not None for child in self._children.values()) else None

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        self._watch(connection, partial(self._start, connection))

    def _start(self, connection: socket.socket) -> Request | None:
        """Forks for what a new connection asks; returns the request in the child."""
        self._selector.unregister(connection)
        request, files = Request.receive(connection)
        if request is None:
            connection.close()
            return None
        try:
            pid = os.fork()
        except OSError:  # no process or memory is left for it: who asked starts cold, and the others go on
            connection.close()
            for file in files:
                os.close(file)
            return None
        if pid == 0:
            self._forget()
            _become(request, files)
            return request
        for file in files:
            os.close(file)
        child = Child(pid, os.pidfd_open(pid), connection, request.stop)
        self._children[pid] = child
        self._watch(child.ended, partial(self._reap, child))
        self._watch(connection, partial(self._hear, child))
        send(connection, {"pid": pid})
        return None

    def _hear(self, child: Child) -> None:
        """A signal for the child, or the end of its lease."""
        try:
            packet = child.connection.recv(100)
        except ConnectionResetError:
            packet = b""
        if packet:
            child.signal(int(packet))
        else:
            self._selector.unregister(child.connection)
            child.give_up()

    def _reap(self, child: Child) -> None:
        status = os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1])
        send(child.connection, {"status": status})
        for what in (child.ended, child.connection):
            with contextlib.suppress(KeyError):  # a connection that was given up is no longer watched
                self._selector.unregister(what)
        os.close(child.ended)
        child.connection.close()
        del self._children[child.pid]

    def _leave(self) -> None:
        self._leaving = True
        for key in list(self._selector.get_map().values()):
            if key.data == self._leave or key.fileobj is self._listener:
                self._selector.unregister(key.fileobj)
        for child in self._children.values():
            child.give_up()

    def _forget(self) -> None:
        """Closes, in a child, what belongs to the server."""
        for key in list(self._selector.get_map().values()):
            key.fileobj.close() if isinstance(key.fileobj, socket.socket) else os.close(key.fd)
        self._selector.close()


def _become(request: Request, files: list[int]) -> None:
    """Makes this forked process one like any that was started anew."""
    end_with_parent()
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    tempfile.tempdir = None
    cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=os.isatty(1))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def _leave_family() -> None:
    """Goes on in a process that is nobody's child: it outlives the job that started it, and no Ctrl-C reaches it."""
    if os.fork():
        os._exit(0)
    os.setsid()


def run(request: Request) -> None:
    """Runs a Python command line as the main program."""
    first, *rest = request.arguments
    if first == "-m":
        sys.argv = rest
        sys.path[0] = request.folder
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        sys.path[0] = str(Path(first).absolute().parent)
        runpy.run_path(first, run_name="__main__")


def main(path: str, owner: str, preload: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(100)  # who asks during the imports waits here
        _leave_family()
        server = Server(listener, int(owner))
        runpy.run_path(preload)
        gc.collect()
        gc.freeze()  # a collection in a child would touch, and so copy, all that it shares
        request = server.serve()
    if request is None:
        shutil.rmtree(Path(path).parent, ignore_errors=True)  # its owner is gone, perhaps without the time for it
    else:
        run(request)


if __name__ == "__main__":
    main(*sys.argv[1:])
