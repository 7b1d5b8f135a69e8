"""Whole runs: what they record, and what ends them."""

from __future__ import annotations

import errno
import json

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("tensorflow")
from simulating import write_regression
from small_runs import small, without_seconds

from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError
from fedatlas.experiments.strength import largest_strength, rounded_down
from fedatlas.results.freshness import is_fresh
from fedatlas.results.run import Run, load_run
from fedatlas.running import runner
from fedatlas.running.runner import Machine, train


@pytest.mark.core
def test_the_table_holds_every_evaluation_of_every_configuration(finished):
    table = load_run(finished.folder).table
    counts = table.groupby(["split", "metric"]).size()
    assert set(counts) == {3 * 5}
    assert sorted(table["round"].unique()) == [0, 5, 10, 15, 20]
    found = {f"{split} {metric}" for split, metric in counts.index}
    assert {"model f1", "model density", "train loss", "train objective", "validation loss", "cost bytes_up"} <= found
    assert "validation objective" in found


def test_the_objective_is_loss_plus_penalty(finished, store):
    rows = finished.table[(finished.table["round"] == 20) & (finished.table["configuration"] == 0)]
    values = rows.set_index(["split", "metric"])["value"]
    assert values["train", "objective"] > values["train", "loss"] > 0


def test_costs_are_counted(finished):
    rows = finished.table.query("split == 'cost' and configuration == 0").pivot_table(
        index="round", columns="metric", values="value"
    )
    # FedDualAvg sends the dual (7 numbers) and a counter each way, in float64, to 4 clients a round.
    np.testing.assert_array_equal(rows["bytes_down"], np.array([0, 5, 10, 15, 20]) * 4 * 8 * 8)
    np.testing.assert_array_equal(rows["bytes_up"], rows["bytes_down"])
    from fedatlas.federated.cohorts import sample
    from fedatlas.seeds import seed_for

    sizes = np.array([9, 5, 12, 7, 8, 10])
    visited = [sizes[sample(6, 4, seed_for(0, "cohort"), r)].sum() for r in range(20)]
    np.testing.assert_array_equal(rows["gradient_evaluations"], np.cumsum([0, *visited])[[0, 5, 10, 15, 20]])
    assert rows["seconds"].is_monotonic_increasing and rows["seconds"].iloc[-1] > 0


def test_what_diverges_is_marked_and_the_others_go_on(finished):
    ((number, at),) = finished.manifest.diverged.items()
    assert number == 2 and at <= 20
    table = finished.table.query("split == 'model' and metric == 'recovery_error'")
    assert table.query("configuration == 2 and round >= @at")["value"].isna().all()
    assert table.query("configuration < 2")["value"].notna().all()
    assert finished.manifest.selected.configuration in (0, 1)


def test_the_learned_model_is_saved(finished, store):
    run = load_run(finished.folder)
    number = run.manifest.selected.configuration
    rows = run.table.query("metric == 'recovery_error' and round == 20 and configuration == @number")
    assert (run.model.configuration, run.model.params.shape) == (number, (7,))
    truth = ClientStore.open(store).truth["w_real"]
    assert np.linalg.norm(run.model.params[:-1] - truth) == pytest.approx(rows["value"].item(), rel=1e-9)


def test_a_strength_that_the_data_gives_is_recorded(store, tmp_path):
    run = train(small(problem={"penalty": {"strength": {"times_max": 0.1}}}), store, tmp_path)
    largest = largest_strength("linear_regression", ClientStore.open(store))
    assert run.manifest.strength == {"times_max": 0.1, "largest": largest}
    assert run.manifest.spec["problem"]["penalty"]["strength"] == rounded_down(0.1 * largest)


def test_the_manifest_says_how_it_was_made(finished):
    manifest = finished.manifest
    assert manifest.algorithm.id == "feddualavg" and manifest.stage == "sweep"
    assert manifest.dataset.clients == 6 and manifest.dataset.examples == 51
    assert manifest.num_params == 7 and manifest.precision == "float64"
    assert manifest.compile == "graph"  # the problem is one for XLA, but the run is short
    assert manifest.peak_memory_mb > 50 and manifest.cores >= 1 and manifest.processor
    assert manifest.seconds.total >= manifest.seconds.train > 0
    assert manifest.yardstick is None  # the run is short
    assert json.loads((finished.folder / "run.json").read_text()) == manifest.model_dump(mode="json")


def test_a_long_run_says_how_fast_its_machine_was(store, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "LONG", 0.0)
    assert 0 < train(small(), store, tmp_path).manifest.yardstick < 10


def test_the_same_seed_gives_the_same_bits(finished, store, tmp_path):
    again = train(small(), store, tmp_path)
    pd.testing.assert_frame_equal(without_seconds(again.table), without_seconds(finished.table), check_exact=True)


def test_a_tuned_run_trains_the_selected_configuration_alone(store, tmp_path):
    with pytest.raises(AtlasError, match="has not finished"):
        train(small(seed=1), store, tmp_path)
    sweep = train(small(), store, tmp_path)
    tuned = train(small(seed=1), store, tmp_path)
    chosen = sweep.manifest.selected.configuration
    assert [*tuned.manifest.trained] == [chosen] == list(tuned.table["configuration"].unique())
    assert tuned.manifest.stage == "tuned" and tuned.manifest.selected.configuration == chosen


def test_a_configuration_is_not_selected_by_a_sweep_with_other_settings(store, tmp_path):
    sweep = train(small(training={"rounds": 10}), store, tmp_path)
    with pytest.raises(AtlasError, match=f"{sweep.folder} was trained with other settings: train .* with seed 0 and"):
        train(small(seed=1), store, tmp_path)


