"""One panel of a figure as a picture of its own, for a README, a slide or a paper."""

from __future__ import annotations

import matplotlib.pyplot as plt

from fedatlas.errors import AtlasError
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.papers import Paper
from fedatlas.report.views import view
from fedatlas.results.collection import ExperimentResults

WHITE = '<rect width="100%" height="100%" fill="#ffffff"/>'  # so that it can be read on any ground


def standalone(results: ExperimentResults, paper: Paper, panel: int) -> str:
    """The SVG of a panel of the experiment's own figure, with its legend, in the light theme on white.

    Args:
        panel: its number, the first is 1.

    Raises:
        AtlasError: if the figure has no such panel.
    """
    figure = paper.with_panels(paper.figure(results.experiment.figure), results.experiment)
    if not 1 <= panel <= len(figure.panels):
        raise AtlasError(f"{figure.id} of {paper.id} has {len(figure.panels)} panels, but no panel {panel}.")
    shown = figure.panels[panel - 1]
    truth = {metric: value for metric, value in figure.truth.items() if metric == shown.metric}
    alone = figure.model_copy(update={"panels": (shown,), "truth": truth})
    with theme.style(theme.LIGHT):
        return on_white(view(alone.view).draw(results.shown(alone.algorithms), alone, theme.LIGHT, 2))


def on_white(canvas: plt.Figure) -> str:
    """The SVG of what was drawn in the light theme, on white."""
    return svg(canvas, follow=False).decode().replace("</defs>", f"</defs>{WHITE}", 1)
