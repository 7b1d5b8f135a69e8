"""Claims and settings of a small repository."""

from __future__ import annotations

CHECK = {"kind": "ordering", "order": ["fedavg", "fedavg_tuned_10"], "margin": 0}
SETTINGS = {
    "dataset": {"name": "toy"},
    "training": {"rounds": 10},
    "sweep": {"client_lr": [0.1]},
    "algorithms": {"fedavg": {}, "fedavg_tuned_10": {}, "scaffold": {}},
}
ZERO = SETTINGS | {"reading": {"of": "first", "assumption": "toy-start", "how": "start: zero"}}


def claim(id="c", **changes):
    return {"id": id, "experiment": "first", "needs_scale": "paper", "check": CHECK | changes}
