"""The papers of the atlas, and all of their figures and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fedatlas.claims.quantities import Metric
from fedatlas.config import Strict, read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.results import Axis
from fedatlas.experiments.spec import Experiment


class Panel(Metric):
    """A metric over the rounds, or against a hyper-parameter or a setting.

    Attributes:
        scale: without it the numbers decide, logarithmic where they span decades.
        near: the axis spans what was measured after the first quarter of the rounds, even of a fraction.
        title: what it shows besides its metric.
        algorithms: those that it shows; all of the figure if not given.
        along: a hyper-parameter, against which the score of the sweep is drawn, the best over all others of the grid;
            of the algorithms that vary it.
        over: a setting (see `figures.settings`), against which the last value is drawn, of the entries that run the
            same algorithm with different ones.
        of: ids of the experiments in whose pictures it is; all if not given.
    """

    scale: Literal["linear", "log"] | None = None
    near: bool = False
    title: str | None = None
    algorithms: tuple[str, ...] = ()
    along: str | None = None
    over: Literal["participation", "components", "labelled"] | None = None
    of: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """'Test accuracy, without momentum'."""
        name = self.name[0].upper() + self.name[1:]
        return f"{name}, {self.title}" if self.title else name


class Scatter(Strict):
    """One metric against another, a dot for each configuration of the sweep.

    Attributes:
        rounds: one panel after each of them.
        product: (least, greatest) product of the rates of the configurations that are shown; all if not given.
    """

    x: Panel
    y: Panel
    rounds: Annotated[tuple[int, ...], Field(min_length=1)]
    product: tuple[float, float] | None = None


class Guide(Strict):
    """A rate of the theory, drawn grey and dashed under the measured curves.

    It starts at the first point of one of them, since theory leaves the constant open.

    Attributes:
        label: what it is called; `{rho}` stands for the number.
        kind: (1 - sqrt(rho))^n, or 1/n^2, in the rounds n.
        rho: of a linear rate; `selected` is that of the run's selected configuration. There is no line for zero.
        run: the algorithm whose first point it starts from; the first that has the metric if not given.
        of: ids of the experiments in whose pictures it is drawn; all if not given.
    """

    label: str
    kind: Literal["linear_rate", "inverse_square"]
    rho: Annotated[float, Field(ge=0, le=1)] | Literal["selected"] | None = None
    run: str | None = None
    of: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _rate_given(self) -> Guide:
        if (self.rho is None) == (self.kind == "linear_rate"):
            raise ValueError("give 'rho' with the kind 'linear_rate', and only with it")
        return self


class Table(Strict):
    """A table that is made from the paper's own numbers, with ours beside them.

    Attributes:
        kind: what makes it, in `report.paper_tables` or `report.benchmark_tables`.
        source: the file of config/paper_results that holds the paper's part.
        cells: under which key its rows stand there.
        columns: the headings of the paper's columns, by their names there.
        parts: of a table of scores, by the names that the parts of a cell have there, our metrics; a cell is one number
            of the first panel's metric if not given.
        ours: ids of the experiments' algorithms that a row is about, by its `algorithm`; by their names if not given.
        of: by the heading that each gets, or the paper's name of the data, ids of the experiments whose runs are ours.
        beside: by the paper's name of the data, an experiment whose runs fill what those of `of` leave empty.
        variants: by the paper's name of the data, further experiments, with a row of their own each.
        reach: the metric's value until which communications and gradient evaluations are counted.
        note: what the reader must know of the numbers.
    """

    kind: Literal["costs_to_accuracy", "datasets", "hyperparameters", "rates", "runtimes", "savings", "scores", "tuned"]
    source: str
    cells: str = "cells"
    columns: Annotated[dict[str, str], Field(min_length=1)]
    parts: dict[str, Metric] = {}
    ours: dict[str, tuple[str, ...]] = {}
    of: dict[str, str] = {}
    beside: dict[str, str] = {}
    variants: dict[str, tuple[str, ...]] = {}
    reach: float | None = None
    note: str = ""


class Figure(Strict):
    """One figure or table of a paper.

    It shows the runs of the experiments whose files name it, and of those listed in `of`; while there are neither, it
    is not in the atlas yet.

    Attributes:
        about: what it shows, a few words.
        section: id of the paper's section whose heading it stands under.
        of: ids of experiments of the same paper that make another figure and whose runs this one shows too.
        algorithms: those that it shows; all that were run if not given.
        theory: it shows no measurement, so there is nothing to run.
        illustration: name of the toy of `report.illustrations`, or of the theory of `report.savings`, that it is drawn
            from; nothing has to be run for it.
        caption: what was set up, in our words.
        panels: the metrics it draws, one panel each; those of the figure that it shares runs with if not given.
        against: what they are drawn against.
        side_by_side: by id, the titles of the experiments that are its panels as the paper lays them out; each has a
            picture of its own too.
        guides: rates of the theory, drawn in the first panel.
        table: what stands in it, if it is made from numbers.
        scatter: what it draws instead of curves.
        brain: the models are weights of voxels, drawn as maps of the brain too.
        clients: pictures of what single clients have (see `report.client_pictures`), drawn too.
        truth: by metric, the value of the ground truth, drawn as a line.
        sources: other places of the paper whose statements are about this figure, as the claims' `source` begins.
    """

    id: str
    about: str
    section: str | None = None
    of: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()
    theory: bool = False
    illustration: Literal["primal_averaging", "communication_savings"] | None = None
    caption: str = ""
    panels: tuple[Panel, ...] = ()
    against: Axis = "rounds"
    side_by_side: dict[str, str] = {}
    guides: tuple[Guide, ...] = ()
    table: Table | None = None
    scatter: Scatter | None = None
    brain: bool = False
    clients: tuple[Literal["accuracies", "weights", "entropies"], ...] = ()
    truth: dict[str, float] = {}
    sources: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        return self.id.lower().replace(" ", "-")

    @property
    def is_made(self) -> bool:
        """Whether there is something to see without any run."""
        return self.illustration is not None or self.table is not None

    @property
    def is_sensitivity(self) -> bool:
        """Whether it draws scores against hyper-parameters."""
        return any(panel.along for panel in self.panels)

    @property
    def is_over_settings(self) -> bool:
        """Whether it draws last values against settings."""
        return any(panel.over for panel in self.panels)

    @property
    def measures(self) -> tuple[Panel, ...]:
        """One panel for each of its metrics."""
        return tuple({(panel.metric, panel.split): panel for panel in reversed(self.panels)}.values())[::-1]

    def panels_of(self, experiment: str) -> tuple[Panel, ...]:
        """Those that are in the picture of the experiment with this id."""
        return tuple(panel for panel in self.panels if not panel.of or experiment in panel.of)


class Section(Strict):
    """A section of the paper: its heading, and what is asked and set up in it, in our words."""

    id: str
    title: str
    lead: str


class Paper(Strict):
    """One paper; `code` is the authors' repository."""

    id: str
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    link: str
    code: str | None = None
    about: str
    sections: tuple[Section, ...] = ()
    figures: tuple[Figure, ...]

    @model_validator(mode="after")
    def _sections_known(self) -> Paper:
        known = [section.id for section in self.sections]
        for figure in self.figures:
            if figure.section is not None and figure.section not in known:
                raise ValueError(f"the 'section' of {figure.id} is '{figure.section}', not one of {', '.join(known)}")
        return self

    def figure(self, name: str) -> Figure:
        """The figure of that id.

        Raises:
            AtlasError: if there is none; lists those that are.
        """
        for figure in self.figures:
            if figure.id == name:
                return figure
        raise AtlasError(f"{self.id} has no '{name}'; there are: {', '.join(figure.id for figure in self.figures)}.")

    def experiments(self, figure: Figure, experiments: Mapping[str, Experiment]) -> list[Experiment]:
        """The experiments whose runs one of the paper's figures shows, those that name it first."""
        mine = [experiment for experiment in experiments.values() if experiment.paper == self.id]
        borrowed = [e for id in figure.of for e in mine if e.id == id and e.figure != figure.id]
        return [e for e in mine if e.figure == figure.id] + borrowed

    def showing(self, experiment: Experiment) -> list[Figure]:
        """The figures that show an experiment's runs, each with panels to draw, the experiment's own first."""
        own = self.figure(experiment.figure)
        others = [figure for figure in self.figures if figure is not own and experiment.id in figure.of]
        return [self.with_panels(figure, experiment) for figure in (own, *others)]

    def with_panels(self, figure: Figure, experiment: Experiment) -> Figure:
        """The figure with the panels that show the experiment, those of the experiment's own figure if it has none."""
        own = self.figure(experiment.figure)
        borrowed = {} if figure.panels else {"truth": own.truth, "against": own.against}
        panels = (figure if figure.panels else own).panels_of(experiment.id)
        return figure.model_copy(update=borrowed | {"panels": panels})


