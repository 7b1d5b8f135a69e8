"""Experiments whose clients have models of their own, published and read again."""

from pathlib import Path

import pytest
from made_runs import CLIENTS, write_runs

from fedatlas.claims.quantities import Metric
from fedatlas.experiments.spec import load_experiments
from fedatlas.report import client_values, frames
from fedatlas.report.model.papers import load_papers
from fedatlas.report.publish import publish
from fedatlas.results.collection import read_results
from fedatlas.results.published import load_published

CONFIG = Path(__file__).parents[2] / "config"
KEY = "fedem/unseen"
UNSEEN = Metric(metric="accuracy", split="unseen_test")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The runs, and what was published of them."""
    folder, known = tmp_path_factory.mktemp("published"), load_experiments(CONFIG / "experiments", "paper")
    write_runs(folder / "runs", [known[KEY]])
    evidence = read_results(folder / "runs", known, "paper", [KEY])
    publish(evidence, [], load_papers(CONFIG / "papers", known), folder / "out", folder / "clients")
    return evidence.runs[KEY], load_published(folder / "out", {"paper": known})[KEY].evidence.runs[KEY]


def test_metrics_of_unseen_clients_keep_their_split(both):
    runs, kept = both
    for algorithm, by_seed in runs.items():
        for seed, run in by_seed.items():
            expected = frames.best_curve(run, UNSEEN).set_index("round")["value"]
            found = frames.best_curve(kept[algorithm][seed], UNSEEN).set_index("round")["value"]
            assert len(found) > 5
            assert found.to_list() == pytest.approx(expected[found.index].to_list(), rel=1e-4)


def test_single_clients_are_kept_of_the_seed_that_has_the_sweep(both):
    runs, kept = both
    expected, found = (client_values.by_algorithm(own, UNSEEN) for own in both)
    assert set(found) == set(runs)
    for algorithm, values in found.items():
        assert len(values) == CLIENTS
        assert values.to_list() == pytest.approx(expected[algorithm].to_list(), rel=1e-3)
        assert client_values.of_clients(kept[algorithm][1], UNSEEN).empty
    assert client_values.mixtures(kept)["fedem"].learned == pytest.approx(
        client_values.mixtures(runs)["fedem"].learned, rel=1e-3
    )
