"""A run of seconds: LASSO I, cut down."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment, find_experiment, merge, validate

CONFIG = Path(__file__).parents[1] / "config/experiments"
CHANGES = {
    "training": {"rounds": 20, "cohort": 4, "batch_size": 4, "precision": "float64"},
    "evaluation": {"every": 5},
    "sweep": {"client_lr": [0.01, 0.03, 1000.0], "server_lr": [1.0]},
    "select": {"metric": "recovery_error", "split": "model", "best": "lowest", "over_last": 10},
    "seeds": {"sweep": [0], "tuned": [1]},
}


def small(algorithm="feddualavg", seed=0, **changes) -> RunId:
    """LASSO I cut down to seconds; it is given a store of six features."""
    experiment = find_experiment(CONFIG, "fco/lasso_I", "paper").model_dump(exclude_none=True)
    return RunId(validate(merge(merge(experiment, CHANGES), changes), Experiment, "a test"), algorithm, seed)


def without_seconds(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["metric"] != "seconds"].reset_index(drop=True)
