"""Small computations behind figures that explain, made anew whenever the page is.

Figure 2 of "Federated Composite Optimization": two clients with few examples each solve a LASSO problem. Either finds a
sparse model, but the coefficients that it finds by mistake are its own, so their average is dense. Averaging the dual
states and applying the proximal step afterwards keeps the average sparse: mistakes that are not shared fall below the
threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEATURES, TRUE, EXAMPLES, NOISE = 64, 5, 32, 1.0
STRENGTH, RATE, STEPS, SEED = 0.3, 0.1, 200, 0


@dataclass(frozen=True)
class Averaging:
    """Parameter vectors [FEATURES] by what they are called."""

    models: dict[str, np.ndarray]

    @property
    def densities(self) -> dict[str, float]:
        """The share of coefficients that are not zero."""
        return {name: float(np.mean(model != 0)) for name, model in self.models.items()}


def primal_averaging(seed: int = SEED) -> Averaging:
    """Two clients after STEPS local steps from zero, the average of their models, and the model of their duals'."""
    rng = np.random.default_rng(seed)
    truth = np.zeros(FEATURES)
    truth[rng.choice(FEATURES, TRUE, replace=False)] = 1.0
    clients = [_examples(rng, truth) for _ in range(2)]
    primal = [_proximal_gradient(*client) for client in clients]
    dual = np.mean([_dual_averaging(*client) for client in clients], axis=0)
    return Averaging(
        {
            "truth": truth,
            "client 1": primal[0],
            "client 2": primal[1],
            "average of the models": np.mean(primal, axis=0),
            "model of averaged duals": _soft(dual, STEPS * RATE * STRENGTH),
        }
    )


def _examples(rng: np.random.Generator, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = rng.standard_normal((EXAMPLES, FEATURES))
    return x, x @ truth + NOISE * rng.standard_normal(EXAMPLES)


def _gradient(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x.T @ (x @ w - y) / len(y)


def _soft(w: np.ndarray, threshold: float) -> np.ndarray:
    return np.sign(w) * np.maximum(np.abs(w) - threshold, 0)


def _proximal_gradient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The local steps of FedMiD."""
    w = np.zeros(FEATURES)
    for _ in range(STEPS):
        w = _soft(w - RATE * _gradient(w, x, y), RATE * STRENGTH)
    return w


def _dual_averaging(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The local steps of FedDualAvg; returns the dual state."""
    dual = np.zeros(FEATURES)
    for step in range(STEPS):
        dual = dual - RATE * _gradient(_soft(dual, step * RATE * STRENGTH), x, y)
    return dual
