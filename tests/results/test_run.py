"""Runs on disk, curves and the selection of configurations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_runs import made_manifest

from fedatlas.errors import AtlasError
from fedatlas.experiments.sections import Selection
from fedatlas.results.run import Run, load_run, save_run
from fedatlas.results.run_files import Model, check_run
from fedatlas.results.selection import scores, select
from fedatlas.results.table import COLUMNS

RULE = Selection(
    metric="f1",
    split="model",
    best="highest",
    over_last=20,
    ties={"metric": "error", "split": "model", "best": "lowest", "over_last": 20},
)


def table(f1, error=None):
    """Rounds 0, 10, 20, 30 of configurations 0, 1, ...; one row of f1 and of error each."""
    rows = []
    for metric, values in {"f1": f1, "error": error if error is not None else np.ones_like(f1)}.items():
        for configuration, curve in enumerate(values):
            for at, value in zip((0, 10, 20, 30), curve, strict=True):
                rows.append((configuration, at, -1, "model", metric, value))
    for at in (0, 10, 20, 30):
        costs = {"bytes_down": 3 * at, "bytes_up": 2 * at, "gradient_evaluations": 7 * at, "seconds": at / 100}
        rows += [(c, at, -1, "cost", name, v) for c in range(len(f1)) for name, v in costs.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


@pytest.fixture
def run(tmp_path):
    model = Model(3, np.array([0.5, -1.0], "float32"))
    return save_run(tmp_path / "run", made_manifest(diverged={4: 20}), table([[0, 0.1, 0.2, 0.3]]), model)


def of(table):
    """A run with this table, whose first configuration is selected."""
    return Run(Path("nowhere"), made_manifest(), table)


def test_a_run_comes_back_as_it_was(run):
    loaded = load_run(run.folder)
    pd.testing.assert_frame_equal(loaded.table, run.table)
    assert loaded.manifest == run.manifest
    assert loaded.model.configuration == 3
    np.testing.assert_array_equal(loaded.model.params, np.array([0.5, -1.0], "float32"), strict=True)


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(path.read_bytes()[:-30]), lambda path: path.unlink()])
def test_a_model_is_read_only_when_it_is_asked_for(run, damage):
    damage(run.folder / "model.npz")
    loaded = load_run(run.folder)
    with pytest.raises(
        AtlasError, match=r"model.npz is missing, cut off or damaged: delete .* and run the same command"
    ):
        loaded.model  # noqa: B018


def test_a_run_that_is_not_there(tmp_path):
    with pytest.raises(AtlasError, match=r"run.json does not exist, so this run has not finished"):
        load_run(tmp_path)


@pytest.mark.parametrize("name", ["metrics.parquet", "run.json"])
def test_a_file_that_was_cut_off(run, name):
    content = (run.folder / name).read_bytes()
    (run.folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(AtlasError, match=rf"{name} is .*cut off.*delete .* and run the same command again"):
        load_run(run.folder)


def test_a_run_of_another_version(run):
    text = (run.folder / "run.json").read_text().replace("fedatlas-run/1", "fedatlas-run/0")
    (run.folder / "run.json").write_text(text)
    with pytest.raises(AtlasError, match=r"has the format 'fedatlas-run/0'"):
        load_run(run.folder)


@pytest.mark.parametrize(
    ("x", "expected"),
    [("rounds", [0, 10, 20, 30]), ("bytes", [0, 50e-6, 100e-6, 150e-6]), ("gradients", [0, 70, 140, 210]),
     ("seconds", [0, 0.1, 0.2, 0.3])],
)  # fmt: skip
def test_curves_against_every_axis(x, expected):
    run = of(table([[0, 1, 2, 3], [4, 5, 6, 7]]))
    found = run.curves("f1", "model", x)
    np.testing.assert_allclose(run.curve("f1", "model", x)["x"], expected)
    assert [*run.curve("f1", "model", x).index] == [0, 10, 20, 30]
    for configuration, values in enumerate([[0, 1, 2, 3], [4, 5, 6, 7]]):
        rows = found[found["configuration"] == configuration]
        np.testing.assert_allclose(rows["x"], expected)
        np.testing.assert_allclose(rows["value"], values)


def test_curves_name_what_there_is():
    with pytest.raises(AtlasError, match=r"no metric 'speed' .* there are: cost bytes_down, .* model f1"):
        of(table([[0, 1, 2, 3]])).curves("speed", "model")
    with pytest.raises(
        AtlasError, match="unknown axis 'moons'; there are: rounds, communications, bytes, gradients, seconds"
    ):
        of(table([[0, 1, 2, 3]])).curves("f1", "model", "moons")


def test_the_score_is_the_mean_over_the_last_rounds():
    found = scores(table([[9, 9, 0.2, 0.4], [0, 0, 0.1, 0.3]]), RULE)
    np.testing.assert_allclose(found, [0.3, 0.2])


def test_the_best_is_selected_and_ties_go_to_the_second_criterion():
    assert select(table([[0, 0, 0.2, 0.4], [0, 0, 0.4, 0.5]]), RULE) == (1, pytest.approx(0.45))
    tied = table([[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0.1, 0.1]], [[1] * 4, [0.5] * 4, [0.1] * 4])
    assert select(tied, RULE)[0] == 1
    lowest = RULE.model_copy(update={"best": "lowest", "ties": None})
    assert select(table([[0, 0, 0.5, 0.5], [0, 0, 0.1, 0.2]]), lowest)[0] == 1


def test_one_that_diverges_after_it_was_chosen_stays_chosen():
    """The second criterion is of later rounds, which it has not come to."""
    nan = float("nan")
    early = table([[0.5, 0.5, nan, nan], [0.1, 0.1, nan, nan]], [[1, 1, nan, nan], [1, 1, nan, nan]])
    assert select(early, RULE.model_copy(update={"until": 10})) == (0, pytest.approx(0.5))


def test_what_diverges_is_never_selected():
    nan = float("nan")
    assert select(table([[0, 1, nan, nan], [0, 0, 0.1, nan], [0, 0, 0.01, 0.01]]), RULE)[0] == 2
    with pytest.raises(AtlasError, match="every configuration of the sweep has diverged: add smaller rates"):
        select(table([[0, nan, nan, nan]]), RULE)


def test_a_manifest_without_a_key_is_one_sentence(run):
    content = json.loads((run.folder / "run.json").read_text())
    del content["seconds"]["train"]
    (run.folder / "run.json").write_text(json.dumps(content))
    with pytest.raises(AtlasError, match=r"run.json has no valid 'seconds.train', which every run has: delete"):
        load_run(run.folder)


@pytest.mark.parametrize("text", ["[]", "null", "7", ""])
def test_a_manifest_that_is_none(run, text):
    (run.folder / "run.json").write_text(text)
    with pytest.raises(AtlasError, match=r"run.json (has the format None|is cut off or damaged).*: delete .* and run"):
        load_run(run.folder)


def test_an_edited_manifest_is_not_believed(run):
    path = run.folder / "run.json"
    path.write_text(path.read_text().replace('"peak_memory_mb": 812.5', '"peak_memory_mb": 112.5'))
    with pytest.raises(AtlasError, match=r"run.json is not the file that the run wrote .* delete"):
        load_run(run.folder)


def test_a_run_of_an_earlier_version_has_no_hash_of_itself_and_of_its_model(run):
    path = run.folder / "run.json"
    content = json.loads(path.read_text())
    del content["sha256"], content["model_sha256"]
    path.write_text(json.dumps(content))
    check_run(run.folder)
    assert load_run(run.folder).model.configuration == 3


@pytest.mark.parametrize("name", ["metrics.parquet", "model.npz"])
def test_the_files_of_two_runs_that_were_swapped(run, tmp_path, name):
    model = Model(1, np.array([0.25, -1.0], "float32"))
    other = save_run(tmp_path / "other", made_manifest(), table([[0, 0.1, 0.2, 0.4]]), model)
    check_run(run.folder)
    (other.folder / name).replace(run.folder / name)
    with pytest.raises(AtlasError, match=rf"{name} is not the file that the run wrote"):
        check_run(run.folder)


def test_the_manifest_on_disk_has_the_documented_form(run):
    content = json.loads((run.folder / "run.json").read_text())
    assert content["format"] == "fedatlas-run/1"
    assert content["diverged"] == {"4": 20}
    assert content["dataset"]["kind"] == "real"
