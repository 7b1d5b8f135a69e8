"""Checks of a sweep and of what it selects: medians, edges of grids, rates."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from made_claims import F1, ordering, verdict

from fedatlas.claims.quantities._base import SweepNotHeldError
from fedatlas.claims.quantities.over_grid import OverGrid
from fedatlas.claims.references import References
from fedatlas.results.run import Run


def spread(monkeypatch, numbers, diverged=()):
    """Lets F1 of the nine configurations be these numbers on every sweep, and some of them diverge."""

    def made(run, metric, split):
        rows = [(c, 100, math.nan if c in diverged else value) for c, value in enumerate(numbers)]
        return pd.DataFrame(rows, columns=["configuration", "round", "value"])

    monkeypatch.setattr(Run, "curves", made)


@pytest.mark.parametrize(
    ("product", "diverged", "median"),
    [
        (None, (), 0.6),
        ([0.003, 0.03], (), 0.35),  # (0.001, 3), (0.01, 0.3), (0.01, 1), (0.01, 3), (0.1, 0.3): 2 to 6
        (None, (7, 8), 0.35),
        (None, range(3, 9), -math.inf),
        ([7, 8], (), math.nan),
    ],
)
def test_median_over_the_sweep(results_of, monkeypatch, product, diverged, median):
    """Of the grid client_lr 0.001, 0.01, 0.1 by server_lr 0.3, 1, 3."""
    evidence = results_of(
        {"feddualavg": [0.5, 0.5, 0.5]}, diverged={"feddualavg": set(diverged)}, chosen={"feddualavg": 0}
    )
    spread(monkeypatch, [0.9, 0.9, 0.2, 0.35, 0.4, 0.2, 0.6, 0.7, 0.8], diverged)
    check = {"kind": "over_grid", **F1, "at": 100, "best": "highest", "product": product}
    found = verdict({**check, "algorithms": ["feddualavg"], "at_least": 0.3}, evidence)
    values = found.details["conditions"][0]["values"]
    assert set(values) == {"0"}  # only the sweep's seed has a sweep
    expected = median if math.isfinite(median) else str(median)
    assert values["0"] == (pytest.approx(expected) if math.isfinite(median) else expected)
    against = "not comparable" if math.isnan(median) else "indicated against"
    assert found.status == ("indicated" if median >= 0.3 else against)  # from one sweep


def test_a_round_that_not_all_configurations_keep_is_not_held(results_of, monkeypatch):
    run = results_of({})["toy/first"].sweep_run("feddualavg")
    spread(monkeypatch, [0.5] * 9, diverged=(3,))  # of which the manifest does not know
    typical = OverGrid(kind="over_grid", **F1, at=100, best="highest")
    with pytest.raises(SweepNotHeldError, match="8 of 9 configurations"):
        typical.measure(run)


def test_median_over_the_sweep_of_two_algorithms(results_of):
    evidence = results_of({"feddualavg": [0.9] * 3, "fedmid": [0.6] * 3}, diverged={"fedmid": set(range(5))})
    quantity = {"kind": "over_grid", **F1, "at": "last", "best": "highest", "product": [0.001, 0.1]}
    order = {"kind": "ordering", "quantity": quantity, "best": "highest", "relation": "ahead", "margin": 0}
    found = verdict({**order, "order": ["feddualavg", "fedmid"]}, evidence)
    assert (found.status, found.measured) == ("indicated", "FedDualAvg 0.9; FedMiD diverged")
    assert (
        "median of F1 at the last round over all configurations whose rates multiply to 0.001 to 0.1" in found.expected
    )


def test_product_compares_selected_rates(results_of):
    """Configuration 4 is (0.01, 1), configuration 2 is (0.001, 3)."""
    check = ordering(quantity={"kind": "product", "of": ["client_lr", "server_lr"]}, margin=0)
    found = verdict(check, results_of({}, chosen={"feddualavg": 4, "fedmid": 2}))
    assert (found.status, found.as_json()["about"]) == ("indicated", "a setting")
    assert found.measured == "FedDualAvg 0.01; FedMiD 0.003"


@pytest.mark.parametrize(("chosen", "status"), [(4, "indicated"), (2, "indicated against")])
def test_choice(results_of, chosen, status):
    check = {"kind": "choice", "algorithms": ["feddualavg"], "expect": {"client_lr": 0.01, "server_lr": 1}}
    found = verdict(check, results_of({}, chosen={"feddualavg": chosen}))
    assert found.status == status
    assert found.interval is None
    outcome = "meets" if status == "indicated" else "does not meet"
    alone = f"one seed {outcome} it, without an interval; a verdict needs 3 independent ones and has 1"
    assert found.details["why"] == alone


def selecting(rate, is_sweep=True):
    """What edges are read from, of a run that has selected this rate of three."""
    grid = [{"client_lr": one} for one in (0.01, 0.1, 1.0)]
    return SimpleNamespace(is_sweep=is_sweep, varied=["client_lr"], grid=grid, configuration={"client_lr": rate})


def test_every_sweep_that_counts_by_itself_names_its_edges(monkeypatch):
    runs = {0: selecting(0.1), 1: selecting(0.01), 2: selecting(1.0)}
    monkeypatch.setattr(References, "runs", lambda self, term: runs)
    monkeypatch.setattr(References, "_edges_elsewhere", lambda self, term: ())
    edges = References.__new__(References).edges
    assert edges("a", None) == ["client rate = 0.01, the lowest tried", "client rate = 1, the highest tried"]
    runs[3] = selecting(0.1, is_sweep=False)  # the first sweep has selected for it, and its number counts alone
    assert edges("a", None) == []
    assert len(edges("a", SimpleNamespace(sweep_only=True))) == 2


@pytest.mark.parametrize(("fixed", "marked"), [(0.1, True), (0.01, False)])
def test_a_value_that_another_sweep_has_selected_on_its_edge_is_marked(results_of, fixed, marked):
    sweep = {"client_lr": [fixed], "server_lr": [*range(1, 10)]}
    second = {"figure": "Figure 2", "rates_from": "first", "sweep": sweep}
    results = results_of({"feddualavg": [0.9] * 3}, {"feddualavg": [0.9] * 3}, chosen={"feddualavg": 7}, second=second)
    found = verdict(ordering(order=["second/feddualavg", "second/fedmid"]), results)
    edges = ["client rate = 0.1, the highest tried for Figure 1 (FedDualAvg in Figure 2)"]
    assert found.details["edges"] == (edges if marked else [])


def test_choice_tells_that_the_papers_configuration_diverged(results_of):
    check = {"kind": "choice", "algorithms": ["feddualavg"], "expect": {"client_lr": 0.1, "server_lr": 1}}
    found = verdict(check, results_of({}, diverged={"feddualavg": {7}}))
    assert "while client rate 0.1, server rate 1 had diverged by round 20" in found.measured


@pytest.mark.parametrize(("chosen", "status"), [(4, "indicated"), (3, "inconclusive"), (1, "inconclusive")])
def test_inside_grid(results_of, chosen, status):
    check = {"kind": "inside_grid", "algorithms": ["fedmid"]}
    found = verdict(check, results_of({}, chosen={"fedmid": chosen}))
    assert found.status == status
    assert ("edge" in found.measured) == (status == "inconclusive")


def test_what_has_one_value_has_no_edge(results_of):
    evidence = results_of({}, chosen={"fedmid": 4})
    narrow = {}
    for seed, run in evidence["toy/first"].runs["fedmid"].items():
        grid = [{**configuration, "server_lr": 1.0} for configuration in run.grid]
        narrow[seed] = replace(run, manifest=run.manifest.model_copy(update={"configurations": grid}))
    first = replace(evidence["toy/first"], runs={"fedmid": narrow})
    evidence = replace(evidence, experiments={"toy/first": first})
    assert verdict({"kind": "inside_grid", "algorithms": ["fedmid"]}, evidence).status == "indicated"
