"""Last values against a setting that the entries of an experiment vary."""

import matplotlib.pyplot as plt
import pytest
from fedatlas.report.alt_texts import figure_alt
from fedatlas.report.figures import curves, settings, theme
from made_results import made_results, made_run

from fedatlas.report.model.papers import Figure, Panel

ACCURACY = {"metric": "accuracy", "split": "test"}


def entry(name, method, last):
    run = made_run(name, {("test", "accuracy"): [[0, last]]}, method=method)
    run.manifest.dataset["clients"] = 300
    return run


def test_entries_of_one_algorithm_are_a_curve_against_the_share_of_clients():
    runs = [
        entry("fedem_100", "fedem", 0.8),
        entry("fedem_10", "fedem", 0.7),
        entry("fedavg_finetuned_20", "fedavg_finetuned", 0.6),
    ]
    evidence = made_results({"fedem/sampling_rates": runs})
    found = settings.profiles(evidence, "fedem/sampling_rates", Panel(**ACCURACY, over="participation"))
    assert found["fedem"]["value"].to_list() == pytest.approx([0.1, 1.0])
    assert found["fedem"]["mean"].to_list() == [0.7, 0.8]
    assert found["fedavg_finetuned"]["value"].to_list() == pytest.approx([0.2])


def test_the_number_of_components_is_that_of_the_entry_and_the_picture_has_words():
    evidence = made_results({"fedem/components": [entry("m1", "fedem", 0.5), entry("m4", "fedem", 0.75)]})
    panel = Panel(**ACCURACY, over="components")
    figure = Figure(id="Figure 1", about="a", panels=(panel,))
    words = "test accuracy against the components M: FedEM 1: 0.5, 4: 0.75."
    assert figure_alt(evidence, "fedem/components", figure) == words
    with theme.style(theme.LIGHT):
        canvas = curves.draw(evidence, "fedem/components", figure, theme.LIGHT, columns=2)
    assert [label.get_text() for label in canvas.axes[0].get_xticklabels()] == ["1", "4"]
    plt.close(canvas)


def test_numbers_of_the_axis_do_not_touch():
    assert settings._labels([0, 0.05, 0.1, 0.2, 1]) == ["0", "", "0.1", "0.2", "1"]
    assert settings._labels([3]) == ["3"]
