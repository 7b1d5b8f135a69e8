"""What a machine must have before anything is computed (folders, disks, memory), and how fast it is."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_limits

from fedatlas.errors import AtlasError
from fedatlas.files import writing

ROOM = 20_000_000  # bytes: what a run of the smaller experiments writes
ADDRESSES = 6 * 2**30  # bytes: TensorFlow and pyarrow map far more than they use; with 3 GiB pyarrow does not load
CGROUPS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def check_machine(folders: Iterable[Path]) -> None:
    """Checks that the folders and the temporary one take files, and that processes may use memory as runs do.

    Raises:
        AtlasError: names what is wrong with the machine, and the mend.
    """
    for folder in (*folders, temporary()):
        _check_folder(folder)
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < ADDRESSES:
        raise AtlasError(
            f"a process may use {allowed / 2**30:.1f} GiB of address space here (`ulimit -v`), and TensorFlow needs "
            f"{ADDRESSES / 2**30:.0f}: run `ulimit -v unlimited`; to bound its memory, give fewer --cores."
        )


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def temporary() -> Path:
    """The folder of temporary files.

    Raises:
        AtlasError: if there is none that can be written.
    """
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        raise AtlasError(
            f"no folder takes temporary files ({error.strerror}): free some space there, or name one with TMPDIR."
        ) from error


def memory_mb() -> int:
    """The memory that processes may use here: the machine's, or what its control group is given of it."""
    allowed = [psutil.virtual_memory().total]
    for path in CGROUPS:
        text = path.read_text(encoding="ascii").strip() if path.is_file() else "max"
        allowed += [int(text)] if text.isdigit() else []
    return min(allowed) // 2**20


def yardstick() -> float:
    """The processor's seconds for a fixed piece of work of arrays and Python on one core; the least of three times.

    What else the machine does at the moment hardly counts: threads that wait for each other would.
    """
    matrix = np.random.default_rng(0).standard_normal((256, 256))

    def once() -> float:
        begun = time.thread_time()
        for _ in range(20):
            matrix @ matrix
        sum(i * i for i in range(200_000))
        return time.thread_time() - begun

    with threadpool_limits(1):
        return min(once() for _ in range(3))


def _check_folder(folder: Path) -> None:
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(4096))
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise AtlasError(
            f"{folder} has {free / 1e6:.1f} MB left, and a run needs {ROOM / 1e6:.0f}: free some space and run the "
            "same command again."
        )
