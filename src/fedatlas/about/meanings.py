"""What the hyper-parameters of the algorithms mean, and the grid that each algorithm has unless it is given another.

The grids follow one rule, written before any run: rates in half decades around what the papers of the atlas found,
constants as those papers have them, and twelve configurations at most for an algorithm.
"""

from __future__ import annotations

from collections.abc import Iterable

from fedatlas.algorithms import algorithms
from fedatlas.errors import AtlasError

MEANINGS = {
    "adaptive": "1 where a client learns how much of its own model it uses, 0 where that stays",
    "alpha": "strength of the coupling between a client and the server's model",
    "beta": "how far the server moves towards the mean of the clients' models",
    "beta1": "momentum of the server's direction",
    "beta2": "how slowly the server forgets squared displacements",
    "beta_y": "step of the dual variable",
    "client_lr": "learning rate of a client's local steps",
    "epsilon": "added to the root of the squared displacements that the server divides by",
    "eps_g": "added to the squared length that the server's step divides by",
    "eta": "step of the proximal point or the augmented Lagrangian: the larger, the weaker the tie to the server",
    "eta_x": "step of the proximal point on a client",
    "gamma": "step of a client",
    "horizon": "number of rounds after which no round is skipped any more",
    "inner_lr": "learning rate of the steps towards a client's own model",
    "inner_steps": "how many such steps there are",
    "momentum": "of a client's local steps",
    "mu": "strength of the proximal term that keeps a client near the server's model",
    "nu": "step of the dual ascent; of a strongly convex problem at most its modulus",
    "period": "how often what is expensive is done: rounds or passes",
    "probability": "that a round communicates",
    "rho": "how strongly convex the dual is taken to be",
    "server_lr": "learning rate of the server",
    "skip": "probability that a round sends nothing",
    "stale": "0 averages over the clients of the round, 1 over all, the others with what they had",
    "strength": "strength of the penalty that ties models together",
    "tol1": "a cluster is split once its mean update is shorter than this ...",
    "tol2": "... while one of its clients' updates is longer than this",
    "tolerance": "length of the gradient at which it stops",
    "width": "weights below it move little, larger ones in proportion",
}
OWN_MEANINGS = {
    ("apfl", "alpha"): "share of a client's own model in what it uses, at first",
    ("apfl_momentum", "alpha"): "share of a client's own model in what it uses, at first",
    ("fedcm", "alpha"): "weight of a client's gradient beside the last round's direction; 1 is FedAvg",
    ("clustered_fl_largest", "tol2"): "... while an entry of one of its clients' updates is larger than this",
    ("feddr", "alpha"): "relaxation; below 2 in theory",
    ("feddyn", "alpha"): "strength of the dynamic regulariser",
    ("fedsam", "rho"): "how far away the worst nearby point may be",
    ("five_gcs", "mu"): "strong convexity of the clients' objectives",
    ("apda_inexact", "mu"): "strong convexity of the clients' objectives",
    ("centralized_exact", "strength"): "strength of a squared norm that is added",
    ("fedpd_vr", "gamma"): "step of the linearised proximal step; the last iterate has the weight eta / (eta + gamma)",
    ("dualfl_gap", "gamma"): "how fast the local accuracy grows, beyond the fourth power of the round",
    ("five_gcs", "gamma"): "step of the dual ascent",
    ("pfedme", "strength"): "strength of the tie between a client's own model and the shared one",
    ("fedpd_vr", "period"): "rounds between two full gradients",
    ("mocha", "period"): "rounds after which the relation of the clients is learned anew",
    ("scaffnew", "probability"): "that a local step is the last of its round",
}
RATES = (0.01, 0.03, 0.1, 0.3)
USUAL: dict[str, tuple[float, ...]] = {
    "adaptive": (1.0,), "beta": (1.0,), "beta1": (0.9,), "beta2": (0.99,), "beta_y": (0.1, 1.0, 10.0),
    "client_lr": RATES, "epsilon": (1e-9,), "eps_g": (0.001, 0.01, 0.1), "eta": (0.1, 0.3, 1.0),
    "eta_x": (0.1, 1.0, 10.0, 100.0), "gamma": (0.01, 0.1, 1.0, 10.0), "horizon": (100.0,), "inner_lr": (0.1,),
    "inner_steps": (5.0,), "momentum": (0.9,), "mu": (0.01, 0.1, 1.0), "nu": (0.001, 0.01, 0.1), "period": (10.0,),
    "probability": (0.1, 0.3, 1.0), "rho": (0.0, 0.001, 0.01), "server_lr": (0.3, 1.0, 3.0), "skip": (0.0,),
    "stale": (0.0,), "strength": (0.1, 1.0), "tol1": (0.4,), "tol2": (1.6,), "tolerance": (1e-10,), "width": (0.1,),
}  # fmt: skip
SMALL_SERVER: dict[str, tuple[float, ...]] = {
    "server_lr": (0.001, 0.01, 0.1)
}  # adaptive servers divide by the size of the displacements
OWN_GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "apda_inexact": {"mu": (0.01,)},
    "apfl": {"alpha": (0.5,), "server_lr": (1.0,)},
    "apfl_momentum": {"alpha": (0.5,), "server_lr": (1.0,)},
    "centralized_exact": {"strength": (0.0,)},
    "dualfl_gap": {"rho": (0.0,), "gamma": (0.1,)},
    "fedadagrad": SMALL_SERVER,
    "fedadam": SMALL_SERVER,
    "fedavg_finetuned": {"server_lr": (1.0,)},
    "fedcm": {"alpha": (0.1,)},
    "feddr": {"eta": (0.1, 1.0, 10.0, 100.0), "alpha": (1.0,)},
    "feddyn": {"alpha": (0.01, 0.1, 1.0, 10.0)},
    "fedexp": {"eps_g": (0.0001, 0.001, 0.01)},
    "fedexp_last": {"eps_g": (0.0001, 0.001, 0.01)},
    "fedexpm": {"eps_g": (0.0001, 0.001, 0.01)},
    "fedexpm_last": {"eps_g": (0.0001, 0.001, 0.01)},
    "fedpd_exact": {"eta": (0.1, 1.0, 10.0, 100.0)},
    "fedpd_vr": {"gamma": (0.32,), "period": (20.0,)},
    "fedprox": {"server_lr": (1.0,)},
    "fedprox_feddua": {"mu": (0.1,)},
    "fedprox_vr": {"server_lr": (1.0,)},
    "fedprox_vr_warm": {"server_lr": (1.0,)},
    "fedsam": {"rho": (0.05,)},
    "fedyogi": SMALL_SERVER,
    "five_gcs": {"mu": (0.01,)},
    "l2gd": {"probability": (0.5,)},
    "mocha": {"strength": (0.01, 0.1, 1.0)},
    "pfedme": {"strength": (15.0,)},
    "scaffnew": {"gamma": RATES},
}


def meaning(algorithm: str, hyperparameter: str) -> str:
    """What a hyper-parameter of an algorithm is, in words."""
    return OWN_MEANINGS.get((algorithm, hyperparameter)) or MEANINGS.get(hyperparameter, "see its documentation")


def default_grid(algorithm: str, names: Iterable[str] | None = None) -> dict[str, tuple[float, ...]]:
    """The grid of an algorithm of the atlas; of another one, that of the hyper-parameters whose names are known.

    Args:
        names: the hyper-parameters that are asked for; all if not given.

    Raises:
        AtlasError: if one of the names is not known, so that its values must be given.
    """
    asked = algorithms[algorithm].hyperparameters() if names is None else names
    found = {name: usual_values(algorithm, name) for name in asked}
    for name, values in found.items():
        if not values:
            raise AtlasError(f"there is no usual grid of '{name}' of {algorithm}: give 'grid={{\"{name}\": [...]}}'.")
    return found


def usual_values(algorithm: str, hyperparameter: str) -> tuple[float, ...]:
    """The usual grid of one hyper-parameter; empty if its name is not known."""
    return OWN_GRIDS.get(algorithm, {}).get(hyperparameter) or USUAL.get(hyperparameter, ())
