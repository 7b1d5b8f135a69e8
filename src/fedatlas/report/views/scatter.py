"""Every configuration of the sweep as a dot: one metric against another, one panel for each of some rounds."""

from __future__ import annotations

from typing import cast

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.claims.quantities.over_grid import within
from fedatlas.formatting import hyperparameter_name, listed, number
from fedatlas.lazy import alt
from fedatlas.report.drawing import panels, vega
from fedatlas.report.drawing.legend import LegendEntry, legend_above, room_above
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.model.figure import Scatter as Plan
from fedatlas.report.views._base import Explorer, View
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run

HEIGHT = 2.7  # inches of a panel


class Scatter(View):
    """One metric of the sweep's configurations against another."""

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """Columns algorithm, configuration, round, x, y and the rates; what has diverged is left out."""
        runs = results.federated
        parts = [_dots(runs.sweep_run(name), _plan(figure)).assign(algorithm=name) for name in runs.runs]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["algorithm", "round"])

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return self.table(results, figure)["round"].nunique()

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        """One panel per round, all with the same axes."""
        table, plan = self.table(results, figure), _plan(figure)
        names, rounds = results.federated.names, sorted(table["round"].unique())
        palette = {id: theme.readable(results.colours[id]) for id in names}
        entries = [LegendEntry(name, palette[id], marker="o") for id, name in names.items()]
        size = panels.fitted(columns, len(rounds))
        canvas, axes = panels.grid(len(rounds), size, HEIGHT, room_above(entries, size.width), left=0.6)
        for place, number_ in enumerate(rounds):
            axis = axes.flat[place]
            for id, rows in table[table["round"] == number_].groupby("algorithm", sort=False):
                axis.scatter(rows["x"], rows["y"], s=20, alpha=0.75, linewidths=0, color=palette[id])
            axis.set(title=f"After round {number_}", xlabel=plan.x.name)
            axis.set_ylabel(plan.y.name if place % size.columns == 0 else "")
            if place:
                axis.sharex(axes.flat[0])
                axis.sharey(axes.flat[0])
        legend_above(canvas, entries, theme, size.width)
        return canvas

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        table, plan, names = self.table(results, figure), _plan(figure), results.names
        last = table[table["round"] == table["round"].max()].groupby("algorithm")[["x", "y"]].median()
        medians = [
            f"{names[id]} {plan.x.name} {number(row.x)}, {plan.y.name} {number(row.y)}" for id, row in last.iterrows()
        ]
        rounds = listed(map(str, sorted(table["round"].unique())))
        return (
            f"Dots of {plan.y.name} against {plan.x.name} of every configuration after rounds {rounds}. "
            f"Medians at the last: {'; '.join(medians)}."
        )

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        bounds = _plan(figure).product
        which = f" whose rates multiply to between {number(bounds[0])} and {number(bounds[1])}" if bounds else ""
        return f"Each dot is one configuration of the sweep{which}. Configurations that diverged are left out."

    def chart(self, results: ExperimentResults, figure: Figure) -> Explorer:
        names = results.federated.names
        colours = {name: vega.style_colour(results.colours[id]) for id, name in names.items()}
        table = self.table(results, figure).replace({"algorithm": names})
        rounds = sorted(table["round"].unique().tolist(), reverse=True)
        choices = [("after round", "after", [(number_, str(number_)) for number_ in rounds])]
        plan = _plan(figure)
        return vega.explorer(_chart(table, plan, colours, rounds[0]), choices, colours, plan.x.name, plan.y.name)


def _plan(figure: Figure) -> Plan:
    """What is drawn of the figure, which every figure of this kind says."""
    return cast(Plan, figure.scatter)


def _dots(run: Run, plan: Plan) -> pd.DataFrame:
    columns = {name: _column(run, panel) for name, panel in (("x", plan.x), ("y", plan.y))}
    table = pd.DataFrame(columns).dropna().reset_index()
    grid = pd.DataFrame(run.grid).rename_axis("configuration").reset_index()
    if plan.product is not None:
        products = grid.drop(columns="configuration").prod(axis=1)
        grid = grid[[within(product, plan.product) for product in products]]
    return table[table["round"].isin(_rounds(run, plan))].merge(grid, on="configuration")


def _column(run: Run, panel: Panel) -> pd.Series:
    return run.curves(panel.metric, panel.split).set_index(["configuration", "round"])["value"]


def _rounds(run: Run, plan: Plan) -> list[int]:
    """The rounds that were evaluated; the last one too where the run ended before the last of them."""
    evaluated = set(run.curves(plan.x.metric, plan.x.split)["round"])
    last = max(evaluated)
    return [r for r in plan.rounds if r in evaluated] + ([last] if last < max(plan.rounds) else [])


def _chart(table: pd.DataFrame, plan: Plan, colours: dict[str, str], last: int) -> alt.Chart:
    rates = [name for name in table if name.endswith("_lr")]
    tooltip = [
        alt.Tooltip("algorithm:N"),
        *(alt.Tooltip(f"{name}:Q", title=hyperparameter_name(name)) for name in rates),
        alt.Tooltip("x:Q", title=plan.x.name, format=".4~g"),
        alt.Tooltip("y:Q", title=plan.y.name, format=".4~g"),
    ]
    rows = table.drop(columns="configuration").assign(x=table["x"].map(vega.rounded), y=table["y"].map(vega.rounded))
    return (
        alt.Chart(rows)
        .transform_filter("datum.round == after && indexof(hidden, datum.algorithm) < 0")
        .mark_point(filled=True, size=80, opacity=0.8)
        .encode(
            x=alt.X("x:Q", title=None).scale(zero=False, nice=True),
            y=alt.Y("y:Q", title=None).scale(zero=False, nice=True),
            color=vega.colour(colours),
            tooltip=tooltip,
        )
        .add_params(*vega.parameters({"after": last}))
    )
