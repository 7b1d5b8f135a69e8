"""Last values against a setting that the entries of an experiment vary."""

import matplotlib.pyplot as plt
import pytest
from made_results import made_experiment, made_run
from made_runs import made_manifest

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views import view
from fedatlas.report.views.by_setting import _labels

ACCURACY = {"metric": "accuracy", "split": "test"}


def entry(name, method, last):
    data = made_manifest().dataset.model_dump() | {"clients": 300}
    return made_run(name, {("test", "accuracy"): [[0, last]]}, own={"dataset": data}, method=method)


def test_entries_of_one_algorithm_are_a_curve_against_the_share_of_clients():
    runs = [
        entry("fedem_100", "fedem", 0.8),
        entry("fedem_10", "fedem", 0.7),
        entry("fedavg_finetuned_20", "fedavg_finetuned", 0.6),
    ]
    results, panel = made_experiment("fedem/sampling_rates", *runs), Panel(**ACCURACY, over="participation")
    table = view("by_setting").panel_table(results, Figure(id="a", about="a"), panel)
    found = dict(iter(table.groupby("algorithm")))
    assert found["fedem"]["value"].to_list() == pytest.approx([0.1, 1.0])
    assert found["fedem"]["mean"].to_list() == [0.7, 0.8]
    assert found["fedavg_finetuned"]["value"].to_list() == pytest.approx([0.2])


def test_the_number_of_components_is_that_of_the_entry_and_the_picture_has_words():
    results = made_experiment("fedem/components", entry("m1", "fedem", 0.5), entry("m4", "fedem", 0.75))
    panel = Panel(**ACCURACY, over="components")
    figure = Figure(id="Figure 1", about="a", panels=(panel,))
    words = "Lines of test accuracy against the components M: FedEM 1: 0.5, 4: 0.75."
    assert view("by_setting").alt(results, figure) == words
    with theme.style(theme.LIGHT):
        canvas = view("by_setting").draw(results, figure, theme.LIGHT, 2)
    assert [label.get_text() for label in canvas.axes[0].get_xticklabels()] == ["1", "4"]
    plt.close(canvas)


@pytest.mark.parametrize("kind", ["by_setting", "sensitivity", "scatter"])
def test_where_there_is_nothing_to_draw_the_table_is_empty(kind):
    plan = {"x": ACCURACY, "y": ACCURACY, "rounds": [1]}
    panel = Panel(**ACCURACY, over="participation", along="eps_g", algorithms=("fedem",))
    figure = Figure(id="a", about="a", panels=(panel,), **({"scatter": plan} if kind == "scatter" else {}))
    results = made_experiment("fedem/sampling_rates", entry("centralized", "centralized", 0.5))
    assert view(kind).table(results, figure).empty


def test_numbers_of_the_axis_do_not_touch():
    assert _labels([0, 0.05, 0.1, 0.2, 1]) == ["0", "", "0.1", "0.2", "1"]
    assert _labels([3]) == ["3"]
