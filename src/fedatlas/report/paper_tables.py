"""Tables of a paper made anew: its own numbers, with ours beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import number
from fedatlas.experiments.results import Axis, Run
from fedatlas.report import benchmark_tables, frames, savings, setup_tables
from fedatlas.report.paper_results import PaperResults
from fedatlas.report.papers import Figure, Panel, Paper, Table

NONE, MILLION = "–", 1_000_000
SHARES = ((0.1, 0.3, 0.5), (0.7, 0.8, 0.9))  # of skipped communications, in the two ranges of FedPD's Table 2
TYPESET = {
    "^-m": "⁻ᵐ", "^-3": "⁻³", "10^m": "10ᵐ", "*10": "·10", ">=": " ≥ ", "sqrt(kappa)": "√κ", "eps^2": "ε²",
    "delta^2": "δ²", "eps/": "ε/", "C3": "C₃",
}  # fmt: skip
# What the papers call hyper-parameters whose names are words here.
SYMBOLS = {
    "eta_c": "client_lr", "eta_l": "client_lr", "eta_s": "server_lr", "eta_g": "server_lr", "p": "probability",
}  # fmt: skip
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "eps": "ε", "eta": "η", "theta": "θ", "mu": "μ", "nu": "ν", "rho": "ρ",
    "tau": "τ",
}  # fmt: skip
_GREEK_WORD = re.compile(rf"(?<![a-z])({'|'.join(GREEK)})(?![a-z])")


@dataclass(frozen=True)
class Made:
    """A table: the headings and the cells of every row as text.

    Attributes:
        ours: the columns from this one on are ours.
        our_rows: the numbers of rows that are ours.
        bold: (row, column) of the cells that stand out.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    ours: int
    note: str
    our_rows: frozenset[int] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()

    def is_ours(self, row: int, column: int) -> bool:
        return column >= self.ours or row in self.our_rows


def make(paper: Paper, figure: Figure, results: PaperResults, evidence: Evidence) -> Made:
    """The table of a figure; experiments that were not run leave their columns empty.

    Raises:
        AtlasError: if the paper's part is not there.
    """
    table = figure.table
    cells = results[table.source][table.cells]
    if table.kind in _BENCHMARKS:
        return _scores(table, _BENCHMARKS[table.kind](paper, table, cells, evidence))
    heads, ours = _MAKERS[table.kind](paper, table, cells, evidence)
    rows = [
        [*(_paper_cells(cell, table.columns) if place == 0 else [""] * len(table.columns)), *own]
        for cell, owns in zip(cells, ours, strict=True)
        for place, own in enumerate(owns)
    ]
    return Made([*table.columns.values(), *heads], rows, len(table.columns), table.note)


def _scores(table: Table, rows: Sequence[Mapping[str, Any]]) -> Made:
    """Columns are the algorithms; ours are rows below the paper's."""
    names, first = [*table.columns], 2
    return Made(
        ["data set", "whose", *table.columns.values()],
        [[row["data"], row["whose"], *(row["cells"].get(name, NONE) for name in names)] for row in rows],
        ours=first + len(names),
        note=table.note,
        our_rows=frozenset(i for i, row in enumerate(rows) if row["whose"] != "paper"),
        bold=frozenset((i, first + names.index(name)) for i, row in enumerate(rows) for name in row["bold"] & {*names}),
    )


