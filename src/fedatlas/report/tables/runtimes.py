"""How long a run of one configuration takes, and a whole sweep."""

from __future__ import annotations

import numpy as np

from fedatlas.formatting import duration
from fedatlas.report.tables._base import OfDataSets
from fedatlas.report.tables._typesetting import NONE
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run


class Runtimes(OfDataSets):
    """The mean over our runs, with what measured them."""

    about = ("one configuration", "a whole sweep", "processor")

    def describe(self, results: ExperimentResults) -> list[str]:
        alone, sweeps = ([run for run in results.all if (_trained(run) > 1) == many] for many in (False, True))
        times = [duration(summary.seconds(runs) / len(runs)) if runs else NONE for runs in (alone, sweeps)]
        size = f", {np.mean([_trained(run) for run in sweeps]):.0f} at once" if sweeps else ""
        return [times[0], times[1] + size, summary.together(run.manifest.processor for run in results.all)]


def _trained(run: Run) -> int:
    """How many configurations were trained together."""
    return len(run.grid) if run.is_sweep else 1
