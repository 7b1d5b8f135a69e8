"""The paper's figure: one panel per metric, one colour per algorithm, the selected configuration of each."""

from __future__ import annotations

import matplotlib.pyplot as plt
import seaborn as sns

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.quantities import Metric
from fedatlas.report import frames
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Figure


def draw(evidence: Evidence, key: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """Every panel of the figure over the rounds; call inside `theme.style`.

    With several seeds the line is their mean, the band spans them all and every seed is drawn thin. Baselines that do
    not communicate appear as the dashed level at which they end, the ground truth as a dotted one.
    """
    rows = -(-len(figure.panels) // columns)
    width, height = (4.3, 2.7) if columns > 1 else (4.2, 2.5)
    canvas, axes = plt.subplots(
        rows, columns, figsize=(columns * width, rows * height + 0.4), squeeze=False, layout="constrained"
    )
    runs, levels = frames.federated(evidence, key), frames.baselines(evidence, key)
    palette = {name: theme.readable(colour) for name, colour in (frames.colours(runs) | frames.colours(levels)).items()}
    for axis, panel in zip(axes.flat, figure.panels, strict=False):
        _lines(axis, frames.best_curves(runs, panel), palette)
        for name, by_seed in levels.items():
            axis.axhline(frames.last_value(by_seed, panel), color=palette[name], linestyle=(0, (5, 3)), linewidth=1.1)
        if panel.metric in figure.truth:
            axis.axhline(figure.truth[panel.metric], color=theme.faint, linestyle=":", linewidth=1.3)
        _label(axis, panel)
    for axis in axes.flat[len(figure.panels) :]:
        axis.remove()
    _legend(canvas, axes.flat[0], runs, levels, palette, bool(figure.truth), theme, columns)
    return canvas


def _lines(axis: plt.Axes, data, palette: dict[str, str]) -> None:
    order = list(dict.fromkeys(data["algorithm"]))
    shared = {"data": data, "x": "round", "y": "value", "hue": "algorithm", "hue_order": order, "palette": palette}
    if data["seed"].nunique() > 1:
        sns.lineplot(**shared, units="seed", estimator=None, linewidth=0.5, alpha=0.5, legend=False, ax=axis)
    sns.lineplot(**shared, estimator="mean", errorbar=("pi", 100), linewidth=1.9, legend=False, ax=axis)


def _label(axis: plt.Axes, panel: Metric) -> None:
    name = panel.name[0].upper() + panel.name[1:]
    axis.set(title=name, xlabel="round", ylabel="")
    axis.margins(x=0.01)
    if panel.split == "model" and 0.6 < axis.get_ylim()[1] <= 1.2:  # a score or a fraction: show its whole range
        axis.set_ylim(-0.02, 1.04)


def _legend(canvas, axis, runs, levels, palette, truth: bool, theme: Theme, columns: int) -> None:
    handles = [axis.plot([], [], color=palette[name], linewidth=2.2)[0] for name in runs]
    handles += [axis.plot([], [], color=palette[name], linestyle=(0, (4, 2)), linewidth=1.3)[0] for name in levels]
    labels = [*frames.names(runs).values(), *(f"{name}, where it ends" for name in frames.names(levels).values())]
    if truth:
        handles.append(axis.plot([], [], color=theme.faint, linestyle=":", linewidth=1.5)[0])
        labels.append("truth")
    per_row = len(labels) if columns > 1 else 2
    canvas.legend(handles, labels, loc="outside upper left", ncols=per_row, labelcolor=theme.ink, handlelength=1.6)