def load_papers(folder: Path, experiments: Mapping[str, Experiment], paper: str = "*") -> list[Paper]:
    """The papers of config/papers, those with experiments first, else by year; one alone if it is given.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong, or an experiment that makes a figure which
            its paper does not list, or lists without saying what to draw.
    """
    papers = [
        validate(read_yaml(path) | {"id": path.stem}, Paper, path) for path in sorted(folder.glob(f"{paper}.yaml"))
    ]
    _check_figures(papers, experiments.values(), folder)
    made = {experiment.paper for experiment in experiments.values()}
    return sorted(papers, key=lambda paper: (paper.id not in made, paper.year, paper.id))


def _check_figures(papers: Iterable[Paper], experiments: Iterable[Experiment], folder: Path) -> None:
    figures = {(paper.id, figure.id): figure for paper in papers for figure in paper.figures}
    for experiment in experiments:
        figure = figures.get((experiment.paper, experiment.figure))
        file = folder / f"{experiment.paper}.yaml"
        if figure is None:
            raise AtlasError(f"{file}: 'figures' has no '{experiment.figure}', which {experiment.key} makes; add it.")
        if not figure.panels_of(experiment.id):
            raise AtlasError(f"{file}: '{figure.id}' has no 'panels', the metrics to draw of {experiment.key}.")
