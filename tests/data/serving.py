"""A local HTTP server that misbehaves on request."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """What the server has, how it answers, and what it was asked.

    Attributes:
        cut_after: the first GETs end after so many bytes each, with the connection closed.
        statuses: the first GETs are answered with these statuses.
        silence: seconds before the body of each of the first GETs.
        ranges: whether requests for a part are honoured.
    """

    files: dict[str, bytes]
    cut_after: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    silence: list[float] = field(default_factory=list)
    ranges: bool = True
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)  # method, path, Range
    address: str = ""

    @property
    def gets(self) -> list[tuple[str, str | None]]:
        return [(path, asked) for method, path, asked in self.requests if method == "GET"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: Served

    def log_message(self, *_) -> None:
        pass

    def do_HEAD(self) -> None:  # noqa: N802
        self._answer(body=False)

    def do_GET(self) -> None:  # noqa: N802
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        served = self.served
        asked = self.headers.get("Range")
        served.requests.append((self.command, self.path, asked))
        content = served.files.get(self.path.lstrip("/"))
        status = served.statuses.pop(0) if body and served.statuses else 200
        if content is None or status != 200:
            self.send_response(404 if content is None else status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and served.ranges else 0
        if start and start >= len(content):
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if body:
            self._send(content[start:])

    def _send(self, content: bytes) -> None:
        cut = self.served.cut_after.pop(0) if self.served.cut_after else len(content)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.served.silence:
                time.sleep(self.served.silence.pop(0))
            self.wfile.write(content[:cut])
        if cut < len(content):
            self.close_connection = True


@contextlib.contextmanager
def serve(files: dict[str, bytes], **how) -> Iterator[Served]:
    """A server of these files, by path, at `.address`."""
    served = Served(files, **how)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"served": served}))
    server.daemon_threads = True
    served.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
