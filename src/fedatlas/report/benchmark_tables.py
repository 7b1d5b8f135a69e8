"""Tables of a benchmark: the last scores of methods on several data sets, and the hyper-parameters that they chose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fedatlas.claims.evidence import Evidence, curve
from fedatlas.claims.quantities import Metric
from fedatlas.claims.words import number
from fedatlas.experiments.results import Run
from fedatlas.experiments.spec import Experiment
from fedatlas.report import frames
from fedatlas.report.figures.scales import is_fraction
from fedatlas.report.papers import Paper, Table

NONE = "–"
PERCENT = 100
BOLD = 0.5  # points from the best one of a row
Score = tuple[str, float]  # as it is written, and its mean
Scores = dict[str, Score]  # by algorithm


def scored(paper: Paper, table: Table, cells: Mapping[str, Mapping[str, Any]], evidence: Evidence) -> list[dict]:
    """The rows of a table of scores in per cent: the paper's for each data set, and ours below where it was run.

    Returns:
        By row: data, whose, cells (by the paper's name of the algorithm) and bold, those within half a point of the
        row's best one.
    """

    def ours(id: str, by_seed: Mapping[int, Run]) -> Score | None:
        panels = [*table.parts.values()] or [paper.figure(evidence.known[f"{paper.id}/{id}"].figure).panels_of(id)[0]]
        return _last(by_seed, panels) if frames.holds(by_seed, panels[0]) else None

    return [row | {"bold": _near_best(row["scores"])} for row in _rows(paper, table, cells, evidence, _printed, ours)]


def rates(paper: Paper, table: Table, cells: Mapping[str, Mapping[str, Any]], evidence: Evidence) -> list[dict]:
    """The same of decimal logarithms of client rates, without bold ones."""

    def printed(cell: float, table: Table) -> Score:
        return number(cell), cell

    def ours(id: str, by_seed: Mapping[int, Run]) -> Score | None:
        return _chosen(by_seed, "client_lr"), math.nan

    return [row | {"bold": set()} for row in _rows(paper, table, cells, evidence, printed, ours)]


def _rows(paper: Paper, table: Table, cells: Mapping, evidence: Evidence, printed, ours) -> list[dict[str, Any]]:
    """By row: data, whose, scores and cells, both by the paper's name of the algorithm."""
    rows = []
    for data, values in cells.items():
        rows.append(_row(data, "paper", {name: printed(value, table) for name, value in values.items()}))
        for id in (*([table.of[data]] if data in table.of else []), *table.variants.get(data, ())):
            key = f"{paper.id}/{id}"
            if key in evidence.runs:
                found = _ours(paper, table, id, evidence, ours)
                if data in table.beside and id == table.of.get(data):
                    found = _ours(paper, table, table.beside[data], evidence, ours) | found
                rows.append(_row("", _whose(table, data, id, evidence.experiments[key], evidence.runs[key]), found))
    return rows


def _row(data: str, whose: str, scores: Scores) -> dict[str, Any]:
    return {"data": data, "whose": whose, "scores": scores, "cells": {name: text for name, (text, _) in scores.items()}}


def _whose(table: Table, data: str, id: str, experiment: Experiment, runs: frames.Runs) -> str:
    words = f"{experiment.scale} scale, {frames.data_kind(runs)}"
    return f"{words}: {experiment.title[0].lower()}{experiment.title[1:]}" if id != table.of.get(data) else words


def _near_best(scores: Scores) -> set[str]:
    best = max((value for _, value in scores.values() if not math.isnan(value)), default=math.nan)
    return {name for name, (_, value) in scores.items() if value >= best - BOLD}


def _printed(cell: float | Mapping[str, float], table: Table) -> Score:
    """A cell of the paper: a number, one with its deviation, or the parts that the table names."""
    if not isinstance(cell, Mapping):
        return f"{cell:.1f}", cell
    values = [cell[part] for part in table.parts]
    text = " / ".join(f"{value:.1f}" for value in values)
    return text + (f" ± {number(cell['std'])}" if "std" in cell else ""), values[0]


def _ours(paper: Paper, table: Table, id: str, evidence: Evidence, score) -> Scores:
    """The scores of an experiment's algorithms that have a column, by the paper's name of it."""
    runs = evidence.runs.get(f"{paper.id}/{id}", {})
    by_heading = {name: runs[algorithm] for algorithm, name in frames.names(runs).items()}
    found = {key: score(id, by_heading[name]) for key, name in table.columns.items() if name in by_heading}
    return {key: own for key, own in found.items() if own is not None}


def _last(by_seed: Mapping[int, Run], panels: Sequence[Metric]) -> Score:
    """The means over seeds at the last round, with the deviation if it is one metric; and the first mean."""
    values = [
        [(PERCENT if is_fraction(panel) else 1) * float(curve(run, panel.metric, panel.split).iloc[-1])
         for run in by_seed.values()]
        for panel in panels
    ]  # fmt: skip
    means = [float(np.mean(own)) for own in values]
    if math.isnan(means[0]):
        return "diverged", math.nan
    text = " / ".join(f"{mean:.1f}" for mean in means)
    spread = f" ± {np.std(values[0], ddof=1):.1f}" if len(values) == 1 and len(by_seed) > 1 else ""
    return text + spread, means[0]


def tuned(paper: Paper, table: Table, cells: Sequence[Mapping[str, Any]], evidence: Evidence, symbols: Mapping) -> Any:
    """(our headings, by row of the paper our cells): scale, decimal logarithms of both selected hyper-parameters."""
    rows = []
    for cell in cells:
        key = f"{paper.id}/{table.of[cell['dataset']]}"
        found = [runs for id, runs in evidence.runs.get(key, {}).items() if _called(runs) == cell["algorithm"]]
        names = (symbols["eta_l"], symbols.get(cell["second"], cell["second"]))
        scale = evidence.experiments[key].scale if found else NONE
        rows.append([[scale, *(_chosen(found[0], name) if found else NONE for name in names)]])
    return ["ours: scale", "ours: log₁₀ η_l", "ours: its log₁₀"], rows


def _called(by_seed: Mapping[int, Run]) -> str:
    return frames.sweep_run(by_seed).manifest["algorithm"]["name"]


def _chosen(by_seed: Mapping[int, Run], name: str) -> str:
    """'−1 of −2, −1, 0'."""
    manifest = frames.sweep_run(by_seed).manifest
    grid, chosen = manifest["configurations"], manifest["configurations"][manifest["selected"]["configuration"]]
    tried = sorted({configuration[name] for configuration in grid})
    return _logarithm(chosen[name]) + (f" of {', '.join(map(_logarithm, tried))}" if len(tried) > 1 else "")


def _logarithm(value: float) -> str:
    """To half a power of ten, as the grids are."""
    return number(round(2 * math.log10(value)) / 2) if value > 0 else "−∞"
