"""Sensitivity: the score against a hyper-parameter, or how much an algorithm loses by a value that is not tuned."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import cast

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.formatting import hyperparameter_name, number
from fedatlas.lazy import alt
from fedatlas.report.drawing import vega
from fedatlas.report.drawing.axis_scales import is_log, set_log
from fedatlas.report.drawing.legend import LegendEntry
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure, Panel
from fedatlas.report.views._base import Explorer
from fedatlas.report.views._panels import PanelView
from fedatlas.results.collection import ExperimentResults

ROOM = 26  # letters of all tick labels that stand side by side
RATES = {"server_lr": "server rate η_g", "client_lr": "client rate η_l"}


class Sensitivity(PanelView):
    """The score of the sweep against one hyper-parameter, all others at their best."""

    def panel_table(self, results: ExperimentResults, figure: Figure, panel: Panel) -> pd.DataFrame:
        """Columns algorithm and those of `ExperimentResults.sensitivity`, for algorithms whose sweep varies it."""
        varying = _varying(results, panel)
        parts = [varying.sensitivity(name, _along(panel)).assign(algorithm=name) for name in varying.runs]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["algorithm"])

    def entries(self, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme) -> list[LegendEntry]:
        varying = _varying(results, panel)
        return [LegendEntry(name, theme.readable(varying.colours[id])) for id, name in varying.names.items()]

    def draw_panel(
        self, axis: plt.Axes, results: ExperimentResults, figure: Figure, panel: Panel, theme: Theme
    ) -> None:
        """The mean over the seeds of every algorithm; the band spans them."""
        table = self.panel_table(results, figure, panel)
        places = positions(table["value"])
        for algorithm, rows in table.groupby("algorithm", sort=False):
            x, colour = rows["value"].map(places), theme.readable(results.colours[algorithm])
            if (rows["greatest"] > rows["least"]).any():
                axis.fill_between(x, rows["least"], rows["greatest"], color=colour, alpha=0.2, linewidth=0)
            axis.plot(x, rows["score"], color=colour, linewidth=1.9, marker="o", markersize=3.5)
        if is_log(table["score"], panel):
            set_log(axis)
        axis.set(title=panel.heading, xlabel=symbol(_along(panel)), ylabel="")
        _ticks(axis, places)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        panels = []
        for panel in figure.panels:
            curves = [
                f"{results.names[id]} {', '.join(f'{number(r.value)}: {number(r.score)}' for r in rows.itertuples())}"
                for id, rows in self.panel_table(results, figure, panel).groupby("algorithm", sort=False)
            ]
            panels.append(f"Lines of {panel.name} against {symbol(_along(panel))}: {'; '.join(curves)}")
        return f"{'. '.join(panels)}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        return (
            "Each point is the best score at that value, all other hyper-parameters tuned; bands span the seeds. "
            "Values at which every configuration diverged on some seed are left out."
        )

    def chart(self, results: ExperimentResults, figure: Figure) -> Explorer:
        parts = [self.panel_table(results, figure, panel).assign(against=panel.along) for panel in figure.panels]
        table = pd.concat(parts, ignore_index=True)
        colours = {results.names[id]: vega.style_colour(results.colours[id]) for id in table["algorithm"].unique()}
        rows = pd.DataFrame(
            {
                "algorithm": table["algorithm"].map(results.names),
                "against": table["against"],
                "place": table["value"],
                "setting": table["value"].map(number),
                "score": table["score"].map(vega.rounded),
            }
        )
        scale = "log" if is_log(rows["score"].dropna(), figure.panels[0]) else "linear"
        along = {_along(panel): symbol(_along(panel)) for panel in figure.panels}
        choices = [("against", "along", [*along.items()]), vega.scale_choice(scale)]
        start = {"along": next(iter(along)), "scale": scale, "metric": "score"}
        x = alt.X("setting:N", title=None).sort(field="place").axis(labelAngle=0)
        chart = vega.lines(rows, "datum.against == along", x, colours, start)
        titles = (vega.Title("along", along), figure.panels[0].name)
        return vega.explorer(chart, choices, colours, *titles)


def _along(panel: Panel) -> str:
    """The panel's hyper-parameter, which every panel of this kind has."""
    return cast(str, panel.along)


def _varying(results: ExperimentResults, panel: Panel) -> ExperimentResults:
    """The algorithms whose sweep tries several values of the panel's hyper-parameter."""
    shown = results.federated.holding(panel)
    return shown.only(
        lambda name: (
            (not panel.algorithms or name in panel.algorithms)
            and len(results.experiment.for_algorithm(name).sweep.get(_along(panel), ())) > 1
        )
    )


def positions(values: Iterable[float]) -> dict[float, float]:
    """Where values stand: at their logarithm, and zero before the least of the others, by a quarter of their range or
    a step, so that both labels have room."""
    distinct = sorted(set(values))
    places = {value: math.log10(value) for value in distinct if value > 0}
    least, most = min(places.values(), default=1.0), max(places.values(), default=1.0)
    zero = {0.0: least - max(1.0, (most - least) / 4)} if 0 in distinct else {}
    return zero | places


def _ticks(axis: plt.Axes, places: dict[float, float]) -> None:
    """Labels of all values if there is room for them, else of zero and the whole powers of ten."""
    whole = {value: place for value, place in places.items() if abs(place - round(place)) < 1e-6}
    shown = places if sum(len(_label(value)) for value in places) <= ROOM else whole
    axis.set_xticks(list(shown.values()), [_label(value) for value in shown])


def _label(value: float) -> str:
    """'0.001', '1e−6', '1e6'."""
    return re.sub(r"e\+?(−?)0*", r"e\1", number(value))


def symbol(name: str) -> str:
    """What figures call a hyper-parameter."""
    return RATES.get(name, hyperparameter_name(name))
