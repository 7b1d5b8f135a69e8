"""How the papers' own numbers and symbols are set."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from fedatlas.formatting import GREEK, grouped, number
from fedatlas.results.run import Run

NONE, MILLION = "–", 1_000_000
TYPESET = {
    "^-m": "⁻ᵐ", "^-3": "⁻³", "10^m": "10ᵐ", "*10": "·10", ">=": " ≥ ", "sqrt(kappa)": "√κ", "eps^2": "ε²",
    "delta^2": "δ²", "eps/": "ε/", "C3": "C₃",
}  # fmt: skip
# What the papers call hyper-parameters whose names are words here.
SYMBOLS = {
    "eta_c": "client_lr", "eta_l": "client_lr", "eta_s": "server_lr", "eta_g": "server_lr", "p": "probability",
}  # fmt: skip
_GREEK_WORD = re.compile(rf"(?<![a-z])({'|'.join(GREEK)})(?![a-z])")


def printed_cells(cell: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    """The cells of the paper's row as they are printed."""
    return [_symbol(cell[name]) if name in ("param", "second") else _typeset(cell.get(name, NONE)) for name in columns]


def _typeset(value: Any) -> str:
    """'10⁻ᵐ, m ≥ 0' of '10^-m, m>=0'; numbers as everywhere."""
    if isinstance(value, int | float):
        return number(value) if value < MILLION else grouped(round(value))
    for plain, symbol in TYPESET.items():
        value = value.replace(plain, symbol)
    return _GREEK_WORD.sub(lambda word: GREEK[word.group()], value).strip()


def _symbol(name: str) -> str:
    """'η_c' of 'eta_c'."""
    word, *index = name.split("_")
    return "_".join([GREEK.get(word, word), *index])


def chosen(run: Run, name: str, written: Callable[[float], str] = number) -> str:
    """A selected hyper-parameter, and its grid if it has one: '0.1, chosen from 0.01, 0.1, 1'."""
    tried = sorted({configuration[name] for configuration in run.grid})
    selected = written(run.configuration[name])
    return f"{selected}, chosen from {', '.join(map(written, tried))}" if len(tried) > 1 else selected


def chosen_logarithm(run: Run, name: str) -> str:
    """The decimal logarithm of a selected hyper-parameter, and its grid: '−1, chosen from −2, −1, 0'."""
    return chosen(run, name, _logarithm)


def _logarithm(value: float) -> str:
    """To half a power of ten, as the grids are."""
    return number(round(2 * math.log10(value)) / 2) if value > 0 else "−∞"