def _paper_cells(cell: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    return [_symbol(cell[name]) if name in ("param", "second") else _typeset(cell.get(name, NONE)) for name in columns]


def _typeset(value: Any) -> str:
    """'10⁻ᵐ, m ≥ 0' of '10^-m, m>=0'; numbers as everywhere."""
    if isinstance(value, int | float):
        return number(value) if value < MILLION else f"{value:,.0f}".replace(",", " ")
    for plain, symbol in TYPESET.items():
        value = value.replace(plain, symbol)
    return _GREEK_WORD.sub(lambda word: GREEK[word.group()], value).strip()


def _symbol(name: str) -> str:
    """'η_c' of 'eta_c'."""
    word, *index = name.split("_")
    return "_".join([GREEK.get(word, word), *index])


# Each maker returns our headings and, for every row of the paper, one or more rows of our cells.
Ours = tuple[list[str], list[list[list[str]]]]


def _costs(paper: Paper, table: Table, cells: Sequence[Mapping], evidence: Evidence) -> Ours:
    """How many communications and gradient evaluations it took until the first panel's metric was small enough."""
    heads = [
        f"{heading}: {words}" for heading in _headings(paper, table, evidence)
        for words in ("communications", "gradient evaluations")
    ]  # fmt: skip
    rows = []
    for cell in cells:
        found = _named(paper, table, evidence, table.ours.get(cell["algorithm"], [cell["algorithm"]]))
        rows.append([[name or NONE, *_spent(paper, table, evidence, name)] for name in found or [None]])
    return ["our runs", *heads], rows


def _named(paper: Paper, table: Table, evidence: Evidence, ours: Sequence[str]) -> list[str]:
    """The display names of our runs that are meant by ids or names, in that order."""
    found: dict[str, str] = {}
    for id in table.of.values():
        names = frames.names(frames.federated(evidence, f"{paper.id}/{id}")) if _there(paper, id, evidence) else {}
        found |= {key: name for algorithm, name in names.items() for key in (algorithm, name)}
    return list(dict.fromkeys(found[one] for one in ours if one in found))


def _there(paper: Paper, id: str, evidence: Evidence) -> bool:
    return f"{paper.id}/{id}" in evidence.runs


def _spent(paper: Paper, table: Table, evidence: Evidence, name: str | None) -> list[str]:
    cells = []
    for id in table.of.values():
        by_seed = _by_name(evidence, f"{paper.id}/{id}", name) if _there(paper, id, evidence) else None
        for axis in ("communications", "gradients"):
            panel = paper.figure(evidence.known[f"{paper.id}/{id}"].figure).panels[0] if by_seed else None
            cells.append(_mean_cost(by_seed, panel, table.reach, axis) if by_seed else NONE)
    return cells


def _by_name(evidence: Evidence, key: str, name: str | None) -> Mapping[int, Run] | None:
    runs = evidence.runs[key]
    return next((runs[algorithm] for algorithm, own in frames.names(runs).items() if own == name), None)


def _mean_cost(by_seed: Mapping[int, Run], panel: Panel, reach: float, axis: Axis) -> str:
    """The mean over seeds of the cost at which the metric is first at most `reach`; 'never' if one seed never is."""
    if not frames.holds(by_seed, panel):
        return NONE
    costs = [cost_until(run, panel, reach, axis) for run in by_seed.values()]
    mean = float(np.mean(costs))
    return "never" if math.isinf(mean) else NONE if math.isnan(mean) else number(float(f"{mean:.3g}"))


def cost_until(run: Run, panel: Panel, reach: float, axis: Axis) -> float:
    """The cost of the selected configuration when the metric was first at most `reach`; infinite if it never was."""
    curve = frames.best_curve(run, panel, axis)
    met = curve[curve["value"] <= reach]
    return float(met["x"].iloc[0]) if len(met) else math.inf


def _hyperparameters(paper: Paper, table: Table, cells: Sequence[Mapping], evidence: Evidence) -> Ours:
    """The values that our sweeps select."""
    rows = [[[_selected(paper, id, evidence, cell) for id in table.of.values()]] for cell in cells]
    return [f"ours: {heading}" for heading in _headings(paper, table, evidence)], rows


def _headings(paper: Paper, table: Table, evidence: Evidence) -> list[str]:
    return [f"{heading}{frames.other_scale(evidence, f'{paper.id}/{id}')}" for heading, id in table.of.items()]


def _selected(paper: Paper, id: str, evidence: Evidence, cell: Mapping[str, Any]) -> str:
    """The selected value of a hyper-parameter; beside it, in how large a grid, if there was a choice."""
    by_seed = _by_name(evidence, f"{paper.id}/{id}", cell["algorithm"]) if _there(paper, id, evidence) else None
    if by_seed is None:
        return NONE
    manifest = frames.sweep_run(by_seed).manifest
    name = SYMBOLS.get(cell["param"], cell["param"])
    grid, chosen = manifest["configurations"], manifest["configurations"][manifest["selected"]["configuration"]]
    if name == "K":
        spec = evidence.experiments[f"{paper.id}/{id}"].for_algorithm(manifest["algorithm"]["id"])
        return number(spec.training.local_steps or math.nan)
    if name not in chosen:
        return "formula" if "(" in str(cell["MNIST"]) or "formula" in str(cell["MNIST"]) else NONE
    tried = sorted({configuration[name] for configuration in grid})
    return f"{number(chosen[name])} of {', '.join(map(number, tried))}" if len(tried) > 1 else number(chosen[name])


def _tuned(paper: Paper, table: Table, cells: Sequence[Mapping], evidence: Evidence) -> Ours:
    """The hyper-parameters that our sweeps select, as logarithms."""
    return benchmark_tables.tuned(paper, table, cells, evidence, SYMBOLS)


def _savings(paper: Paper, table: Table, cells: Sequence[Mapping], evidence: Evidence) -> Ours:
    """Theorem 1 itself at some shares of both ranges, to hold its approximations against."""
    rows = [
        [["; ".join(f"{number(float(savings.bound(p)) / savings.ETA)} η at p = {number(p)}" for p in shares)]]
        for _, shares in zip(cells, SHARES, strict=True)
    ]
    return ["C(p) by Theorem 1"], rows


def _of_data(words: Callable[[frames.Runs], list[str]]) -> Callable[..., Ours]:
    """A maker of tables whose rows are data sets, by their name there: what `words` says of our runs."""

    def ours(paper: Paper, table: Table, cells: Sequence[Mapping], evidence: Evidence) -> Ours:
        heads, rows = ["scale", *setup_tables.HEADS[words]], []
        for cell in cells:
            key = f"{paper.id}/{table.of.get(cell['dataset'])}"
            there = key in evidence.runs
            own = [evidence.experiments[key].scale, *words(evidence.runs[key])] if there else [NONE] * len(heads)
            rows.append([own])
        return [f"ours: {head}" for head in heads], rows

    return ours


_BENCHMARKS = {"scores": benchmark_tables.scored, "rates": benchmark_tables.rates}
_MAKERS: dict[str, Callable[[Paper, Table, Sequence[Mapping], Evidence], Ours]] = {
    "costs_to_accuracy": _costs,
    "datasets": _of_data(setup_tables.data_and_model),
    "runtimes": _of_data(setup_tables.runtimes),
    "hyperparameters": _hyperparameters,
    "savings": _savings,
    "tuned": _tuned,
}
