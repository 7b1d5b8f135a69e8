"""No algorithm of DualFL's comparison notices that images are given in an orthonormal basis of their span."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")
from eager import eagerly

from fedatlas.algorithms import ExactLocal, registry
from fedatlas.data import catalogue
from fedatlas.experiments.runs import RunId
from fedatlas.experiments.spec import Experiment, find_experiment, merge, validate
from fedatlas.results.run import Run
from fedatlas.running.runner import train

EXPERIMENT = find_experiment(Path(__file__).parents[2] / "config/experiments", "dualfl/cifar10", "medium")
SOLVED = {"tolerance": 0, "most_iterations": 120}  # to the last digits, whose rounding then decides nothing
SHORT = merge(EXPERIMENT.model_dump(exclude_none=True), {"training": {"rounds": 4, "solver": SOLVED}})
DIGITS = {"partition": {"name": "equal", "clients": 4}, "splits": "none", "fraction": 0.0268}  # 48 of 64 pixels
COORDINATES = ("own", "span")
SOLVING = ("dualfl", "five_gcs")


def _run(algorithm: str, folder: Path) -> Run:
    with eagerly(rounds=lambda _: 0):  # a solver's rounds are too many operations
        return train(RunId(validate(SHORT, Experiment, "a test"), algorithm, 0), folder / "store", folder / "runs")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """One for the pixels and one for the coordinates, with the data and the run that all others refer to."""
    both = [tmp_path_factory.mktemp(coordinates) for coordinates in COORDINATES]
    for folder, coordinates in zip(both, COORDINATES, strict=True):
        catalogue.build("digits", DIGITS | {"coordinates": coordinates}, 0, folder, folder / "store")
        _run(EXPERIMENT.reference, folder)
    return both


def test_the_experiment_uses_such_a_basis():
    assert EXPERIMENT.dataset.coordinates == "span"


def _compared() -> list[str]:
    """The first entry of each algorithm; another has other constants, which know nothing of coordinates.

    Of those with exact local solutions there are two: all see the data through the solver and its gradients alone.
    """
    first = {entry.get("algorithm", name): name for name, entry in reversed(EXPERIMENT.algorithms.items())}
    exact = [id for id in first if issubclass(registry()[id], ExactLocal)]
    assert {*SOLVING} <= {*exact}
    return [name for id, name in first.items() if name != EXPERIMENT.reference and (id in SOLVING or id not in exact)]


@pytest.mark.parametrize("algorithm", _compared())
def test_objectives_are_the_same_after_every_round(algorithm, folders):
    own, span = (_objectives(_run(algorithm, folder)) for folder in folders)
    assert len(own) == 5
    assert own[-1] < own[0]
    np.testing.assert_allclose(span, own, rtol=1e-9)


def _objectives(run: Run) -> np.ndarray:
    rows = run.table[(run.table["split"] == "train") & (run.table["metric"] == "objective")]
    return rows.sort_values("round")["value"].to_numpy()
