"""TFF's own C++ runtime, with a worker process that cannot outlive us.

TFF starts its worker with our output streams, waits for it without a limit and ends it only when an object is
collected. Here the worker writes to a log file, is killed by the kernel when its parent ends (however that ended),
is tried again on another port when it dies on start, and is waited for with a limit.
"""

from __future__ import annotations

import atexit
import ctypes
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO

import grpc
import portpicker
import tensorflow_federated as tff

from fedatlas.errors import AtlasError

_SECONDS_TO_START = 60.0
_ATTEMPTS = 3
_MESSAGE_BYTES = 2_000_000_000
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL("libc.so.6", use_errno=True)  # loaded here: nothing may be imported between fork and exec


def native_context(threads: int) -> tff.framework.SyncContext:
    """A context that runs federated computations in a worker of TFF's C++ runtime.

    Args:
        threads: how many computations the worker runs at once.

    Raises:
        AtlasError: if the worker does not start.
    """
    worker = Worker(threads)
    atexit.register(worker.stop)

    def executor(cardinalities):
        remote = tff.framework.RemoteExecutor(worker.stub())
        remote.set_cardinalities({tff.CLIENTS: 0, **cardinalities})
        return remote

    return tff.framework.SyncExecutionContext(
        executor_fn=tff.framework.ResourceManagingExecutorFactory(executor),
        compiler_fn=tff.backends.native.desugar_and_transform_to_native,
        transform_args=tff.tensorflow.transform_args,
        transform_result=tff.tensorflow.transform_result,
    )


class Worker:
    """One process of TFF's `worker_binary`, started when it is first needed."""

    def __init__(self, threads: int):
        self._threads = threads
        self._process: subprocess.Popen | None = None
        self._stub: tff.framework.RemoteExecutorGrpcStub | None = None

    def stub(self) -> tff.framework.RemoteExecutorGrpcStub:
        """The connection to the running worker; starts it if it is not running."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._stub

    def stop(self) -> None:
        """Ends the worker, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        with tempfile.TemporaryFile() as log:
            for _ in range(_ATTEMPTS):
                if self._try_start(log):
                    return
            log.seek(0)
            last = log.read().decode(errors="replace").strip().splitlines()[-1:]
        raise AtlasError(
            f"TFF's runtime did not start in {_ATTEMPTS} attempts of {_SECONDS_TO_START:.0f} s (its last word: "
            f"{last[0] if last else 'none'}); set 'engine: inprocess', which needs no worker."
        )

    def _try_start(self, log: IO[bytes]) -> bool:
        port = portpicker.pick_unused_port()
        command = [str(_binary()), f"--port={port}", f"--max_concurrent_computation_calls={self._threads}"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=_die_with_parent
        )
        options = [(f"grpc.max_{which}message_length", _MESSAGE_BYTES) for which in ("", "receive_", "send_")]
        self._stub = tff.framework.RemoteExecutorGrpcStub(grpc.insecure_channel(f"localhost:{port}", options))
        until = time.monotonic() + _SECONDS_TO_START
        while self._process.poll() is None and time.monotonic() < until:
            if self._stub.is_ready:
                return True
            time.sleep(0.02)
        self.stop()
        return False


def _binary() -> Path:
    return Path(tff.__file__).parent / "data" / "worker_binary"


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
