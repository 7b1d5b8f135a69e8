"""Lists in a notebook, to choose what is trained from."""

from __future__ import annotations

from typing import Any

import ipywidgets
from IPython.display import display

from fedatlas.experiments.spec import Experiment


class Chooser:
    """The experiment, the algorithm and the seed of a run, as lists that show what there is.

    Attributes:
        experiment, algorithm, seed: what is chosen now; at first what the parameters of the notebook say.
    """

    def __init__(self, known: dict[str, Experiment], experiment: str, algorithm: str, seed: int):
        self._known = known
        style: dict[str, Any] = {"style": {"description_width": "7em"}, "layout": {"width": "34em"}}
        self._experiment = ipywidgets.Dropdown(options=[*known], value=experiment, description="experiment", **style)
        self._algorithm = ipywidgets.Dropdown(description="algorithm", **style)
        self._seed = ipywidgets.Dropdown(description="seed", **style)
        self._offer(algorithm, seed)
        self._experiment.observe(lambda change: self._offer(self.algorithm, self.seed), names="value")
        display(ipywidgets.VBox([self._experiment, self._algorithm, self._seed]))

    @property
    def experiment(self) -> str:
        return self._experiment.value

    @property
    def algorithm(self) -> str:
        return self._algorithm.value

    @property
    def seed(self) -> int:
        return self._seed.value

    def _offer(self, algorithm: str, seed: int) -> None:
        """What the experiment has; what was chosen stays where it has that too."""
        chosen = self._known[self.experiment]
        seeds = [*chosen.seeds.sweep, *chosen.seeds.tuned]
        for widget, options, value in ((self._algorithm, [*chosen.algorithms], algorithm), (self._seed, seeds, seed)):
            widget.options = options
            widget.value = value if value in options else options[0]
