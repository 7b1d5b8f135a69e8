"""Whose data it is, how much of it, and the size of the model."""

from __future__ import annotations

from fedatlas.formatting import grouped
from fedatlas.report.tables._base import OfDataSets
from fedatlas.results.collection import ExperimentResults


class Datasets(OfDataSets):
    """Clients and examples that train, and the parameters of the smallest model."""

    about = ("data", "clients that train", "examples that train", "parameters")

    def describe(self, results: ExperimentResults) -> list[str]:
        data = results.all[0].manifest.dataset
        numbers = (data.clients, data.examples, min(run.manifest.num_params for run in results.all))
        return [results.data, *map(grouped, numbers)]
