"""A finished run: its manifest and metrics table, and what is read from them; `run_files` says how they are kept."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.results.axes import AXES, About, Axis
from fedatlas.results.manifest import Configuration, Manifest
from fedatlas.results.run_files import Model, load_manifest, read_model, read_table, write
from fedatlas.results.selection import scores
from fedatlas.results.table import OVER_ALL_CLIENTS

if TYPE_CHECKING:
    import pandas as pd
else:
    from fedatlas.lazy import pd


class MetricMissingError(AtlasError):
    """The run did not record a metric; the message lists those that it has."""


@dataclass(frozen=True)
class Run:
    """A finished run: where it lies, its manifest and its metrics table.

    Attributes:
        kept_scores: of a published run, whose table keeps too little to compute them: the score of every configuration.
    """

    folder: Path
    manifest: Manifest
    table: pd.DataFrame
    kept_scores: tuple[float, ...] | None = None

    @property
    def name(self) -> str:
        """What figures call its algorithm."""
        return self.manifest.algorithm.name

    @property
    def is_sweep(self) -> bool:
        """Whether it trained every configuration."""
        return self.manifest.stage == "sweep"

    @property
    def chose(self) -> bool:
        """Whether its own outcome selected its configuration, as of a sweep of several."""
        return self.is_sweep and len(self.grid) > 1

    @property
    def grid(self) -> tuple[Configuration, ...]:
        """Every configuration, by its number."""
        return self.manifest.configurations

    @property
    def selected(self) -> int:
        """The number of the selected configuration."""
        return self.manifest.selected.configuration

    @property
    def configuration(self) -> Configuration:
        """The selected hyper-parameters."""
        return self.grid[self.selected]

    @functools.cached_property
    def varied(self) -> list[str]:
        """The hyper-parameters of which the grid tries more than one value."""
        return [name for name in self.grid[0] if len({one.get(name) for one in self.grid}) > 1]

    @functools.cached_property
    def scores(self) -> pd.Series:
        """The score by which configurations are selected, by configuration; NaN where one has diverged."""
        if self.kept_scores is not None:
            return pd.Series(self.kept_scores, dtype=float)
        return scores(self.table, self.manifest.rule)

    @functools.cached_property
    def metrics(self) -> frozenset[tuple[str, str]]:
        """The (split, metric) pairs over all clients that the table holds."""
        return frozenset(self._places)

    def holds(self, metric: str, split: str) -> bool:
        """Whether the metric was recorded; a reference solution has no distance to itself, for example."""
        return (split, metric) in self._places

    def curves(self, metric: str, split: str, against: Axis = "rounds") -> pd.DataFrame:
        """The metric of every configuration over all clients; columns configuration, round, x and value.

        Raises:
            MetricMissingError: if the table does not hold the metric.
        """
        try:
            rows = self._rows[split, metric]
        except KeyError:
            raise MetricMissingError(f"{self.folder}: {_absent(metric, split, self._places)}") from None
        return rows[["configuration", "round", "value"]].assign(x=self._positions(rows, against))

    def curve(self, metric: str, split: str, against: Axis = "rounds") -> pd.DataFrame:
        """The metric of the selected configuration over all clients, by round; columns x and value.

        Raises:
            MetricMissingError: if the table does not hold the metric.
        """
        values, about = self.values(metric, split), _axis(against)
        costs = [self.values(name, "cost") for name in about.costs if self.holds(name, "cost")]
        x = pd.Series(values.index, values.index) if not about.costs else sum(costs) * about.factor if costs else np.nan
        return pd.DataFrame({"x": x, "value": values}, index=values.index)

    def values(self, metric: str, split: str) -> pd.Series:
        """The values of `curve`, by round.

        Raises:
            MetricMissingError: if the table does not hold the metric.
        """
        places, rows = self._places_of(metric, split), self._chosen
        return pd.Series(rows["value"].to_numpy()[places], pd.Index(rows["round"].to_numpy()[places], name="round"))

    def last(self, metric: str, split: str) -> float:
        """The last value of the curve; NaN if the selected configuration has diverged."""
        return float(self._chosen["value"].to_numpy()[self._places_of(metric, split)[-1]])

    def by_round(self) -> pd.DataFrame:
        """All values of the selected configuration over all clients: a row per round, a column for each
        `<split>_<metric>`, NaN where it was not recorded in a round."""
        rounds, values = self._chosen["round"].to_numpy(), self._chosen["value"].to_numpy()
        recorded, columns = np.unique(rounds), {}
        for (split, metric), places in self._places.items():
            column = columns[f"{split}_{metric}"] = np.full(len(recorded), np.nan)
            column[np.searchsorted(recorded, rounds[places])] = values[places]
        return pd.DataFrame(columns, index=pd.Index(recorded, name="round"))

    def clients(self, metric: str, split: str) -> pd.Series:
        """The metric of the selected configuration by client, after the last round; empty if it was not recorded."""
        rows = self._of_clients
        mine = rows[(rows["metric"] == metric) & (rows["split"] == split) & (rows["configuration"] == self.selected)]
        return mine.set_index("client")["value"].sort_index()

    def named(self, name: str, colour: str) -> Run:
        """The same run under another name and colour."""
        look = self.manifest.algorithm.model_copy(update={"name": name, "colour": colour})
        return replace(self, manifest=self.manifest.model_copy(update={"algorithm": look}))

    @functools.cached_property
    def model(self) -> Model:
        """The reported model of the selected configuration after the last round, read when it is first asked for.

        Raises:
            AtlasError: if its file is missing, or not the one that the run wrote.
        """
        return read_model(self.folder, self.manifest)

    @functools.cached_property
    def _rows(self) -> dict[tuple[str, str], pd.DataFrame]:
        """The rows over all clients by (split, metric): found once, as every figure asks for some of them."""
        rows = self.table[self.table["client"] == OVER_ALL_CLIENTS]
        return dict(iter(rows.groupby(["split", "metric"], sort=False, observed=True)))

    @functools.cached_property
    def _chosen(self) -> pd.DataFrame:
        """The rows of the selected configuration over all clients, by round."""
        table = self.table
        rows = table[(table["client"] == OVER_ALL_CLIENTS) & (table["configuration"] == self.selected)]
        return rows.sort_values("round", kind="stable")

    @functools.cached_property
    def _places(self) -> dict[tuple[str, str], np.ndarray]:
        """Where those of a (split, metric) stand among them: a claim asks for few of many."""
        return self._chosen.groupby(["split", "metric"], sort=False, observed=True).indices

    def _places_of(self, metric: str, split: str) -> np.ndarray:
        try:
            return self._places[split, metric]
        except KeyError:
            raise MetricMissingError(f"{self.folder}: {_absent(metric, split, self._places)}") from None

    @functools.cached_property
    def _of_clients(self) -> pd.DataFrame:
        return self.table[self.table["client"] != OVER_ALL_CLIENTS]

    def _positions(self, rows: pd.DataFrame, against: Axis) -> np.ndarray | pd.Series:
        axis = _axis(against)
        if not axis.costs:
            return rows["round"]
        keys = ["configuration", "round"]
        costs = [self._rows["cost", name].set_index(keys)["value"] for name in axis.costs if self.holds(name, "cost")]
        total = sum(costs[1:], start=costs[0]) * axis.factor if costs else pd.Series(dtype=float)
        return rows.join(total.rename("x"), on=keys)["x"] if costs else np.nan


def save_run(folder: Path, manifest: Manifest, table: pd.DataFrame, model: Model) -> Run:
    """Writes a finished run."""
    return Run(folder, write(folder, manifest, table, model), table)


def load_run(folder: Path) -> Run:
    """Reads a finished run.

    Raises:
        AtlasError: if the run is not there, is of another version, or one of its files was cut off or changed.
    """
    folder = Path(folder)
    manifest = load_manifest(folder)
    return Run(folder, manifest, read_table(folder, manifest))


def _axis(against: Axis) -> About:
    if against not in AXES:
        raise AtlasError(f"unknown axis '{against}'; there are: {', '.join(AXES)}.")
    return AXES[against]


def _absent(metric: str, split: str, held: Iterable[tuple[str, str]]) -> str:
    return f"there is no metric '{metric}' of split '{split}'; there are: {', '.join(sorted(map(' '.join, held)))}."
