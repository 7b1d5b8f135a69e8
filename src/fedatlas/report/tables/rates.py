"""The client rates that methods select on several data sets, as decimal logarithms."""

from __future__ import annotations

from fedatlas.formatting import number
from fedatlas.report.tables._of_methods import OfMethods, Score
from fedatlas.report.tables._typesetting import chosen_logarithm
from fedatlas.results.collection import ExperimentResults


class Rates(OfMethods):
    """The paper's for each data set, and ours below where it was run."""

    def printed(self, cell: float) -> Score:
        return Score(number(cell))

    def score(self, results: ExperimentResults, algorithm: str) -> Score | None:
        return Score(chosen_logarithm(results.sweep_run(algorithm), "client_lr"))
