"""The learned weights of each algorithm on the brain: which voxels its model uses."""

from __future__ import annotations

from importlib.util import find_spec
from typing import ClassVar

import matplotlib.pyplot as plt
import pandas as pd

from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.figure import Figure
from fedatlas.report.views._base import View
from fedatlas.results.collection import ExperimentResults

ALT = "Maps of the brain with each algorithm's weights."
CAPTION = "The models themselves: every algorithm's weights in the brain."


class Brain(View):
    """Maps of the models, where these are weights of voxels, and models and voxels are on this disk."""

    raster: ClassVar = True
    columns: ClassVar = {"wide": 2}

    def table(self, results: ExperimentResults, figure: Figure) -> pd.DataFrame:
        """The share of voxels that each model uses; empty where they cannot be drawn."""
        if not (_on_disk(results) and find_spec("nilearn")):
            return pd.DataFrame()
        from fedatlas.report.views import _brain_maps

        used = _brain_maps.shares_used(results)
        return pd.DataFrame({"algorithm": [*used], "used": [*used.values()]})

    def draw(self, results: ExperimentResults, figure: Figure, theme: Theme, columns: int) -> plt.Figure:
        from fedatlas.report.views import _brain_maps  # nilearn takes a second to import

        return _brain_maps.arrange(_brain_maps.maps(results, theme), columns)

    def panels(self, results: ExperimentResults, figure: Figure) -> int:
        return len(results.runs)

    def alt(self, results: ExperimentResults, figure: Figure) -> str:
        used = ", ".join(
            f"{results.names[row.algorithm]} {row.used:.0%}" for row in self.table(results, figure).itertuples()
        )
        return f"{ALT} Share of voxels that are used: {used}."

    def caption(self, results: ExperimentResults, figure: Figure) -> str:
        return CAPTION


def _on_disk(results: ExperimentResults) -> bool:
    stores = results.stores
    return stores is not None and all(
        (run.folder / "model.npz").is_file() and (stores / run.manifest.dataset.id).is_dir() for run in results.all
    )
