"""One figure of a paper's page: illustrations, overviews and tables, then a part for each experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fedatlas.data.kinds import DataKind
from fedatlas.experiments.spec import Experiment
from fedatlas.report.drawing.picture import Picture, save
from fedatlas.report.model.assumptions import Assumption
from fedatlas.report.model.figure import Figure, Table
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.overviews import overview
from fedatlas.report.overviews._base import ByExperiment
from fedatlas.report.pages.experiment import Part, part
from fedatlas.report.tables import make_table
from fedatlas.report.tables._base import Made
from fedatlas.results.collection import Results


@dataclass(frozen=True)
class OverviewShown:
    """A picture of several experiments; `label` says whose results, `kinds` of which data."""

    label: str
    about: str
    picture: Picture
    kinds: list[str]


@dataclass(frozen=True)
class TableShown:
    """A table with results beside the paper's numbers."""

    label: str | None
    made: Made


@dataclass(frozen=True)
class FigureBlock:
    """Everything that stands under a figure's heading."""

    figure: Figure
    overviews: list[OverviewShown]
    tables: list[TableShown]
    parts: list[Part]
    assumptions: list[Assumption]


def figure_block(inputs: SiteInputs, paper: Paper, figure: Figure) -> FigureBlock:
    """Draws what the block names; a part for each experiment whose runs the figure shows."""
    known = paper.experiments(figure, inputs.results.known)
    experiments = [one for one in known if one.figure == figure.id or one.key in inputs.shown] or known
    experiments.sort(key=lambda experiment: _rank(inputs, experiment.key))
    return FigureBlock(
        figure=figure,
        overviews=_illustration(inputs, paper, figure) + _overviews(inputs, paper, figure),
        tables=_tables(inputs, paper, figure, figure.table) if figure.table else [],
        parts=[part(inputs, paper, figure, experiment) for experiment in experiments],
        assumptions=[a for a in inputs.assumptions if _concerns(a, paper, figure, experiments)],
    )


def _sources(inputs: SiteInputs) -> list[tuple[str, Results]]:
    """What pages show, with its label: published results, then the build's own."""
    return [("Published", inputs.kept), (f"This machine, {inputs.scale} scale", inputs.results)]


def _illustration(inputs: SiteInputs, paper: Paper, figure: Figure) -> list[OverviewShown]:
    if not figure.illustration:
        return []
    known = paper.experiments(figure, inputs.results.known)
    counted = {one.id: results for one in known if (results := inputs.of(one.key)) is not None}
    return [_draw(inputs, f"figures/{paper.id}-{figure.anchor}-theory", figure.illustration, figure, counted, "")]


def _overviews(inputs: SiteInputs, paper: Paper, figure: Figure) -> list[OverviewShown]:
    """The figure's experiments side by side, of every source that has any."""
    found = []
    for label, results in _sources(inputs):
        keys = {id: f"{paper.id}/{id}" for id in figure.side_by_side}
        there = {id: results[key] for id, key in keys.items() if key in results}
        if there:
            of = "published" if results is inputs.kept else results.scale
            stem = f"figures/{paper.id}-{figure.anchor}-{of}-panels"
            found.append(_draw(inputs, stem, "side_by_side", figure, there, label))
    return found


def _draw(inputs: SiteInputs, stem: str, kind: str, figure: Figure, results: ByExperiment, label: str) -> OverviewShown:
    chosen = overview(kind)
    picture = save(
        inputs.out,
        stem,
        lambda ground, columns: chosen.draw(results, figure, ground, columns),
        chosen.alt(results, figure),
        chosen.caption(results, figure),
        chosen.columns,
    )
    return OverviewShown(label, chosen.about, picture, list(dict.fromkeys(own.data for own in results.values())))


def _tables(inputs: SiteInputs, paper: Paper, figure: Figure, table: Table) -> list[TableShown]:
    """The figure's table, with the runs of every source that has any beside it; at least once."""
    keys = {f"{paper.id}/{id}" for id in table.of.values()}
    used: list[tuple[str | None, Results]] = [*_sources(inputs)]
    used = [(label, results) for label, results in used if keys & set(results.experiments)]
    return [
        TableShown(label, make_table(paper, figure, inputs.paper_results, results))
        for label, results in used or [(None, inputs.results)]
    ]


def _rank(inputs: SiteInputs, key: str) -> tuple[bool, bool, bool]:
    """Published results first, those on the paper's data before stand-ins, then what this build has run."""
    published = inputs.published.get(key)
    stand_in = bool(published and published.results.data_kind == DataKind.STAND_IN)
    return published is None, stand_in, key not in inputs.shown


def _concerns(assumption: Assumption, paper: Paper, figure: Figure, experiments: Sequence[Experiment]) -> bool:
    listed = {id for experiment in experiments if experiment.figure == figure.id for id in experiment.assumptions}
    return (assumption.paper == paper.id and figure.id in assumption.figures) or assumption.id in listed