def test_a_tuned_run_that_diverges_is_a_result(store, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "is_fresh", lambda run, manifest: True)  # for larger rates than those of the sweep
    chosen = train(small(), store, tmp_path).manifest.selected.configuration
    too_large = {"client_lr": [1000.0, 2000.0, 3000.0], "server_lr": [1.0]}
    train(small(seed=1, sweep=too_large), store, tmp_path)
    tuned = load_run(tmp_path / small(seed=1).folder)
    assert tuned.manifest.selected.model_dump() == {"configuration": chosen, "value": None}
    assert tuned.model.configuration == chosen
    assert list(tuned.manifest.diverged) == [chosen]
    assert np.isnan(tuned.table.query("metric == 'recovery_error' and round == 20")["value"]).all()


def test_a_run_knows_its_settings_from_those_of_another_file(store, finished, tmp_path):
    assert is_fresh(small(), finished.manifest) and is_fresh(small(title="Other words"), finished.manifest)
    assert not is_fresh(small(training={"rounds": 21}), finished.manifest)
    assert not is_fresh(small("fedmid"), finished.manifest)
    assert not is_fresh(small(), finished.manifest.model_copy(update={"spec": {"paper": "fco"}}))
    ruled = small(problem={"penalty": {"strength": {"times_max": 0.1}}})
    manifest = train(ruled, store, tmp_path).manifest
    assert is_fresh(ruled, manifest) and not is_fresh(small(), manifest)
    assert not is_fresh(small(problem={"penalty": {"strength": {"times_max": 0.2}}}), manifest)


DECIDED = {"select": {"metric": "recovery_error", "split": "model", "best": "lowest", "over_last": 5, "until": 10}}


def test_a_sweep_that_is_decided_on_the_way_goes_on_with_the_selected_configuration(finished, store, tmp_path):
    """The others are as in a sweep to the end until then; of those after the last round another one may be the best."""
    run = train(small(**DECIDED), store, tmp_path)
    curves = run.table.query("metric == 'recovery_error'").pivot(index="round", columns="configuration", values="value")
    whole = finished.table.query("metric == 'recovery_error'").pivot(
        index="round", columns="configuration", values="value"
    )
    pd.testing.assert_frame_equal(curves.loc[:10], whole.loc[:10])
    chosen = run.manifest.selected.configuration
    assert chosen == whole.loc[10].idxmin()
    assert curves.loc[15:].notna().any().to_list() == [configuration == chosen for configuration in curves]
    np.testing.assert_allclose(curves[chosen], whole[chosen], rtol=1e-12)
    assert run.model.configuration == chosen
    tuned = train(small(**DECIDED, seed=1), store, tmp_path)
    assert tuned.manifest.trained == (chosen,)
    assert tuned.table["value"].notna().all()


@pytest.mark.parametrize("objective", [0.0, -1.0, float("nan")])
def test_errors_are_not_shares_of_an_optimum_that_is_not_above_zero(store, tmp_path, monkeypatch, objective):
    run = small(reference="fedmid")
    monkeypatch.setattr(Run, "last", lambda *metric: objective)
    train(small("fedmid", reference="fedmid"), store, tmp_path)
    with pytest.raises(AtlasError, match="fedmid/seed0 ends at the training objective .* leave out 'reference'"):
        train(run, store, tmp_path)


def test_a_reference_of_other_parameters_is_refused(store, tmp_path, monkeypatch):
    optimum = train(small("fedmid", reference="fedmid"), store, tmp_path).model
    monkeypatch.setattr(Run, "model", optimum._replace(params=optimum.params[1:]))
    with pytest.raises(
        AtlasError, match="'reference' fedmid has 6 parameters, that of feddualavg 7: give both the same"
    ):
        train(small(reference="fedmid"), store, tmp_path)


def test_a_truncated_store_is_named(store, tmp_path):
    copy = write_regression(tmp_path / "store", [9, 5, 12, 7, 8, 10])
    file = copy.files("train")[2]
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(AtlasError, match=r"000002.bin has 664 bytes instead of 672: delete the folder"):
        train(small(), copy.path, tmp_path / "runs")


def test_a_full_disk_is_one_sentence(store, tmp_path, monkeypatch):
    def full(self, *arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(AtlasError, match=r"metrics.parquet cannot be written: the disk is full: free some space"):
        train(small(), store, tmp_path)


def test_native_and_sharded_runs_agree(finished, store, tmp_path):
    native = train(small(), store, tmp_path, Machine(engine="native", shards=2, chunk=1))
    for mine, theirs in zip(native.table.itertuples(), finished.table.itertuples(), strict=True):
        if mine.metric != "seconds":
            assert mine[:6] == theirs[:6] and np.isclose(mine.value, theirs.value, atol=1e-9, equal_nan=True)


def test_the_live_picture_draws_every_configuration_to_the_end(store, tmp_path):
    from fedatlas.running.live import LivePicture

    picture = LivePicture(small())
    run = train(small(), store, tmp_path, watch=picture)
    axis = picture.figure.axes[0]
    assert axis.get_ylabel() == "recovery error"
    ends = sorted(line.get_ydata()[-1] for line in axis.lines if max(line.get_xdata(), default=0) == 20)
    expected = run.table.query("metric == 'recovery_error' and round == 20")["value"].dropna()
    np.testing.assert_allclose(ends, sorted(expected))
    words = [text.get_text() for text in axis.get_legend().get_texts()]
    assert len(words) == min(len(expected), 10) and all("client rate" in one for one in words)
    lost = len(run.grid) - len(expected)
    assert (f"{lost} of {len(run.grid)} configurations have diverged" in axis.get_title()) == (lost > 0)
