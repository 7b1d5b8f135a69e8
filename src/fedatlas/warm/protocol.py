"""What clients and the server say to each other: one packet each way at a time, over a Unix socket.

A client sends a `Request` with its standard input, output and error; the server answers `{"pid": ...}` and, when the
child has ended, `{"status": ...}`. Until then the client may send the number of a signal for the child. A client that
closes its end gives the child up.
"""

from __future__ import annotations

import ctypes
import json
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

LARGEST = 1 << 20  # bytes of a packet
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Request:
    """A Python command line to run.

    Attributes:
        arguments: what would follow `python`: `-m MODULE ARGUMENT ...` or `SCRIPT ARGUMENT ...`.
        environment: the child's, whole.
        folder: its working directory.
        stop: the signal that ends the child when it is given up.
    """

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    stop: int = signal.SIGTERM

    def send(self, connection: socket.socket, files: Sequence[int]) -> None:
        """Sends it with file descriptors 0, 1 and 2 for the child."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
        socket.send_fds(connection, [json.dumps(asdict(self)).encode()], files)

    @classmethod
    def receive(cls, connection: socket.socket) -> tuple[Request | None, list[int]]:
        """What a client asks for; None if it has gone."""
        packet, files, _, _ = socket.recv_fds(connection, LARGEST, 3)
        return (cls(**json.loads(packet)) if packet else None), files


def send(connection: socket.socket, content: Any) -> None:
    """Sends one small packet, if the other end is still there."""
    try:
        connection.send(json.dumps(content).encode())
    except (BrokenPipeError, ConnectionResetError):
        return


def end_with_parent() -> None:
    """Asks the kernel to kill this process as soon as the thread that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
