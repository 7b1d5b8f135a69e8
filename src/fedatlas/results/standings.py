"""Where algorithms stand in the experiments in which they ran beside others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import ROUNDING, Metric


class Standing(NamedTuple):
    """An algorithm in an experiment, by the metric that selects configurations there.

    Attributes:
        entry: of the experiment; of several of one algorithm the one that ends best.
        label: what the experiment's figures call it.
        value: where it ends, the mean over the seeds; NaN if it has diverged.
        place: 1 is the best of the `of` algorithms that recorded the metric; those that end equally well share one.
    """

    results: ExperimentResults
    metric: Metric
    method: str
    entry: str
    label: str
    value: float
    place: int
    of: int


def standings(results: ExperimentResults) -> list[Standing]:
    """The algorithms of an experiment that communicate, the best first.

    References are left out, and entries that run on data of their own, as on a longer chain.
    """
    overrides = results.experiment.algorithms
    results = results.only(lambda entry: "dataset" not in overrides[entry])
    rule = results.experiment.select
    metric = Metric(metric=rule.metric, split=rule.split)
    shown = results.shown(()).federated.holding(metric)
    sign = 1 if rule.best == "lowest" else -1
    ends = {entry: shown.last(entry, metric) for entry in shown.runs}
    ordered = sorted(ends, key=lambda entry: sign * ends[entry] if math.isfinite(ends[entry]) else math.inf)
    best: dict[str, str] = {}
    for entry in ordered:
        best.setdefault(shown.any_run(entry).manifest.algorithm.method, entry)
    values = [ends[entry] for entry in best.values()]
    places = [1 + next(i for i, value in enumerate(values) if _same(value, own)) for own in values]
    return [
        Standing(results, metric, method, entry, shown.names[entry], ends[entry], place, len(best))
        for place, (method, entry) in zip(places, best.items(), strict=True)
    ]


def _same(value: float, other: float) -> bool:
    """Whether both have diverged, or end at one number but for rounding."""
    lost = not math.isfinite(value), not math.isfinite(other)
    return all(lost) or (not any(lost) and math.isclose(value, other, rel_tol=ROUNDING))


def by_method(published: Iterable[ExperimentResults]) -> Mapping[str, list[Standing]]:
    """The standings of every algorithm, in the order of the experiments; those of other readings are left out."""
    found: dict[str, list[Standing]] = {}
    for results in published:
        if results.experiment.reading is None:
            for one in standings(results):
                found.setdefault(one.method, []).append(one)
    return found
