"""What one experiment contributes to a figure of its paper's page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import listed
from fedatlas.report.drawing.picture import Picture
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages.claims import Row, rows_about
from fedatlas.report.pages.details import Details, details
from fedatlas.report.pages.drawn import draw_view, kept_view
from fedatlas.report.pages.explorers import save_explorer
from fedatlas.report.views import view
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults


@dataclass(frozen=True)
class Shown:
    """One set of results in a figure: what this machine has run, or what is published.

    Attributes:
        pictures: the figure's own first.
        explorer: the path of the interactive chart, if there is one.
        data: links to the numbers, (words, address).
        details: best configurations, sweep and provenance, with the experiment's own figure.
    """

    label: str
    results: ExperimentResults
    pictures: list[Picture]
    explorer: str | None
    data: list[tuple[str, str]]
    details: Details | None

    @property
    def when(self) -> str:
        return summary.when(self.results.all)

    @property
    def commit(self) -> str:
        return summary.commit(self.results.all)

    @property
    def seconds(self) -> float:
        return summary.seconds(self.results.all)

    @property
    def cores(self) -> str:
        """How many of the machine's cores a run uses, whose seconds are added up."""
        threads = summary.together(run.manifest.threads for run in self.results.all)
        return "one core" if threads == "1" else f"{threads} cores"


@dataclass(frozen=True)
class Part:
    """One experiment in a figure.

    Attributes:
        shown: what counts; None if nothing was run or published.
        here: what this machine has run, where something else counts.
        absent: why this machine has no runs of it.
        home: the figure with the experiment's details, if that is another one.
    """

    experiment: Experiment
    shown: Shown | None
    here: Shown | None
    absent: str
    claims: list[Row]
    home: Figure | None


def part(inputs: SiteInputs, paper: Paper, figure: Figure, experiment: Experiment) -> Part:
    """Draws what the part names."""
    key, figure = experiment.key, paper.with_panels(figure, experiment)
    here = _here(inputs, figure, experiment) if key in inputs.results else None
    published = _published(inputs, paper, figure, key) if inputs.is_kept(key) else None
    shown = published or here
    return Part(
        experiment=shown.results.experiment if shown else experiment,  # titles may differ between scales
        shown=shown,
        here=here if published else None,
        absent="" if here else absence(inputs, experiment),
        claims=rows_about(inputs, paper, figure, key),
        home=paper.figure(experiment.figure) if experiment.figure != figure.id else None,
    )


def absence(inputs: SiteInputs, experiment: Experiment) -> str:
    """Why this build has no runs of the experiment; nothing if it has none at all, which the page says once."""
    if not experiment.runs_here:
        return f"It runs at {listed(experiment.scales)} scale only."
    return f"This machine has not run it at {inputs.scale} scale." if inputs.results.experiments else ""


def _here(inputs: SiteInputs, figure: Figure, experiment: Experiment) -> Shown:
    """Of the runs of this build."""
    results = inputs.results[experiment.key]
    stem = f"figures/{experiment.key.replace('/', '-')}-{figure.anchor}"
    drawn = [
        draw_view(inputs.out, stem if kind == figure.view else f"{stem}-{kind}", kind, results, figure)
        for kind in figure.views
    ]
    return Shown(
        label=f"This machine, {inputs.scale} scale",
        results=results,
        pictures=[picture for picture in drawn if picture],
        explorer=_explorer(inputs, stem, results, figure) if any(drawn) else None,
        data=[],
        details=_details(inputs, results, figure),
    )


def _published(inputs: SiteInputs, paper: Paper, figure: Figure, key: str) -> Shown:
    """Of the results that the atlas keeps; a picture that was not kept is drawn."""
    published = inputs.published[key]
    results, stem = published.results, f"figures/{key.replace('/', '-')}-{figure.anchor}-published"
    drawn = [
        kept_view(inputs.out, published, kind, figure) or draw_view(inputs.out, f"{stem}-{kind}", kind, results, figure)
        for kind in figure.views
    ]
    return Shown(
        label=_published_label(results, paper),
        results=results,
        pictures=[picture for picture in drawn if picture],
        explorer=_explorer(inputs, stem, results, figure) if any(drawn) else None,
        data=published.files(inputs.out),
        details=_details(inputs, results, figure),
    )


def _published_label(results: ExperimentResults, paper: Paper) -> str:
    """Says that scale and data are the paper's own only where both are."""
    if results.scale != Scale.PAPER:
        return f"Published, {results.scale} scale"
    if paper.findings and results.experiment.id in paper.findings.not_counted:
        return f"Published, paper scale: {paper.findings.not_counted[results.experiment.id]}"
    if results.is_stand_in or results.experiment.proxy_for:
        return "Published, paper scale on other data"
    return "Published, at the paper's own scale"


def _explorer(inputs: SiteInputs, stem: str, results: ExperimentResults, figure: Figure) -> str | None:
    chart: Any = view(figure.view).chart(results.shown(figure.algorithms), figure)
    return save_explorer(inputs.out, stem, chart) if chart else None


def _details(inputs: SiteInputs, results: ExperimentResults, figure: Figure) -> Details | None:
    return details(inputs, results, figure) if results.experiment.figure == figure.id else None
