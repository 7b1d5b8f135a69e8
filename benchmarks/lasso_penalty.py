"""How well the optimum of the pooled LASSO recovers the pattern, by the strength of the penalty.

    python benchmarks/lasso_penalty.py [--seed 0] [--strengths 0.05 0.1 0.15 0.2 0.3 0.4]

The paper chooses the strength so "that the centralized solver (on gathered data) can successfully recover the sparse
pattern", and gives no value. This is what the register of assumptions quotes; no federated algorithm takes part. The
solver is scikit-learn's coordinate descent, which minimises half of the mean of the squares: so half of the strength.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import Lasso
from sklearn.metrics import f1_score

from fedatlas.data import catalogue
from fedatlas.data.datasets.lasso import VARIANTS

NONZERO_ABOVE = 0.01


def pooled(variant: str, seed: int, folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs [n, d] and targets [n] of all training clients, and which coordinates of the truth are not zero [d]."""
    store = catalogue.build("lasso", {"variant": variant}, seed, folder, folder / variant)
    clients = [store.read("train", m) for m in range(len(store.ids("train")))]
    x, y = (np.concatenate([client[key] for client in clients]) for key in ("x", "y"))
    return x, y, store.truth["w_real"] != 0


def f1(x: np.ndarray, y: np.ndarray, truth: np.ndarray, strength: float) -> float:
    """Of the support of the minimiser of the mean of (x'w + b - y)^2 + strength ||w||_1."""
    found = Lasso(alpha=strength / 2, max_iter=10_000, tol=1e-6).fit(x, y).coef_
    return f1_score(truth, np.abs(found) > NONZERO_ABOVE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strengths", type=float, nargs="+", default=[0.05, 0.1, 0.15, 0.2, 0.3, 0.4])
    arguments = parser.parse_args()
    print("F1 of the optimum at:", *(f"{strength:7g}" for strength in arguments.strengths))
    for variant in VARIANTS:
        with tempfile.TemporaryDirectory() as folder:
            data = pooled(variant, arguments.seed, Path(folder))
            scores = [f1(*data, strength) for strength in arguments.strengths]
        print(f"LASSO {variant:>3}            ", *(f"{score:7.4f}" for score in scores), flush=True)


if __name__ == "__main__":
    main()
