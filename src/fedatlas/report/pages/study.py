"""The page of a comparison that somebody made on their own clients."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from fedatlas.report.drawing import vega
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.pages import layout
from fedatlas.report.pages.best import best_configurations
from fedatlas.report.pages.colours import colour_rules
from fedatlas.report.pages.details import Details, grid_words, rate_words, rule_words
from fedatlas.report.pages.drawn import draw_view
from fedatlas.report.pages.explorers import save_explorer
from fedatlas.report.views import view
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric

NAME = "index.html"


def write_study(out: Path, results: ExperimentResults, notes: Sequence[str], metrics: Sequence[Metric]) -> Path:
    """Writes the page with its pictures and assets under `out`, and returns its path.

    Args:
        notes: what was asked of algorithms that they do not do.
        metrics: what the figure shows, a panel each.

    Raises:
        AtlasError: if it cannot be written.
    """
    title = results.experiment.title
    panels = tuple(Panel(metric=one.metric, split=one.split) for one in metrics)
    figure = Figure(id=results.experiment.figure, about=title, panels=panels)
    body = layout.render(
        "study.html.j2",
        title=title,
        experiment=results.experiment,
        notes=notes,
        colours=colour_rules(results.colours.values()),
        picture=draw_view(out, "figures/curves", figure.view, results, figure),
        explorer=_explorer(out, results, figure),
        details=_details(out, results, figure),
        shown=Shown(results),
        data=results.any_run(next(iter(results.runs))).manifest.dataset,
    )
    layout.write_page(out, NAME, title, body, {NAME: title})
    return out / NAME


def _explorer(out: Path, results: ExperimentResults, figure: Figure) -> str | None:
    """The interactive chart and the script that draws it; none where Altair is not installed."""
    if not (find_spec("altair") and find_spec("vl_convert")):
        return None
    vega.write_bundle(out / "assets" / "vega.js")
    chart = view(figure.view).chart(results, figure)
    return save_explorer(out, "figures/curves", chart) if chart else None


class Shown:
    """What the template says of the runs together."""

    def __init__(self, results: ExperimentResults):
        self.results = results
        self.seconds = summary.seconds(results.all)
        self.commit = summary.commit(results.all)
        self.when = summary.when(results.all)


def _details(out: Path, results: ExperimentResults, figure: Figure) -> Details:
    return Details(
        best=best_configurations(results, figure, ()),
        ends=[panel.name for panel in figure.measures],
        rates=rate_words(results),
        rule=rule_words(results.experiment),
        sweep=draw_view(out, "figures/sweep", "sweep", results, figure),
        grid=grid_words(results),
        facts=summary.facts(results.all),
        runs=[summary.row(run, None) for run in results.all],
        configuration=summary.configuration(results.experiment),
    )
