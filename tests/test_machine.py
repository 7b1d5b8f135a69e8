"""What is wrong with a machine is said before anything is computed, and no temporary folder outlives its process."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fedatlas import machine, scratch
from fedatlas.errors import AtlasError
from fedatlas.files import atomic

OWNER = "import sys; from fedatlas.scratch import make_scratch; print(make_scratch(), flush=True); sys.stdin.read()"

INTERRUPTED = """
import os, signal, weakref
from fedatlas.scratch import leave, make_scratch
signal.signal(signal.SIGINT, leave)
print(make_scratch(), flush=True)
one = {1}
watch = weakref.ref(one, lambda _: os.kill(os.getpid(), signal.SIGINT))  # Python drops what a callback raises
del one
print("went on", flush=True)
"""


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A file system of 64 kB."""
    folder = tmp_path / "logs"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.fixture
def temporary(monkeypatch) -> Iterator[Path]:
    """A folder for all temporary files, whose name is short enough for sockets."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)


def test_a_usable_machine_is_left_as_it_was(tmp_path):
    machine.check_machine([tmp_path / "data", tmp_path / "logs"])
    assert [*(tmp_path / "data").iterdir()] == []
    assert machine.memory_mb() > 100


def test_a_small_disk_is_named(small_disk):
    with pytest.raises(AtlasError, match=r"logs has 0.1 MB left, and a run needs 20: free some space and run the same"):
        machine.check_machine([small_disk])


def test_a_full_disk_is_named(small_disk):
    (small_disk / "much").write_bytes(bytes(60_000))
    with pytest.raises(AtlasError, match=r"logs (cannot be written: the disk is full|has 0.0 MB left).*: free some"):
        machine.check_machine([small_disk])


def test_a_read_only_disk_is_named(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(AtlasError, match=r"logs cannot be written: the file system is read-only"):
        machine.check_machine([small_disk])


def test_a_bound_on_addresses_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda what: (3 * 2**30, resource.RLIM_INFINITY))
    with pytest.raises(
        AtlasError, match=r"may use 3.0 GiB of address space here .`ulimit -v`., and TensorFlow needs 6"
    ):
        machine.check_machine([tmp_path])


def test_no_folder_for_temporary_files(monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    with pytest.raises(AtlasError, match=r"no folder takes temporary files .No usable .*: free some space"):
        machine.check_machine([])


def owner() -> tuple[subprocess.Popen, Path]:
    """A process that has made a scratch folder, and the folder."""
    running = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return running, Path(running.stdout.readline().strip())


def test_a_killed_process_leaves_its_folder_to_the_next_one(temporary):
    (killed, left), (alive, used) = owner(), owner()
    mine = temporary / "fedatlas-notes"  # a user's own, which nobody has locked
    mine.mkdir()
    assert left.parent == used.parent == temporary
    killed.kill()
    killed.wait()
    assert left.is_dir()
    made = scratch.make_scratch()
    assert not left.exists() and used.is_dir() and mine.is_dir() and made.is_dir()
    alive.communicate("")
    assert alive.returncode == 0 and not used.exists()


def test_an_interrupt_ends_a_process_wherever_it_is(temporary):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", INTERRUPTED]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 128 + signal.SIGINT
    assert ended.stderr == "\nfedatlas: stopped before anything ran: run the same command again.\n"
    assert Path(ended.stdout.rstrip("\n")).parent == temporary and not [*temporary.iterdir()]


def test_half_a_file_of_a_killed_process_is_removed(tmp_path):
    program = (
        "import os, signal, sys; from fedatlas.files import atomic\n"
        "with atomic(sys.argv[1]) as partial: partial.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    path = tmp_path / "file [1]"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", program, path], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert re.fullmatch(r"\.file \[1\]\..*\.partial", left.name)
    with atomic(path) as partial, atomic(path) as other:  # of a living process nothing is removed
        partial.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one" and [*tmp_path.iterdir()] == [path]


def test_several_writers_of_the_same_folder_all_succeed(tmp_path):
    """Two experiments of a study write the same clients; each saw no folder when it began."""
    together = threading.Barrier(4)

    def write(path):
        with atomic(path) as partial:
            partial.mkdir()
            (partial / "file").write_text("content")
            together.wait(timeout=60)

    with ThreadPoolExecutor(4) as writers:
        for number in range(50):
            folder = tmp_path / str(number)
            for done in [writers.submit(write, folder) for _ in range(4)]:
                done.result()
            assert (folder / "file").read_text() == "content"
    assert len([*tmp_path.iterdir()]) == 50


def test_a_folder_takes_the_place_of_another_in_one_step(tmp_path):
    for content in ("first", "second"):
        with atomic(tmp_path / "folder") as partial:
            partial.mkdir()
            (partial / "file").write_text(content)
        assert (tmp_path / "folder/file").read_text() == content
        assert [*tmp_path.iterdir()] == [tmp_path / "folder"]
