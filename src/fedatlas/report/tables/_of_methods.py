"""Tables whose columns are methods and whose rows are data sets: ours are rows below the paper's."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from fedatlas.data.kinds import DataKind
from fedatlas.formatting import uncapitalised
from fedatlas.report.tables._base import Made, PaperTable
from fedatlas.report.tables._typesetting import NONE
from fedatlas.results.collection import ExperimentResults

BOLD = 0.5  # points from the best one of a row


class Score(NamedTuple):
    """A cell as it is written, and its mean; NaN if it does not compete."""

    text: str
    mean: float = math.nan


class Row(NamedTuple):
    """A data set's scores by the paper's name of the method."""

    data: str
    source: str
    scores: Mapping[str, Score]


class OfMethods(PaperTable):
    """A kind with one column for each method."""

    @abstractmethod
    def printed(self, cell: Any) -> Score:
        """A cell of the paper."""

    @abstractmethod
    def score(self, results: ExperimentResults, algorithm: str) -> Score | None:
        """One of ours; None if the runs did not record it."""

    def make(self, printed: Mapping[str, Mapping[str, Any]]) -> Made:
        rows, names = self._rows(printed), [*self.plan.columns]
        bold = {(place, 2 + names.index(name)) for place, row in enumerate(rows) for name in _near_best(row) & {*names}}
        return Made(
            ["data set", "source", *self.plan.columns.values()],
            [[r.data, r.source, *(r.scores[name].text if name in r.scores else NONE for name in names)] for r in rows],
            ours=2 + len(names),
            note=self.plan.note,
            our_rows=frozenset(place for place, row in enumerate(rows) if row.source != "paper"),
            bold=frozenset(bold),
        )

    def _rows(self, printed: Mapping[str, Mapping[str, Any]]) -> list[Row]:
        rows = []
        for data, cells in printed.items():
            rows.append(Row(data, "paper", {name: self.printed(cell) for name, cell in cells.items()}))
            first = self.plan.of.get(data)
            for id in (*([first] if first else []), *self.plan.variants.get(data, ())):
                if results := self.of(id):
                    fallback = self._scores(self.of(self.plan.beside.get(data if id == first else id)))
                    rows.append(Row("", _source(results, id != first), fallback | self._scores(results)))
        return rows

    def _scores(self, results: ExperimentResults | None) -> dict[str, Score]:
        """The scores of the algorithms that have a column, by the paper's name of it."""
        if results is None:
            return {}
        by_name = {name: id for id, name in results.names.items()}
        found = {key: self.score(results, by_name[name]) for key, name in self.plan.columns.items() if name in by_name}
        return {key: score for key, score in found.items() if score is not None}


def _source(results: ExperimentResults, is_variant: bool) -> str:
    """Which runs of ours these are; a variant's title says it, and the row above names its data if they are its own."""
    words, title = f"ours, {results.scale} scale", uncapitalised(results.experiment.title)
    if not is_variant:
        return f"{words}, {results.data}"
    if results.experiment.proxy_for or results.data_kind == DataKind.STAND_IN:
        return f"{words}, {results.data}: {title}"
    return f"{words}: {title} ({results.trained_on})"


def _near_best(row: Row) -> set[str]:
    """The methods within half a point of the row's best one; none where one stands alone, with nothing beside it."""
    means = {name: score.mean for name, score in row.scores.items() if not math.isnan(score.mean)}
    if len(means) < 2:
        return set()
    best = max(means.values())
    return {name for name, mean in means.items() if mean >= best - BOLD}
