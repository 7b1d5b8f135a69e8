"""Experiments whose clients have models of their own, published and read again."""

from pathlib import Path

import configuration
import pytest
from made_runs import CLIENTS, write_runs

from fedatlas.report.publish import publish
from fedatlas.results import clients
from fedatlas.results.collection import read_results
from fedatlas.results.metric import Metric
from fedatlas.results.published import load_published, seal

CONFIG = Path(__file__).parents[2] / "config"
KEY = "fedem/unseen"
UNSEEN = Metric(metric="accuracy", split="unseen_test")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The runs, and what was published of them."""
    folder, known = tmp_path_factory.mktemp("published"), configuration.known("paper")
    write_runs(folder / "runs", [known[KEY]])
    results = read_results(folder / "runs", known, "paper", [KEY])
    publish(results, [], configuration.papers(), folder / "out")
    seal(folder / "out")
    return results[KEY], load_published(folder / "out", {"paper": known})[KEY].results


def test_metrics_of_unseen_clients_keep_their_split(both):
    runs, kept = both
    for algorithm, by_seed in runs.runs.items():
        for seed, run in by_seed.items():
            expected = run.values(UNSEEN.metric, UNSEEN.split)
            found = kept.runs[algorithm][seed].values(UNSEEN.metric, UNSEEN.split)
            assert len(found) > 5
            assert found.to_list() == pytest.approx(expected[found.index].to_list(), rel=1e-4)


def test_single_clients_are_kept_of_the_seed_that_has_the_sweep(both):
    runs, kept = both
    expected, found = (clients.by_algorithm(own, UNSEEN) for own in both)
    assert set(found) == set(runs.runs)
    scored = runs.experiment.seeds.tuned[0]
    for algorithm, values in found.items():
        assert len(values) == CLIENTS
        assert values.to_list() == pytest.approx(expected[algorithm].to_list(), rel=1e-3)
        assert kept.runs[algorithm][scored].clients(UNSEEN.metric, UNSEEN.split).empty
    assert clients.mixtures(kept)["fedem"].learned == pytest.approx(clients.mixtures(runs)["fedem"].learned, rel=1e-3)
