"""The paper's figure: one panel per metric, one colour per algorithm, the selected configuration of each."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.experiments.results import Axis
from fedatlas.report import frames
from fedatlas.report.figures import along, scales, settings
from fedatlas.report.figures.marks import Key
from fedatlas.report.figures.theme import Theme
from fedatlas.report.guides import Drawn, guides
from fedatlas.report.papers import Figure, Panel

LEVEL, GUIDE = (0, (5, 3)), (0, (2, 2))  # dashes of baselines, and of what is theory
RATES = {"linear_rate": GUIDE, "inverse_square": (0, (4, 1.5, 1, 1.5))}
EARLY, MARGIN = 0.25, 0.06  # the share of the rounds that an axis may leave out; its room, as a share of its span
PER_ROW, SAMPLE = 112, 7  # letters of a legend beside each other; what the line of an entry takes


def draw(evidence: Evidence, key: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """Every panel of the figure; call inside `theme.style`.

    With several seeds the line is their mean, the band spans them all and every seed is drawn thin. Baselines that do
    not communicate appear as the dashed level at which they end, the ground truth as a dotted one, rates of the theory
    as grey dashes.
    """
    wide, number = columns > 1, len(figure.panels)
    columns = 3 if wide and number == 3 else min(columns, number)
    rows = -(-number // columns)
    width, height = (8.6 / columns, 2.7 if number > 1 else 3.6) if wide else (4.2, 2.5)
    canvas, axes = plt.subplots(
        rows, columns, figsize=(columns * width, rows * height + 0.4), squeeze=False, layout="constrained"
    )
    keys: list[Key] = []
    for axis, panel in zip(axes.flat, figure.panels, strict=False):
        keys += draw_panel(axis, evidence, key, figure, panel, theme)
    for axis in axes.flat[number:]:
        axis.remove()
    legend(canvas, axes.flat[0], list(dict.fromkeys(keys)), theme, wide)
    return canvas


def draw_panel(
    axis: plt.Axes, evidence: Evidence, key: str, figure: Figure, panel: Panel, theme: Theme
) -> Sequence[Key]:
    """One panel of one experiment; returns what belongs into its legend."""
    if panel.along:
        return along.draw_panel(axis, evidence, key, panel, theme)
    if panel.over:
        return settings.draw_panel(axis, evidence, key, panel, theme)
    runs = frames.of_panel(frames.federated(evidence, key), panel)
    levels = frames.of_panel(frames.baselines(evidence, key), panel)
    palette = {name: theme.readable(colour) for name, colour in (frames.colours(runs) | frames.colours(levels)).items()}
    lines = frames.best_curves(runs, panel, figure.against)
    ends = {name: frames.last_value(by_seed, panel) for name, by_seed in levels.items()}
    _lines(axis, lines, palette)
    for name, end in ends.items():
        axis.axhline(end, color=palette[name], linestyle=LEVEL, linewidth=1.1)
    if panel.metric in figure.truth:
        axis.axhline(figure.truth[panel.metric], color=theme.faint, linestyle=":", linewidth=1.3)
    if scales.is_log([*lines["value"], *ends.values()], panel):
        axis.set_yscale("log", nonpositive="mask")
    first = panel is figure.panels[0]
    rates = _guides(axis, guides(evidence, key, figure, figure.against), theme) if first else []
    _label(axis, panel, figure.against)
    if panel.near:
        axis.set_ylim(_late(lines, ends.values()))
    return [
        *(Key(name, palette[algorithm]) for algorithm, name in frames.names(runs).items()),
        *(Key(f"{name}, where it ends", palette[level], LEVEL) for level, name in frames.names(levels).items()),
        *([Key("truth", theme.faint, ":")] if figure.truth else []),
        *rates,
    ]


def _lines(axis: plt.Axes, data: pd.DataFrame, palette: Mapping[str, str]) -> None:
    for algorithm, rows in data.groupby("algorithm", sort=False):
        by_seed, colour = rows.pivot(index="round", columns="seed", values="value"), palette[algorithm]
        places = rows.pivot(index="round", columns="seed", values="x")
        x = places.mean(axis=1)
        if by_seed.shape[1] > 1:
            least, greatest = by_seed.min(axis=1), by_seed.max(axis=1)
            axis.fill_between(x, least, greatest, color=colour, alpha=0.2, linewidth=0)
            axis.plot(places, by_seed, color=colour, linewidth=0.5, alpha=0.5)
        axis.plot(x, by_seed.mean(axis=1, skipna=False), color=colour, linewidth=1.9)


def _guides(axis: plt.Axes, drawn: Sequence[Drawn], theme: Theme) -> list[Key]:
    """The rates, cut where they leave the range of what was measured."""
    low, high = axis.get_ylim()
    for guide in drawn:
        dash = RATES[guide.kind]
        axis.plot(guide.curve["x"], guide.curve["value"], color=theme.faint, linestyle=dash, linewidth=1.2, zorder=1.5)
    axis.set_ylim(low, high)
    return [Key(guide.name, theme.faint, RATES[guide.kind]) for guide in drawn]


def _label(axis: plt.Axes, panel: Panel, against: Axis) -> None:
    axis.set(title=panel.heading, xlabel=frames.AXIS_NAMES[against], ylabel="")
    axis.margins(x=0.01)
    if scales.is_fraction(panel) and not panel.near and axis.get_ylim()[1] > 0.6:  # show its whole range
        axis.set_ylim(-0.02, 1.04)


def _late(lines: pd.DataFrame, levels: Collection[float]) -> tuple[float | None, float | None]:
    """What the curves, but for their beginning, and the levels span, so that they can be told apart; of one all."""
    if lines["algorithm"].nunique() + len(levels) < 2:
        return None, None
    values = pd.Series([*lines[lines["round"] >= EARLY * lines["round"].max()]["value"], *levels], dtype=float)
    least, greatest = values.min(), values.max()
    room = MARGIN * (greatest - least)
    return (least - room, greatest + room) if room > 0 else (None, None)


def sketch(evidence: Evidence, key: str, figure: Figure, theme: Theme) -> plt.Figure:
    """The lines of the first panel alone, to be known again when small; call inside `theme.style`."""
    panel = figure.panels[0]
    runs = frames.of_panel(frames.federated(evidence, key), panel)
    lines = frames.best_curves(runs, panel, figure.against)
    canvas, axis = plt.subplots(figsize=(2.2, 1.1), layout="constrained")
    _lines(axis, lines, {name: theme.readable(colour) for name, colour in frames.colours(runs).items()})
    if scales.is_log(lines["value"], panel):
        axis.set_yscale("log", nonpositive="mask")
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axis.minorticks_off()
    return canvas


def handle(axis: plt.Axes, key: Key) -> plt.Line2D:
    """The sample line of a legend's entry."""
    return axis.plot([], [], color=key.colour, linestyle=key.dash, linewidth=2.2 if key.dash == "-" else 1.4)[0]


def legend(canvas: plt.Figure, axis: plt.Axes, keys: Sequence[Key], theme: Theme, wide: bool) -> None:
    """Above all panels, in as few rows as fit; none where nothing is drawn."""
    if not keys:
        return
    names = [key.name for key in keys]
    rows = math.ceil(sum(SAMPLE + len(name) for name in names) / PER_ROW) if wide else math.ceil(len(names) / 2)
    canvas.legend(
        [handle(axis, key) for key in keys], names, loc="outside upper left", ncols=math.ceil(len(names) / rows),
        labelcolor=theme.ink, handlelength=1.6,
    )  # fmt: skip
