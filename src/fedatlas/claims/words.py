"""How metrics and numbers are written."""

from __future__ import annotations

import math

_METRICS = {
    "f1": "F1",
    "recovery_error": "recovery error",
    "bytes_down": "bytes down",
    "bytes_up": "bytes up",
    "gradient_evaluations": "gradient evaluations",
}


def metric_name(metric: str, split: str = "model") -> str:
    """The metric in words, with its split unless it is one of the parameters alone: 'validation loss'."""
    name = _METRICS.get(metric, metric.replace("_", " "))
    return name if split in ("model", "cost") else f"{split} {name}"


def number(value: float) -> str:
    """Three significant digits, without an exponent between 1e-4 and 1e6."""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "–")
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}".replace(",", " ").replace("-", "−")
    if 1e-4 <= abs(value) < 1e6:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        return f"{value:.{digits}f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")
