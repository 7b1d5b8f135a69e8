"""Comparisons of algorithms on clients of a program, by the engine and from its cache."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("tensorflow")

import fedatlas as fa
from fedatlas.algorithms.fedavg import FedAvg
from fedatlas.errors import AtlasError

USUAL = {"rounds": 6, "batch_size": 4, "progress": False, "threads": 1}
GRID = {"client_lr": [0.05, 0.2], "server_lr": [1.0]}
PENALISED = fa.problems.softmax(penalty=fa.prox.l1(0.05))

pytestmark = pytest.mark.filterwarnings("ignore::fedatlas.library.compare.StudyWarning")


def compare(clients, algorithms=("fedavg", "feddualavg"), problem=None, **changes):
    return fa.compare(algorithms, problem or PENALISED, clients, **{"grid": GRID, **USUAL, **changes})


@dataclass(frozen=True)
class Halved(FedAvg):
    """FedAvg that goes half as far."""

    name, colour, citation = "Halved", "#123456", "this test"

    def update_server(self, server, mean, participation):
        return type(server)(server.params + self.server_lr * mean.delta / 2)


@pytest.mark.core
def test_a_comparison_ranks_what_it_ran(clients):
    study = compare(clients)
    best, table = study.best(), study.table()
    assert set(best.index) == {"FedAvg", "FedDualAvg"} and best["train objective"].is_monotonic_increasing
    assert len(table) == 4 and set(table["client_lr"]) == {0.05, 0.2}
    selected = table.groupby("algorithm")["train objective"].min()
    assert np.allclose(best["train objective"].sort_index(), selected.sort_index())
    assert best["test accuracy"].min() > 0.6  # a third by chance
    note = study.warnings[0]
    assert "FedAvg ignores the penalty l1" in note and note in repr(study)
    assert any("at the edge of its grid" in note for note in study.warnings[1:])


def test_a_round_is_what_numpy_makes_of_it(clients):
    """One round of FedAvg on full batches: the mean, by examples, of the clients' steps from zero."""
    study = compare(
        clients, ["fedavg"], rounds=1, batch_size="full", local_steps=1, grid={"client_lr": 0.5, "server_lr": 1.0}
    )
    steps, sizes = [], []
    for client in clients.splits["train"]:
        x = np.concatenate([client.x, np.ones((len(client.y), 1))], 1)
        residual = np.eye(3)[client.y] - 1 / 3
        steps.append(0.5 * residual.T @ x / len(client.y))
        sizes.append(len(client.y))
    expected = np.average(steps, 0, sizes).ravel()
    assert np.allclose(study.results.runs["fedavg"][0].model.params, expected, atol=1e-6)


def test_nothing_is_run_twice(clients, monkeypatch):
    first = compare(clients)
    from fedatlas.running import runner

    monkeypatch.setattr(runner, "train", lambda *_: pytest.fail("it was run already"))
    again = compare(clients, ("feddualavg", "fedavg"), title="Another title")
    pd.testing.assert_frame_equal(first.best(), again.best())


def test_other_examples_or_settings_run_anew(clients, cache):
    compare(clients, ["fedavg"])
    before = len([*cache.glob("runs/*")])
    compare(clients, ["fedavg"], rounds=5)
    assert len([*cache.glob("runs/*")]) == before + 1


def test_an_own_algorithm_runs_beside_the_atlas(clients):
    grid = {"client_lr": 0.1, "fedavg": {"server_lr": [0.5]}, "halved": {"server_lr": [1.0]}}
    study = compare(clients, ["fedavg", Halved], grid=grid)
    ends = [study.results.runs[name][0].model.params for name in ("fedavg", "halved")]
    assert np.allclose(*ends, atol=1e-6)


def test_the_first_seed_selects_and_the_others_are_scored(clients):
    study = compare(clients, ["fedavg"], seeds=(0, 1))
    runs = study.results.runs["fedavg"]
    assert runs[0].is_sweep and not runs[1].is_sweep
    assert runs[0].selected == runs[1].selected
    assert study.best()["train objective"]["FedAvg"] == runs[1].last("objective", "train")


