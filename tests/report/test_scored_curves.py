"""What is drawn of seeds that select and seeds that do not."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_results import GAP, made_results, made_run

from fedatlas.report.drawing import theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views import view
from fedatlas.results.collection import ExperimentResults

KEY, GRID = "fedpd/figure_2a", [{"client_lr": 1.0}, {"client_lr": 2.0}]
PANEL = Panel(metric=GAP[1], split=GAP[0])
FIGURE = Figure(id="Figure 2", about="gaps", section="4", caption="A gap.", panels=[PANEL])


def results(*runs) -> ExperimentResults:
    return made_results({KEY: runs}).experiments[KEY]


def chose(seed: int, last: float):
    own = {"seed": seed, "stage": "sweep"}
    return made_run("fedavg_gd", {GAP: [[1, last], [9, 9]]}, grid=GRID, own=own)


def tuned(seed: int, last: float):
    return made_run("fedavg_gd", {GAP: [[1, last]]}, own={"seed": seed, "stage": "tuned"})


def ends(of: ExperimentResults) -> dict[int, float]:
    table = view("curves").panel_table(of, FIGURE, PANEL)
    return dict(table[table["round"] == 1][["seed", "value"]].itertuples(index=False))


def test_a_seed_that_selected_is_not_drawn_beside_others():
    both = results(chose(0, 0.1), tuned(1, 0.5), tuned(2, 0.3))
    assert ends(both) == {1: 0.5, 2: 0.3}
    assert both.last("fedavg_gd", PANEL) == 0.4
    assert "means over the seeds that did not select it" in view("curves").caption(both, FIGURE)


def test_where_all_of_them_selected_all_are_drawn():
    own = results(chose(0, 0.1), chose(1, 0.3))
    assert ends(own) == {0: 0.1, 1: 0.3}
    assert "means over the seeds, bands" in view("curves").caption(own, FIGURE)


@pytest.mark.parametrize(
    ("scale", "ends", "mean"),
    [("log", [1e-5, 0.1], 1e-3), ("linear", [1e-5, 0.1], 0.050005), ("log", [0.0, 0.1], 0.05)],
)
def test_the_mean_is_geometric_on_a_logarithmic_axis_where_all_are_positive(scale, ends, mean):
    seeds = [made_run("fedavg_gd", {GAP: [[1, end]]}, own={"seed": s, "stage": "tuned"}) for s, end in enumerate(ends)]
    _, axis = plt.subplots()
    panel = Panel(metric=GAP[1], split=GAP[0], scale=scale)
    view("curves").draw_panel(axis, results(*seeds), FIGURE, panel, theme.LIGHT)
    caption = view("curves").caption(results(*seeds), FIGURE.model_copy(update={"panels": (panel,)}))
    assert ("geometric ones on logarithmic axes" in caption) == (scale == "log")
    thick = max(axis.lines, key=lambda line: line.get_linewidth())
    plt.close()
    np.testing.assert_allclose(thick.get_ydata()[-1], mean)
