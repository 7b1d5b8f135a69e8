"""How metrics, numbers, times and sizes are written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

_METRICS = {
    "f1": "F1",
    "recovery_error": "recovery error",
    "bytes_down": "bytes down",
    "bytes_up": "bytes up",
    "gradient_evaluations": "gradient evaluations",
    "accuracy_decile": "bottom-decile accuracy",
    "component_distance": "cosine distance of the components",
}
_OF_WEIGHTS = {
    "entropy": "entropy of the mixture weights",
    "weights_distance": "cosine distance of the mixture weights",
    "clusters": "share of clients in the right cluster",
}

GREEK = {
    "alpha": "α", "beta": "β", "beta1": "β₁", "beta2": "β₂", "gamma": "γ", "eps": "ε", "epsilon": "ε", "eta": "η",
    "theta": "θ", "mu": "μ", "nu": "ν", "rho": "ρ", "tau": "τ",
}  # fmt: skip
PEOPLE = {"Shakespeare"}  # with whom titles begin


def metric_name(metric: str, split: str = "model") -> str:
    """The metric in words, with its split unless it is one of the parameters alone: 'validation loss'."""
    if metric in _OF_WEIGHTS:
        return _OF_WEIGHTS[metric] + (" of unseen clients" if split.startswith("unseen") else "")
    name = _METRICS.get(metric, metric.replace("_", " "))
    return name if split in ("model", "cost") else f"{split.replace('_', ' ')} {name}"


def hyperparameter_name(name: str) -> str:
    """'client rate' for client_lr, 'ρ' for rho, 'ε_g' for eps_g."""
    word, _, index = name.partition("_")
    if word in GREEK:
        return f"{GREEK[word]}_{index}" if index else GREEK[word]
    return name.replace("_lr", " rate").replace("_", " ")


def rates(configuration: Mapping[str, float]) -> str:
    """The values of a configuration: '(0.001, 3)'."""
    return f"({', '.join(number(value) for value in configuration.values())})"


def named_rates(configuration: Mapping[str, float]) -> str:
    """The values with their names: 'client rate 0.001, ρ 3'."""
    return ", ".join(f"{hyperparameter_name(name)} {number(value)}" for name, value in configuration.items())


def number(value: float) -> str:
    """Three significant digits, fewer where they say it exactly; an exponent below 1e-4 and from 1e6 on: '2e−5'."""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "–")
    short = f"{value:.3g}"
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        exact = float(short) == value
        text = f"{value:,.10f}".rstrip("0").rstrip(".") if exact else f"{value:,.{decimals(value)}f}"
        return text.replace(",", " ").replace("-", "−")
    mantissa, _, exponent = short.partition("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def span(numbers: Iterable[int], between: str = " to ") -> str:
    """'18 364', or '11 731 to 21 060' where they differ."""
    found = sorted(set(numbers))
    return between.join(map(grouped, dict.fromkeys((found[0], found[-1]))))


def ranges(numbers: Iterable[int]) -> str:
    """Whole numbers, each once: '0–3, 5' for 0, 1, 2, 3 and 5."""
    runs: list[list[int]] = []
    for one in sorted(set(numbers)):
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def change(value: float) -> str:
    """A number with its sign: '+0.15', '−0.003', '0'."""
    return f"+{number(value)}" if value > 0 else number(value)


def decimals(value: float) -> int:
    """The decimals of a number written with three significant digits."""
    return max(0, 2 - math.floor(math.log10(abs(value)))) if value else 2


def listed(words: Iterable[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def grouped(count: int) -> str:
    """A count with its thousands apart: '60 000'."""
    return f"{count:,}".replace(",", "\u202f")


def unbroken(text: str) -> str:
    """The text with numbers such as 1e-6 and 1 000 that no line is broken in."""
    return re.sub(r"(?<=\d)e-(?=\d)", "e−", re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "\u202f", text))


def duration(seconds: float) -> str:
    """'41 s', '12 min', '3.4 h'."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def memory(megabytes: float) -> str:
    """'812 MB', '1.5 GB'."""
    return f"{megabytes / 1024:.1f} GB" if megabytes >= 1024 else f"{megabytes:.0f} MB"


def uncapitalised(title: str) -> str:
    """A title within a sentence: 'synthetic mixture', but still 'CIFAR-10', 'FedEM' and 'Shakespeare'."""
    first = title.split()[0]
    return title[0].lower() + title[1:] if first.istitle() and first.rstrip(",") not in PEOPLE else title
