"""A server step of FedDuA and of what it is compared with, in numpy."""

from __future__ import annotations

import numpy as np

FIXED = ["fedavgm", "fedadagrad", "fedadam", "fedyogi"]
USUAL = {"client_lr": 1.0, "server_lr": 0.3, "beta1": 0.8, "beta2": 0.9, "epsilon": 0.0, "eps_g": 0.0, "width": 0.5}


def ratio(a, b):
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0)


def step_by_hand(name, delta, sizes, memory, epsilon, eps_g):
    """The displacement of one round, section 2 and Algorithm 1; memory holds s, v and m of the round before."""
    eta, b1, b2 = (USUAL[key] for key in ("server_lr", "beta1", "beta2"))
    s, v, m = memory
    s = {
        "fedadam": b2 * s + (1 - b2) * delta**2,
        "fedyogi": s - (1 - b2) * delta**2 * np.sign(s - delta**2),
        "fedduadam": b2 * s + (1 - b2) * delta**2,
    }.get(name, s + delta**2)
    if name in ("fedexpm", "fedadam", "fedyogi", "fedduadam"):
        v, m = b1 * v + (1 - b1) * delta, b1 / 2 * m + (1 - b1) / 2 * sizes
    elif name == "fedavgm":
        v = b1 * v + delta
    else:
        v, m = delta, sizes / 2
    along = v if name in ("fedavgm", "fedexp", "fedexpm") else ratio(v, np.sqrt(s) + epsilon)
    if name not in FIXED:
        eta = m / (along @ v + eps_g)
    return eta * along, (s, v, m)
