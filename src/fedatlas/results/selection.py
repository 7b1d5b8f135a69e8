"""Which configuration of a sweep is the best, by the paper's rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fedatlas.errors import AtlasError
from fedatlas.experiments.sections import Best, MeanCriterion, Selection
from fedatlas.results.table import over_all_clients

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd


class AllDivergedError(AtlasError):
    """No configuration of a sweep is left to select."""


def scores(table: pd.DataFrame, criterion: MeanCriterion) -> pd.Series:
    """The mean of the criterion's metric over its last rounds, by configuration; NaN for one that has diverged."""
    rows = over_all_clients(table, criterion.metric, criterion.split)
    if rows.empty:
        raise AtlasError(f"the run did not record '{criterion.metric}' of split '{criterion.split}', which selects.")
    if criterion.until is not None:
        rows = rows[rows["round"] <= criterion.until]
    window = rows[rows["round"] > rows["round"].max() - criterion.over_last]
    return window.groupby("configuration")["value"].agg(lambda values: values.mean(skipna=False))


def select(table: pd.DataFrame, rule: Selection) -> tuple[int, float]:
    """The best configuration's number and its score. Ties go to the rule's second criterion, then to the first number.

    Raises:
        AllDivergedError: if every configuration has diverged.
    """
    main = scores(table, rule).dropna()
    if main.empty:
        raise AllDivergedError("every configuration of the sweep has diverged: add smaller rates to 'sweep'.")
    best = main[main == (main.max() if rule.best == "highest" else main.min())]
    if rule.ties is not None:
        second = scores(table, rule.ties)[best.index].dropna()  # what was kept may have diverged after `until`
        if not second.empty:
            best = best[second.index[second == (second.max() if rule.ties.best == "highest" else second.min())]]
    return int(best.index[0]), float(best.iloc[0])


def best_along(grid: Sequence[Mapping[str, float]], scored: pd.Series, name: str, best: Best) -> pd.Series:
    """By the values of one hyper-parameter, rising, the number of the configuration with the best score.

    Args:
        scored: the score by configuration; NaN is worse than any number.
    """
    worst = float("-inf" if best == "highest" else "inf")
    table = pd.DataFrame(
        {"value": [configuration[name] for configuration in grid], "score": scored.reindex(range(len(grid)))}
    ).fillna({"score": worst})
    by_value = table.groupby("value")["score"]
    return by_value.idxmax() if best == "highest" else by_value.idxmin()