def test_a_saved_study_is_the_same(clients, tmp_path):
    study = compare(clients)
    found = fa.open_study(study.save(tmp_path / "study"))
    pd.testing.assert_frame_equal(study.best(), found.best())
    pd.testing.assert_frame_equal(study.table(), found.table())
    assert found.warnings == study.warnings and repr(found) == repr(study)
    for none in (tmp_path, tmp_path / "study/study.json"):
        with pytest.raises(AtlasError, match="holds no study"):
            fa.open_study(none)
    with pytest.raises(AtlasError, match="the study has no .*seconds.*; it has: "):
        study.plot("seconds", split="cost")
    shutil.rmtree(tmp_path / "study/runs/fedavg")
    with pytest.raises(AtlasError, match="study/runs/fedavg/seed.* is missing: have Study.save write the study again"):
        fa.open_study(tmp_path / "study")


def test_pictures_show_what_was_recorded(clients):
    study = compare(clients)
    assert "FedDualAvg" in study.plot("accuracy").svg
    assert "test accuracy" in repr(study.plot("accuracy")).lower()
    assert "train objective" in repr(study.plot()).lower()
    assert set(study.curves("loss", "train", "bytes")["algorithm"]) == {"fedavg", "feddualavg"}
    with pytest.raises(AtlasError, match="has no train F1; it has: .*test accuracy"):
        study.plot("f1", "train")


def test_what_diverges_everywhere_is_left_out_and_told_and_not_run_again(clients, monkeypatch):
    for _ in range(2):
        with pytest.warns(fa.StudyWarning, match="FedAvg: every configuration diverged"):
            study = compare(clients, grid={"fedavg": {"client_lr": [3e38], "server_lr": [3e38]}, **GRID})
        assert list(study.best().index) == ["FedDualAvg"]
        monkeypatch.setattr("fedatlas.running.runner.train", None)


def test_a_metric_that_is_not_measured_is_told_before_any_round(clients):
    with pytest.raises(AtlasError, match="'select' names test f1, which is not measured; there are: .*test accuracy"):
        compare(clients, select=("test", "f1", "highest"))


@pytest.mark.parametrize(
    ("algorithm", "grid", "fair"),
    [
        ("fedavg", {"server_lr": [1.0]}, False),
        ("fednova", {"server_lr": [1.0]}, True),
        ("scaffold", {"server_lr": [1.0]}, True),
        ("fedpd", {"eta": [0.3], "skip": [0.0]}, True),
    ],
)
def test_unequal_steps_move_the_solution_where_an_algorithm_says_so(algorithm, grid, fair):
    """Two clients with one point each, of which one takes four steps a round: is the end in the middle of both?"""
    given = fa.clients({"one": ([[1.0, 0.0]], [0]), "four": ([[0.0, 1.0]] * 4, [0] * 4)})
    settings = {"rounds": 200, "batch_size": 1, "every": 200, "weighting": "uniform"}
    rates = {"client_lr": [0.05], **grid}
    study = fa.compare([algorithm], fa.problems.nearest_point(), given, grid=rates, **{**USUAL, **settings})
    end = study.results.runs[algorithm][0].model.params
    assert (abs(end - 0.5).max() < 0.05) == fair == fa.algorithms[algorithm].abilities.unequal_steps


def test_vectors_are_no_images_to_crop(clients):
    with pytest.raises(
        AtlasError, match=r"'training.local.augmentation' is 'crop_and_flip', .* the shape \[2\]: leave"
    ):
        compare(clients, ["fedavg"], local={"augmentation": "crop_and_flip"})


def test_what_is_damaged_in_the_cache_is_made_again(clients, cache):
    asked = {"algorithms": ["fedavg"], "rounds": 3}
    table = compare(clients, **asked).table()
    (run,) = (path.parent for path in cache.rglob("run.json") if _rounds(path) == 3)
    for path in (run / "metrics.parquet", *cache.glob("clients/*/train/000000.bin")):
        path.write_bytes(bytes(path.stat().st_size))
    with pytest.warns(UserWarning, match="is made again") as warned:
        again = compare(clients, **asked).table()
    said = [str(one.message) for one in warned]
    assert (
        f"{run / 'metrics.parquet'} is not the file that the run wrote (cut off or changed): it is made again." in said
    )
    assert any("000000.bin is damaged" in sentence for sentence in said)
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), table.drop(columns="seconds"))


def _rounds(path):
    return json.loads(path.read_text())["spec"]["training"]["rounds"]
