"""The paper's figure: one panel per metric, one colour per algorithm, the selected configuration of each."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.report import frames
from fedatlas.report.figures import scales
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Figure, Panel


def draw(evidence: Evidence, key: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """Every panel of the figure over the rounds; call inside `theme.style`.

    With several seeds the line is their mean, the band spans them all and every seed is drawn thin. Baselines that do
    not communicate appear as the dashed level at which they end, the ground truth as a dotted one.
    """
    columns = 3 if columns > 1 and len(figure.panels) == 3 else columns
    rows = -(-len(figure.panels) // columns)
    width, height = (8.6 / columns, 2.7) if columns > 1 else (4.2, 2.5)
    canvas, axes = plt.subplots(
        rows, columns, figsize=(columns * width, rows * height + 0.4), squeeze=False, layout="constrained"
    )
    runs, levels = frames.federated(evidence, key), frames.baselines(evidence, key)
    palette = {name: theme.readable(colour) for name, colour in (frames.colours(runs) | frames.colours(levels)).items()}
    for axis, panel in zip(axes.flat, figure.panels, strict=False):
        lines = frames.best_curves(runs, panel)
        ends = {name: frames.last_value(by_seed, panel) for name, by_seed in levels.items()}
        _lines(axis, lines, palette)
        for name, end in ends.items():
            axis.axhline(end, color=palette[name], linestyle=(0, (5, 3)), linewidth=1.1)
        if panel.metric in figure.truth:
            axis.axhline(figure.truth[panel.metric], color=theme.faint, linestyle=":", linewidth=1.3)
        if scales.is_log([*lines["value"], *ends.values()], panel):
            axis.set_yscale("log")
        _label(axis, panel)
    for axis in axes.flat[len(figure.panels) :]:
        axis.remove()
    _legend(canvas, axes.flat[0], runs, levels, palette, bool(figure.truth), theme, columns)
    return canvas


def _lines(axis: plt.Axes, data: pd.DataFrame, palette: dict[str, str]) -> None:
    for algorithm, rows in data.groupby("algorithm", sort=False):
        by_seed, colour = rows.pivot(index="round", columns="seed", values="value"), palette[algorithm]
        if by_seed.shape[1] > 1:
            least, greatest = by_seed.min(axis=1), by_seed.max(axis=1)
            axis.fill_between(by_seed.index, least, greatest, color=colour, alpha=0.2, linewidth=0)
            axis.plot(by_seed, color=colour, linewidth=0.5, alpha=0.5)
        axis.plot(by_seed.mean(axis=1, skipna=False), color=colour, linewidth=1.9)


def _label(axis: plt.Axes, panel: Panel) -> None:
    name = panel.name[0].upper() + panel.name[1:]
    axis.set(title=name, xlabel="round", ylabel="")
    axis.margins(x=0.01)
    if scales.is_fraction(panel) and axis.get_ylim()[1] > 0.6:  # show its whole range
        axis.set_ylim(-0.02, 1.04)


def sketch(evidence: Evidence, key: str, figure: Figure, theme: Theme) -> plt.Figure:
    """The lines of the first panel alone, to be known again when small; call inside `theme.style`."""
    runs, panel = frames.federated(evidence, key), figure.panels[0]
    lines = frames.best_curves(runs, panel)
    canvas, axis = plt.subplots(figsize=(2.2, 1.1), layout="constrained")
    _lines(axis, lines, {name: theme.readable(colour) for name, colour in frames.colours(runs).items()})
    if scales.is_log(lines["value"], panel):
        axis.set_yscale("log")
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
    axis.minorticks_off()
    return canvas


def _legend(canvas, axis, runs, levels, palette, truth: bool, theme: Theme, columns: int) -> None:
    handles = [axis.plot([], [], color=palette[name], linewidth=2.2)[0] for name in runs]
    handles += [axis.plot([], [], color=palette[name], linestyle=(0, (4, 2)), linewidth=1.3)[0] for name in levels]
    labels = [*frames.names(runs).values(), *(f"{name}, where it ends" for name in frames.names(levels).values())]
    if truth:
        handles.append(axis.plot([], [], color=theme.faint, linestyle=":", linewidth=1.5)[0])
        labels.append("truth")
    rows = math.ceil(sum(map(len, labels)) / 85) if columns > 1 else math.ceil(len(labels) / 2)
    per_row = math.ceil(len(labels) / rows)
    canvas.legend(handles, labels, loc="outside upper left", ncols=per_row, labelcolor=theme.ink, handlelength=1.6)
