"""By hand: numpy's BLAS and no framework, all configurations of a sweep at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from works import COHORT, LINEAR, WORKS, Work, arrays, chosen, say, timed


def softmax(work: Work) -> Callable[[np.ndarray], None]:
    x, labels = arrays(work)
    y, lr, b = np.eye(work.classes, dtype=np.float32)[labels], np.float32(work.client_lr[0] / work.batch), work.batch
    weights, biases = np.zeros((x.shape[-1], work.classes), np.float32), np.zeros(work.classes, np.float32)

    def step(cohort: np.ndarray) -> None:
        nonlocal weights, biases
        moved, shifted = np.zeros_like(weights), np.zeros_like(biases)
        for client in cohort:
            w, v = weights.copy(), biases.copy()
            for start in range(0, work.examples, b):
                batch = x[client, start : start + b]
                z = batch @ w
                z += v
                z -= z.max(1, keepdims=True)
                np.exp(z, out=z)
                z /= z.sum(1, keepdims=True)
                z -= y[client, start : start + b]
                z *= lr
                w -= batch.T @ z
                v -= z.sum(0)
            moved += w - weights
            shifted += v - biases
        weights, biases = weights + moved / COHORT, biases + shifted / COHORT

    return step


def squares(work: Work) -> Callable[[np.ndarray], None]:
    """The weights of all configurations side by side, [d, G]."""
    x, y = arrays(work)
    client_lr, server_lr = 2 * np.float32(work.client_lr), np.float32(work.server_lr)
    weights = np.zeros((x.shape[-1], work.configurations), np.float32)

    def step(cohort: np.ndarray) -> None:
        nonlocal weights
        moved = np.zeros_like(weights)
        for client in cohort:
            w = weights.copy()
            for start in range(0, work.examples, work.batch):
                batch = x[client, start : start + work.batch]
                residual = batch @ w
                residual -= y[client, start : start + work.batch, None]
                residual *= client_lr / len(batch)
                w -= batch.T @ residual
            moved += w - weights
        weights = weights + server_lr / COHORT * moved

    return step


if __name__ == "__main__":
    for name in chosen(LINEAR):
        with np.errstate(all="ignore"):  # the largest rates of the sweep diverge
            step = (softmax if name == "softmax" else squares)(WORKS[name])
            say("numpy by hand", name, timed(WORKS[name], step), numpy=np.__version__)
