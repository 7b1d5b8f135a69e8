"""What single clients have: read from runs, kept in git, drawn."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fedatlas.experiments.results import COLUMNS
from fedatlas.report.figures import ridges, simplex, theme
from made_results import made_results, made_run

from fedatlas.claims.quantities import Metric
from fedatlas.report import client_pictures, client_table, client_values
from fedatlas.report.model.papers import Figure, Panel

KEY = "fedem/synthetic"
TEST = Metric(metric="accuracy", split="test")
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
    return type(run)(run.folder, run.manifest, table)


def runs_of(*runs):
    return made_results({KEY: runs}).runs[KEY]


def figure(*clients):
    return Figure(id="Table 2", about="a", panels=(Panel(metric="accuracy", split="test"),), clients=clients)


def test_clients_are_those_of_the_selected_configuration():
    assert client_values.of_clients(with_clients(), TEST).to_dict() == {0: 0.5, 1: 0.6, 2: 0.7, 3: 0.8}
    assert client_values.of_clients(with_clients(configuration=1), TEST).empty


def test_components_are_put_into_the_order_of_the_truth():
    found = client_values.mixtures(runs_of(with_clients()))["fedem"]
    np.testing.assert_allclose(found.learned, TRUE * 0.7 + 0.1)
    np.testing.assert_array_equal(found.true, TRUE)


def test_weights_without_a_truth_stay_as_they_are_and_other_numbers_of_components_are_not_drawn():
    found = client_values.mixtures(runs_of(with_clients(true=np.zeros((4, 0)))))["fedem"]
    np.testing.assert_array_equal(found.learned, LEARNED)
    assert found.true is None
    assert client_values.mixtures(runs_of(with_clients(weights=np.ones((4, 1)), true=np.ones((4, 1))))) == {}


def test_what_is_kept_in_git_makes_the_same_pictures():
    runs = runs_of(with_clients(), made_run("fedavg", {("test", "accuracy"): [[0, 1]]}))
    text = client_table.as_text(runs)
    assert "loss" not in text
    rows = client_table.as_rows(text, "fedem", 0)
    kept = type(runs["fedem"][0])(None, runs["fedem"][0].manifest, rows)
    np.testing.assert_allclose(client_values.of_clients(kept, TEST), [0.5, 0.6, 0.7, 0.8])
    np.testing.assert_allclose(client_values.mixtures({"fedem": {0: kept}})["fedem"].learned, TRUE * 0.7 + 0.1)
    assert client_table.as_rows(text, "fedavg", 0).empty
    assert client_table.as_text({"fedavg": runs["fedavg"]}) is None


def test_a_ridge_is_highest_where_the_clients_are():
    places = np.linspace(0, 1, 101)
    heights = ridges.density(np.array([0.3, 0.3, 0.8]), places, 1.0)
    assert places[heights.argmax()] == pytest.approx(0.3)
    assert heights[30] == pytest.approx(2 * heights[80])
    assert heights[55] < 1e-9


def test_the_spread_of_accuracies_is_told_in_words_and_drawn():
    evidence = made_results({KEY: [with_clients(), with_clients("fedavg")]})
    made = client_pictures.of_clients(evidence, KEY, figure("accuracies"))["accuracies"]
    ends = "fedem mean 0.7, worst tenth 0.5; fedavg mean 0.7, worst tenth 0.5"
    assert made.alt == f"Distributions of test accuracy over 4 clients. {ends}."
    with theme.style(theme.LIGHT):
        canvas = made.draw(theme.LIGHT, 2)
    assert [label.get_text() for label in canvas.axes[0].get_yticklabels()] == ["fedavg", "fedem"]
    assert canvas.axes[0].get_xlim() == (0.5, 1.0)
    plt.close(canvas)


def test_the_mixtures_are_told_in_words():
    evidence = made_results({KEY: [with_clients(weights=LEARNED[[0, 1, 2, 1]])]})
    made = client_pictures.of_clients(evidence, KEY, figure("weights"))["weights"]
    assert made.alt.endswith("fedem: 4 clients, 75% of whom have their largest weight where it truly is.")
    assert "mixed by its true weights" in made.caption


def test_pictures_that_the_runs_have_no_numbers_for_are_left_out():
    evidence = made_results({KEY: [made_run("fedavg", {("test", "accuracy"): [[0, 1]]})]})
    assert client_pictures.of_clients(evidence, KEY, figure("accuracies", "weights", "entropies")) == {}


def test_a_client_of_one_component_stands_at_its_corner(monkeypatch):
    monkeypatch.setattr(simplex, "SPREAD", 0.0)
    own = client_values.Mixtures(np.array([[1, 0, 0], [0, 0, 1], [1 / 3] * 3]), np.eye(3))
    with theme.style(theme.LIGHT):
        canvas = simplex.draw({"FedEM": own}, {"FedEM": "#b91c1c"}, theme.LIGHT, 2)
    assert [axis.get_title(loc="left") for axis in canvas.axes] == ["the truth", "FedEM"]
    dots = canvas.axes[1].collections[0]
    np.testing.assert_allclose(
        dots.get_offsets(), [[0, 0], [0.5, math.sqrt(3) / 2], [0.5, math.sqrt(3) / 6]], atol=1e-9
    )
    np.testing.assert_allclose(dots.get_facecolors()[:, :3], simplex.COLOURS)
    plt.close(canvas)
