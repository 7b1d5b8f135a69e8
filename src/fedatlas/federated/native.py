"""TFF's own C++ runtime, with a worker process that cannot outlive us.

TFF starts its worker with our output streams, waits for it without a limit and ends it only when an object is
collected. Here the worker writes to a log file, is killed by the kernel when its parent ends (however that ended),
is tried again on another port when it dies on start, and is waited for with a limit.
"""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
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
# Asks the kernel to kill this process when its parent ends, and becomes the worker. A program of its own, because
# Python code between fork and exec can block for ever in a process with threads, which TensorFlow and gRPC have.
_DIE_WITH_PARENT = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


@functools.cache
def native_context(threads: int) -> tff.framework.SyncContext:
    """The context that runs federated computations in a worker of TFF's C++ runtime; one for each number of threads.

    Args:
        threads: how many computations the worker runs at once.

    Raises:
        AtlasError: if the worker does not start.
    """
    worker = Worker(threads)
    atexit.register(worker.stop)
    worker.stub()  # started here: the worker's parent is the thread that starts it, and TFF's own threads come and go

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
        launcher = [sys.executable, "-S", "-E", "-c", _DIE_WITH_PARENT, str(os.getpid())]
        self._process = subprocess.Popen([*launcher, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
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
