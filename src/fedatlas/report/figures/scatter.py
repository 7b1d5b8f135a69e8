"""Every configuration of the sweep as a dot: one metric against another, one panel for each of some rounds."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.claims.evidence import Evidence
from fedatlas.experiments.results import Run, curves
from fedatlas.report import frames
from fedatlas.report.figures.theme import Theme
from fedatlas.report.papers import Figure, Panel, Scatter

SLACK = 1e-6  # of a product of rates, which are rounded


def dots(evidence: Evidence, key: str, figure: Figure) -> pd.DataFrame:
    """Columns algorithm, configuration, round, x, y and the rates; configurations that have diverged are left out."""
    parts = [
        _of_run(frames.sweep_run(by_seed), figure.scatter).assign(algorithm=algorithm)
        for algorithm, by_seed in frames.federated(evidence, key).items()
    ]
    return pd.concat(parts, ignore_index=True)


def _of_run(run: Run, scatter: Scatter) -> pd.DataFrame:
    columns = {name: _column(run, panel) for name, panel in (("x", scatter.x), ("y", scatter.y))}
    table = pd.DataFrame(columns).dropna().reset_index()
    grid = pd.DataFrame(run.manifest["configurations"]).rename_axis("configuration").reset_index()
    if scatter.product is not None:
        low, high = scatter.product
        product = grid.drop(columns="configuration").prod(axis=1)
        grid = grid[product.between(low * (1 - SLACK), high * (1 + SLACK))]
    return table[table["round"].isin(_rounds(run, scatter))].merge(grid, on="configuration")


def _column(run: Run, panel: Panel) -> pd.Series:
    return curves(run.table, panel.metric, panel.split).set_index(["configuration", "round"])["value"]


def _rounds(run: Run, scatter: Scatter) -> list[int]:
    """The rounds that were evaluated; the last one too where the run ended before the last of them."""
    evaluated = set(curves(run.table, scatter.x.metric, scatter.x.split)["round"])
    last = max(evaluated)
    return [r for r in scatter.rounds if r in evaluated] + ([last] if last < max(scatter.rounds) else [])


def draw(evidence: Evidence, key: str, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
    """One panel per round; call inside `theme.style`."""
    table, runs = dots(evidence, key, figure), frames.federated(evidence, key)
    rounds = sorted(table["round"].unique())
    columns = 3 if columns > 1 and len(rounds) == 3 else min(columns, len(rounds))
    rows = math.ceil(len(rounds) / columns)
    width, height = (8.6 / columns, 2.7) if columns > 1 else (4.2, 2.5)
    canvas, axes = plt.subplots(
        rows, columns, figsize=(columns * width, rows * height + 0.4), squeeze=False, layout="constrained",
        sharex=True, sharey=True,
    )  # fmt: skip
    palette = {name: theme.readable(colour) for name, colour in frames.colours(runs).items()}
    for axis, number in zip(axes.flat, rounds, strict=False):
        for algorithm, rows_ in table[table["round"] == number].groupby("algorithm", sort=False):
            axis.scatter(rows_["x"], rows_["y"], s=20, alpha=0.75, linewidths=0, color=palette[algorithm])
        axis.set(title=f"After round {number}")
    for axis in axes.flat[len(rounds) :]:
        axis.remove()
    _label(axes, figure.scatter)
    handles = [plt.Line2D([], [], marker="o", linestyle="", color=palette[name]) for name in runs]
    canvas.legend(
        handles, [*frames.names(runs).values()], loc="outside upper left", ncols=len(runs) if columns > 1 else 2,
        labelcolor=theme.ink, handlelength=1,
    )  # fmt: skip
    return canvas


def _label(axes, scatter: Scatter) -> None:
    for axis in axes[-1]:
        axis.set_xlabel(scatter.x.name)
    for axis in axes[:, 0]:
        axis.set_ylabel(scatter.y.name)
