"""What single clients have: read from runs, kept in git, drawn."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from made_results import made_experiment, made_run

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views import _ridges, client_weights, view
from fedatlas.results import clients
from fedatlas.results.published import clients_csv
from fedatlas.results.run import Run
from fedatlas.results.table import COLUMNS

KEY = "fedem/synthetic"
TEST = ("accuracy", "test")
TRUE = np.eye(3)[[0, 1, 2, 2]]
LEARNED = TRUE[:, [1, 2, 0]] * 0.7 + 0.1  # the components in another order


def with_clients(algorithm="fedem", weights=LEARNED, true=TRUE, configuration=0, **look):
    """A run whose four clients have accuracies 0.5, 0.6, 0.7, 0.8 and mixture weights."""
    curves = {("test", "accuracy"): [[0, 0.7]], ("test", "accuracy_decile"): [[0, 0.5]], ("train", "entropy"): [[1, 0]]}
    run = made_run(algorithm, curves, name=algorithm, **look)
    values = {("test", "accuracy"): np.array([0.5, 0.6, 0.7, 0.8]), ("train", "loss"): np.ones(4)}
    for name, columns in (("weight", weights), ("true_weight", true)):
        values |= {("train", f"{name}_{m}"): column for m, column in enumerate(np.transpose(columns), 1)}
    rows = [(configuration, 1, client, *key, value) for key, own in values.items() for client, value in enumerate(own)]
    table = pd.concat([run.table, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)
    return Run(run.folder, run.manifest, table)


def results_of(*runs):
    return made_experiment(KEY, *runs)


def figure(*clients):
    return Figure(id="Table 2", about="a", panels=(Panel(metric="accuracy", split="test"),), clients=clients)


def test_clients_are_those_of_the_selected_configuration():
    assert with_clients().clients(*TEST).to_dict() == {0: 0.5, 1: 0.6, 2: 0.7, 3: 0.8}
    assert with_clients(configuration=1).clients(*TEST).empty


def test_components_are_put_into_the_order_of_the_truth():
    found = clients.mixtures(results_of(with_clients()))["fedem"]
    np.testing.assert_allclose(found.learned, TRUE * 0.7 + 0.1)
    np.testing.assert_array_equal(found.true, TRUE)


def test_weights_without_a_truth_stay_as_they_are_and_other_numbers_of_components_are_not_drawn():
    found = clients.mixtures(results_of(with_clients(true=np.zeros((4, 0)))))["fedem"]
    np.testing.assert_array_equal(found.learned, LEARNED)
    assert found.true is None
    assert clients.mixtures(results_of(with_clients(weights=np.ones((4, 1)), true=np.ones((4, 1))))) == {}


def test_what_is_kept_in_git_makes_the_same_pictures():
    results = results_of(with_clients(), made_run("fedavg", {("test", "accuracy"): [[0, 1]]}))
    text = clients_csv.as_text(results)
    assert "loss" not in text
    kept = Run(None, results.any_run("fedem").manifest, clients_csv.as_rows(text, "fedem", 0))
    np.testing.assert_allclose(kept.clients(*TEST), [0.5, 0.6, 0.7, 0.8])
    np.testing.assert_allclose(clients.mixtures(results_of(kept))["fedem"].learned, TRUE * 0.7 + 0.1)
    assert clients_csv.as_rows(text, "fedavg", 0).empty
    assert clients_csv.as_text(results.only(lambda name: name == "fedavg")) is None


def test_a_ridge_is_highest_where_the_clients_are():
    places = np.linspace(0, 1, 101)
    heights = _ridges.density(np.array([0.3, 0.3, 0.8]), places, 1.0)
    assert places[heights.argmax()] == pytest.approx(0.3)
    assert heights[30] == pytest.approx(2 * heights[80])
    assert heights[55] < 1e-9


def test_the_spread_of_accuracies_is_told_in_words_and_drawn():
    results, drawn = results_of(with_clients(), with_clients("fedavg")), view("client_accuracies")
    ends = "fedem mean 0.7, bottom decile 0.5; fedavg mean 0.7, bottom decile 0.5"
    assert drawn.alt(results, figure("accuracies")) == f"Distributions of test accuracy over 4 clients. {ends}."
    with theme.style(theme.LIGHT):
        canvas = drawn.draw(results, figure("accuracies"), theme.LIGHT, 2)
    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == ["fedavg", "fedem"]
    assert canvas.axes[0].get_xlim() == (0.5, 1.0)
    plt.close(canvas)


def test_the_mixtures_are_told_in_words():
    results = results_of(with_clients(weights=LEARNED[[0, 1, 2, 1]]))
    words = view("client_weights").alt(results, figure("weights"))
    assert words.endswith("fedem: 4 clients, 75% of whom have their largest weight where it truly is.")
    assert "true weights" in view("client_weights").caption(results, figure("weights"))


def test_pictures_that_the_runs_have_no_numbers_for_have_an_empty_table():
    results = results_of(made_run("fedavg", {("test", "accuracy"): [[0, 1]]}))
    for kind in ("accuracies", "weights", "entropies"):
        assert view(f"client_{kind}").table(results, figure(kind)).empty


def test_a_client_of_one_component_stands_at_its_corner(monkeypatch):
    monkeypatch.setattr(client_weights, "SPREAD", 0.0)
    weights = np.array([[1, 0, 0], [0, 0, 1], [0.25, 0.25, 0.5]])
    results = results_of(with_clients(weights=np.vstack([weights, weights[:1]]), true=np.eye(3)[[0, 2, 1, 0]]))
    with theme.style(theme.LIGHT):
        canvas = view("client_weights").draw(results, figure("weights"), theme.LIGHT, 2)
    assert [axis.get_title(loc="left") for axis in canvas.axes] == ["the truth", "fedem"]
    dots = canvas.axes[1].collections[0]
    np.testing.assert_allclose(dots.get_offsets()[:2], [[0, 0], [0.5, math.sqrt(3) / 2]], atol=1e-9)
    np.testing.assert_allclose(dots.get_facecolors()[:2, :3], client_weights.COLOURS[[0, 2]])
    plt.close(canvas)
