"""Which metrics a run will record is known before it: what is published has just these."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import configuration
import pytest

from fedatlas.experiments.recorded import COSTS, recorded

ROOT = Path(__file__).parents[2]
TABLES = sorted((ROOT / "reports/published").glob("*/*/metrics.csv"))
AXES = {"algorithm", "seed", "round"}


@pytest.fixture(scope="module")
def known():
    return {scale: configuration.known(scale) for scale in ("medium", "paper")}


def columns_of(path: Path) -> dict[str, set[str]]:
    """By algorithm, the columns in which it has a number."""
    found: dict[str, set[str]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["algorithm"], set()).update(name for name, value in row.items() if value)
    return {algorithm: columns - AXES for algorithm, columns in found.items()}


def test_what_is_published_holds_what_was_foretold(known):
    compared = 0
    for path in TABLES:
        key = "/".join(path.parts[-3:-1])
        scale = json.loads((path.parent / "manifest.json").read_text())["experiment"]["scale"]
        experiment = known[scale][key]
        for algorithm, columns in columns_of(path).items():
            if algorithm not in experiment.algorithms:  # it was renamed since
                continue
            foretold = {"_".join(one) for one in recorded(experiment.for_algorithm(algorithm), algorithm)}
            older = {"cost_communications", "model_squared_solution_error"} - columns  # were not recorded at first
            assert columns == foretold - older, f"{key} {algorithm}"
            compared += 1
    assert compared > 300


def test_costs_are_those_that_rounds_have():
    known = {f"cost_{name}" for name in COSTS}
    for path in TABLES[:3]:
        assert {name for name in set().union(*columns_of(path).values()) if name.startswith("cost_")} <= known
