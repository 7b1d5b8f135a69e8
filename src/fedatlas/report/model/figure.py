"""One figure or table of a paper: what it shows, and of which experiments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from fedatlas.config import ONCE, REAL, Names, Number, Strict, Whole
from fedatlas.report.model.kinds import ClientsKind, OverviewKind, TableKind, ViewKind
from fedatlas.results.axes import Axis
from fedatlas.results.metric import Metric


class Panel(Metric):
    """A metric over the rounds, or against a hyper-parameter or a setting.

    Attributes:
        scale: without it the numbers decide, logarithmic where they span decades.
        near: the axis spans what was measured after the first quarter of the rounds, even of a fraction.
        title: what it shows besides its metric.
        algorithms: those that it shows; all of the figure if not given.
        along: a hyper-parameter, against which the score of the sweep is drawn, the best over all others of the grid;
            of the algorithms that vary it.
        over: a setting (see `views.by_setting`), against which the last value is drawn, of the entries that run the
            same algorithm with different ones.
        of: ids of the experiments in whose pictures it is; all if not given.
        kind: the file of `report.views` that draws it, where no other key says so; curves if not given.
    """

    scale: Literal["linear", "log"] | None = None
    near: bool = False
    title: str | None = None
    algorithms: Names = ()
    along: str | None = None
    over: Literal["participation", "components", "labelled"] | None = None
    of: Names = ()
    kind: ViewKind | None = None

    @property
    def view(self) -> str:
        """The kind of picture that it is: the name of a file in `report.views`."""
        return self.kind or ("sensitivity" if self.along else "by_setting" if self.over else "curves")

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
    rounds: Annotated[tuple[Whole, ...], Field(min_length=1), ONCE]
    product: tuple[Number, Number] | None = None


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
    rho: Annotated[float, Field(ge=0, le=1), REAL] | Literal["selected"] | None = None
    run: str | None = None
    of: Names = ()

    @model_validator(mode="after")
    def _rate_given(self) -> Guide:
        if (self.rho is None) == (self.kind == "linear_rate"):
            raise ValueError("give 'rho' with the kind 'linear_rate', and only with it")
        return self


class Table(Strict):
    """A table that is made from the paper's own numbers, with ours beside them.

    Attributes:
        kind: what makes it, the name of a file in `report.tables`.
        source: the file of config/paper_results that holds the paper's part.
        cells: under which key its rows stand there.
        columns: the headings of the paper's columns, by their names there.
        parts: of a table of scores, by the names that the parts of a cell have there, our metrics; a cell is one number
            of the first panel's metric if not given.
        ours: ids of the experiments' algorithms that a row is about, by its `algorithm`; by their names if not given.
        of: by the heading that each gets, or the paper's name of the data, ids of the experiments whose runs are ours.
        beside: by the paper's name of the data, or a variant's id, an experiment whose runs fill what is empty.
        variants: by the paper's name of the data, further experiments, with a row of their own each.
        reach: the metric's value until which communications and gradient evaluations are counted.
        note: what the reader must know of the numbers.
    """

    kind: TableKind
    source: str
    cells: str = "cells"
    columns: Annotated[dict[str, str], Field(min_length=1)]
    parts: dict[str, Metric] = {}
    ours: dict[str, tuple[str, ...]] = {}
    of: dict[str, str] = {}
    beside: dict[str, str] = {}
    variants: dict[str, tuple[str, ...]] = {}
    reach: Number | None = None
    note: str = ""

    @model_validator(mode="after")
    def _reach_given(self) -> Table:
        if (self.reach is None) == (self.kind == "costs_to_accuracy"):
            raise ValueError("give 'reach' with the kind 'costs_to_accuracy', and only with it")
        return self


def anchor(id: str) -> str:
    """Where a figure stands on its paper's page, and what its files are called: 'figure-3' for 'Figure 3'."""
    return id.lower().replace(" ", "-")


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
        illustration: the view that draws it, for which nothing has to be run.
        caption: what was set up, in our words.
        panels: the metrics it draws, one panel each; those of the figure that it shares runs with if not given.
        against: what they are drawn against.
        side_by_side: by id, the titles of the experiments that are its panels as the paper lays them out; each has a
            picture of its own too.
        guides: rates of the theory, drawn in the first panel.
        table: what stands in it, if it is made from numbers.
        scatter: what it draws instead of curves.
        brain: the models are weights of voxels, drawn as maps of the brain too.
        clients: pictures of what single clients have (see `views.client_*`), drawn too.
        truth: by metric, the value of the ground truth, drawn as a line.
        sources: other places of the paper whose statements are about this figure, as the claims' `source` begins.
    """

    id: str
    about: str
    section: str | None = None
    of: Names = ()
    algorithms: Names = ()
    theory: bool = False
    illustration: OverviewKind | None = None
    caption: str = ""
    panels: tuple[Panel, ...] = ()
    against: Axis = "rounds"
    side_by_side: dict[str, str] = {}
    guides: tuple[Guide, ...] = ()
    table: Table | None = None
    scatter: Scatter | None = None
    brain: bool = False
    clients: tuple[ClientsKind, ...] = ()
    truth: dict[str, Number] = {}
    sources: Names = ()

    @property
    def anchor(self) -> str:
        return anchor(self.id)

    @property
    def is_made(self) -> bool:
        """Whether there is something to see without any run."""
        return self.illustration is not None or self.table is not None

    @property
    def view(self) -> str:
        """The kind of its picture: the name of a file in `report.views`."""
        if self.scatter:
            return "scatter"
        kinds = {panel.view for panel in self.panels}
        return kinds.pop() if len(kinds) == 1 else "curves"

    @property
    def views(self) -> list[str]:
        """The kinds of all its pictures of one experiment."""
        brain = ["brain"] if self.brain else []
        return [self.view, *(f"client_{what}" for what in self.clients), *brain]

    @property
    def measures(self) -> tuple[Panel, ...]:
        """One panel for each of its metrics."""
        return tuple({(panel.metric, panel.split): panel for panel in reversed(self.panels)}.values())[::-1]

    def panels_of(self, experiment: str) -> tuple[Panel, ...]:
        """Those that are in the picture of the experiment with this id."""
        return tuple(panel for panel in self.panels if not panel.of or experiment in panel.of)
