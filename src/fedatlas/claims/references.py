"""What the terms of a claim refer to: whose runs it speaks about, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fedatlas.claims.quantities import Quantity
from fedatlas.experiments.spec import Experiment
from fedatlas.results.collection import Results
from fedatlas.results.run import Run

if TYPE_CHECKING:
    from fedatlas.claims.schema import Claim


class References:
    """Resolves the terms of one claim: `fedmid`, or `lasso_I/fedmid` for another experiment of the paper."""

    def __init__(self, claim: Claim, results: Results):
        self.claim, self.results = claim, results

    def split(self, term: str) -> tuple[str, str]:
        """(experiment key, algorithm) of a term."""
        experiment, _, algorithm = term.rpartition("/")
        return f"{self.claim.paper}/{experiment or self.claim.experiment}", algorithm

    def experiment(self, term: str) -> Experiment:
        return self.results[self.split(term)[0]].experiment

    def runs(self, term: str) -> Mapping[int, Run]:
        key, algorithm = self.split(term)
        return self.results[key].of(algorithm)

    def sweep(self, term: str) -> tuple[int, Run]:
        """(seed, run) of the first sweep of a term."""
        return next((seed, run) for seed, run in self.runs(term).items() if run.is_sweep)

    def name(self, term: str) -> str:
        """The algorithm's display name, with its experiment's figure where that is another one."""
        name = next(iter(self.runs(term).values())).name
        return name if self.experiment(term).id == self.claim.experiment else f"{name} in {self.place(term)}"

    def place(self, term: str) -> str:
        """What tells a term's experiment from the claim's others: its figure, or its title where they share that."""
        figures = {self.results[key].experiment.figure for key in self.claim.experiments}
        shared = len(figures) < len(self.claim.experiments)
        return self.experiment(term).title if shared else self.experiment(term).figure

    def measure(self, term: str, quantity: Quantity) -> dict[int, float]:
        """The quantity by seed."""
        runs = self.runs(term).items()
        return {s: quantity.measure(r) for s, r in runs if r.is_sweep or not quantity.sweep_only}

    def shown(self, term: str, quantity: Quantity) -> str:
        """Every seed's number, once if they are written alike: 'FedMiD 0.71, 0.74' or 'FedMiD never (2 seeds)'."""
        numbers = [quantity.format(value) for value in self.measure(term, quantity).values()]
        alike = len(numbers) > 1 and len(set(numbers)) == 1
        return f"{self.name(term)} {f'{numbers[0]} ({len(numbers)} seeds)' if alike else ', '.join(numbers)}"
