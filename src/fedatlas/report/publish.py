"""Publishing: the tables of an experiment's results and the pictures of every figure that shows them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from fedatlas.claims.evaluate import Verdict
from fedatlas.files import write_text
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages.drawn import draw_view, kept_name
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.published import Published
from fedatlas.results.published.write import dots_table, write_results

_BEYOND_TABLES = ("brain", "sweep")  # show models, and the curves of all configurations


def publish(results: Results, verdicts: Sequence[Verdict], papers: Sequence[Paper], out: Path) -> None:
    """Writes every experiment of the results."""
    said, by_id = [verdict.as_json() for verdict in verdicts], {paper.id: paper for paper in papers}
    for key, own in results.experiments.items():
        write_results(out / key, own, [verdict for verdict in said if verdict["experiment"] == key])
        paper = by_id[own.experiment.paper]
        (out / key / "dots.csv").unlink(missing_ok=True)
        for figure in paper.showing(own.experiment):
            if figure.scatter:
                plan = figure.scatter
                dots = dots_table(own.shown(figure.algorithms), (plan.x, plan.y), plan.rounds)
                write_text(out / key / "dots.csv", dots)
        _draw(out / key, own, paper)


def redraw(published: Mapping[str, Published], papers: Sequence[Paper], out: Path) -> None:
    """Draws the pictures of what is published again, from its tables; those that show more than the tables stay."""
    by_id = {paper.id: paper for paper in papers}
    for key, one in published.items():
        _draw(out / key, one.results, by_id[one.experiment.paper], staying=_BEYOND_TABLES)


def _draw(folder: Path, results: ExperimentResults, paper: Paper, staying: Collection[str] = ()) -> None:
    """All pictures of one experiment but those of the staying kinds that are there; those of no figure go."""
    figures = paper.showing(results.experiment)
    wanted = [(figure, kind) for figure in figures for kind in figure.views]
    wanted.append((paper.with_panels(paper.figure(results.experiment.figure), results.experiment), "sweep"))
    kept = set()
    for figure, kind in wanted:
        name = kept_name(figure, kind)
        there = {path.name for path in folder.glob(f"{name}*.svg")}
        if kind in staying and there:
            kept |= there
        elif picture := draw_view(folder, name, kind, results, figure):
            kept |= {path.name for path in picture.files(folder)}
    for path in folder.glob("*.svg"):
        if path.name not in kept:
            path.unlink()
