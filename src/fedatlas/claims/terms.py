"""The terms of a claim: whose runs it speaks about, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedatlas.claims import schema
from fedatlas.experiments.spec import Experiment
from fedatlas.results.collection import Results
from fedatlas.results.run import Run


class Terms:
    """Resolves the terms of one claim: `fedmid`, or `lasso_I/fedmid` for another experiment of the paper."""

    def __init__(self, claim: schema.Claim, results: Results):
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

    def name(self, term: str) -> str:
        """The algorithm's display name, with its experiment's figure where that is another one."""
        name = next(iter(self.runs(term).values())).name
        return name if self.experiment(term).id == self.claim.experiment else f"{name} in {self.place(term)}"

    def place(self, term: str) -> str:
        """What tells a term's experiment from the claim's others: its figure, or its title where they share that."""
        figures = {self.results[key].experiment.figure for key in experiments_of(self.claim)}
        shared = len(figures) < len(experiments_of(self.claim))
        return self.experiment(term).title if shared else self.experiment(term).figure

    def measure(self, term: str, quantity: Any) -> dict[int, float]:
        """The quantity by seed."""
        runs = self.runs(term).items()
        return {s: quantity.measure(r) for s, r in runs if r.is_sweep or not quantity.sweep_only}

    def shown(self, term: str, quantity: Any) -> str:
        """Every seed's number, once if they are written alike: 'FedMiD 0.71, 0.74' or 'FedMiD never (2 seeds)'."""
        numbers = [quantity.format(value) for value in self.measure(term, quantity).values()]
        alike = len(numbers) > 1 and len(set(numbers)) == 1
        return f"{self.name(term)} {f'{numbers[0]} ({len(numbers)} seeds)' if alike else ', '.join(numbers)}"


def experiments_of(claim: schema.Claim) -> set[str]:
    """The keys of all experiments that a claim needs."""
    check, terms = claim.check, ()
    if isinstance(check, schema.Ordering):
        terms = [term for group in check.order for term in group]
    elif isinstance(check, schema.Gap):
        terms = check.between
    elif isinstance(check, schema.Ratio):
        terms = (check.of, *check.to)
    others = {f"{claim.paper}/{term.rpartition('/')[0]}" for term in terms if "/" in term}
    return others | {f"{claim.paper}/{claim.experiment}"}
