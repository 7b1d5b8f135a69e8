"""The server of warm processes by itself, where there is nothing left to fork with."""

from __future__ import annotations

import os
import socket

from fedatlas.warm.protocol import Request
from fedatlas.warm.server import Server


def test_a_fork_that_fails_ends_nothing_but_its_request(tmp_path, monkeypatch):
    """Who asked finds its connection closed, and starts cold."""

    def fork():
        raise BlockingIOError("no process is left")

    monkeypatch.setattr(os, "fork", fork)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        server = Server(listener, os.getpid())
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(str(tmp_path / "socket"))
            Request(["script.py"], {}, str(tmp_path)).send(client, [0, 1, 2])
            server._accept()
            (asked,) = [key.data for key, _ in server._selector.select(1)]
            assert asked() is None
            assert client.recv(100) == b""
        assert server._children == {}
