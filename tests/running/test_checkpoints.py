"""A run that is cut off goes on from its checkpoint, to the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("tensorflow")
from small_runs import small, without_seconds

from fedatlas.running import checkpoint, provenance, runner
from fedatlas.running.provenance import Origin
from fedatlas.running.runner import Machine, train


def test_an_interrupted_run_resumes_to_the_same_bits(finished, store, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_BETWEEN_CHECKPOINTS", 0)

    class StopHereError(Exception):
        pass

    def interrupt(progress):
        if progress.round == 10:
            raise StopHereError

    monkeypatch.setattr(provenance, "origin", lambda: Origin("2026-01-01T00:00:00+00:00", "first", True))
    with pytest.raises(StopHereError):
        train(small(), store, tmp_path, watch=interrupt)
    seen = []
    monkeypatch.setattr(provenance, "origin", lambda: Origin("2026-01-02T00:00:00+00:00", "second", False))
    resumed = train(small(), store, tmp_path, watch=lambda progress: seen.append(progress.round))
    assert seen == [15, 20]
    about = resumed.manifest
    assert (about.started[:10], about.commit, about.dirty, about.resumed) == ("2026-01-01", "first", True, ("second",))
    pd.testing.assert_frame_equal(without_seconds(resumed.table), without_seconds(finished.table), check_exact=True)
    assert not (resumed.folder / "checkpoint.npz").exists()


def test_a_damaged_checkpoint_is_not_used(finished, store, tmp_path, capsys):
    folder = tmp_path / small().folder
    folder.mkdir(parents=True)
    (folder / "checkpoint.npz").write_bytes(b"PK\x03\x04 cut off")
    again = train(small(), store, tmp_path)
    assert "is damaged and not used" in capsys.readouterr().out
    pd.testing.assert_frame_equal(without_seconds(again.table), without_seconds(finished.table), check_exact=True)


def interrupted(store, folder, at=5):
    """A run that is cut off after so many rounds."""

    def interrupt(progress):
        if progress.round == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small(), store, folder, watch=interrupt)


VERSIONS = provenance.versions()
CHANGED = {
    "settings": lambda patch: {"run": small(training={"batch_size": 3})},
    "library": lambda patch: {"machine": Machine(library="another")},
    "program": lambda patch: patch.setattr(provenance, "program", lambda: "another"),
    "versions": lambda patch: patch.setattr(provenance, "versions", lambda: VERSIONS | {"tensorflow": "another"}),
    "format": lambda patch: patch.setattr(checkpoint, "_FORMAT", "another"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_checkpoint_of_something_else_is_not_used(store, tmp_path, monkeypatch, what):
    monkeypatch.setattr(runner, "SECONDS_BETWEEN_CHECKPOINTS", 0)
    interrupted(store, tmp_path)
    given, seen = {"run": small(), "machine": Machine()} | (CHANGED[what](monkeypatch) or {}), []
    train(given["run"], store, tmp_path, given["machine"], lambda progress: seen.append(progress.round))
    assert seen[:2] == [5, 10]


def test_what_has_diverged_and_how_long_it_took_outlive_an_interruption(finished, store, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_BETWEEN_CHECKPOINTS", 0)
    kept, save = [], checkpoint.Checkpoint.save

    def noting(self, progress, arrays):
        kept.append(dict(progress["seconds"]))
        save(self, progress, arrays)

    monkeypatch.setattr(checkpoint.Checkpoint, "save", noting)
    interrupted(store, tmp_path, at=15)
    before = kept[-1]
    resumed = train(small(), store, tmp_path).manifest
    assert finished.manifest.diverged and resumed.diverged == finished.manifest.diverged
    assert resumed.selected == finished.manifest.selected
    assert resumed.seconds.total > before["total"]
    assert resumed.seconds.first_round == pytest.approx(before["first_round"], abs=1e-3)  # as a manifest rounds it


KILLED = """
import sys
from pathlib import Path
from fedatlas.running import runner
from small_runs import small
runner.SECONDS_BETWEEN_CHECKPOINTS = 0
def watch(progress):
    print(progress.round, flush=True)
    if progress.round == 10:
        import time
        time.sleep(60)
runner.train(small(), Path({store!r}), Path({runs!r}), watch=watch)
"""


def test_kill_9_loses_nothing_that_was_saved(finished, store, tmp_path):
    program = KILLED.format(store=str(store), runs=str(tmp_path / "runs"))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=out, stderr=out, env=environment)
        until = time.monotonic() + 300
        while "\n10\n" not in (tmp_path / "out").read_text() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert "\n10\n" in (tmp_path / "out").read_text(), (tmp_path / "out").read_text()[-2000:]
    seen = []
    resumed = train(small(), store, tmp_path / "runs", watch=lambda progress: seen.append(progress.round))
    assert seen == [15, 20]
    pd.testing.assert_frame_equal(without_seconds(resumed.table), without_seconds(finished.table), check_exact=True)
