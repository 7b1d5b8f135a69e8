"""What the terms of a claim refer to: whose runs it speaks about, and what they are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from fedatlas.claims.quantities import Quantity
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import hyperparameter_name, number
from fedatlas.results.collection import Results
from fedatlas.results.metric import ROUNDING
from fedatlas.results.run import Run

if TYPE_CHECKING:
    from fedatlas.claims.readings import Subject


@dataclass(frozen=True)
class Measured:
    """One term's number by seed.

    Attributes:
        values: NaN where the run has diverged, or nothing can be measured.
        independent: the seeds that did not select the configuration that was measured.
        diverged: the seeds whose run has.
        sampling: standard error from the examples that all seeds share; what every seed draws anew spreads the values.
        logarithmic: the values are powers of ten.
    """

    values: Mapping[int, float]
    independent: frozenset[int]
    diverged: frozenset[int] = frozenset()
    sampling: float = 0.0
    logarithmic: bool = False

    def with_diverged(self, value: float) -> Measured:
        """The same with a number for the seeds whose run has diverged."""
        return replace(self, values={seed: value if seed in self.diverged else v for seed, v in self.values.items()})

    @property
    def rounding(self) -> float:
        """How far apart two such numbers can be that are equal but for rounding."""
        if self.logarithmic:
            return math.log10(1 + ROUNDING)
        return ROUNDING * max((abs(value) for value in self.values.values() if math.isfinite(value)), default=0.0)

    @property
    def in_powers_of_ten(self) -> Measured:
        """The logarithms of its values; that of zero lies below all others. Raises AtlasError for a negative one."""
        if any(value < 0 for value in self.values.values()):
            raise AtlasError("'lead: factor' is for numbers that cannot be negative, and one is.", ("check", "lead"))
        powers = {seed: math.log10(value) if value else -math.inf for seed, value in self.values.items()}
        sampling = self.relative_sampling / math.log(10)
        return replace(self, values=powers, sampling=sampling, logarithmic=True)

    @property
    def relative_sampling(self) -> float:
        """The standard error as a share of the number."""
        return max((self.sampling / value for value in self.counted if value > 0), default=0.0)

    @property
    def missing(self) -> bool:
        """Whether there is no number on a seed that counts, as the run has diverged or nothing can be measured."""
        return any(map(math.isnan, self.counted))

    @property
    def counted(self) -> list[float]:
        """The numbers of the independent seeds, or of all if there are none."""
        return [self.values[seed] for seed in sorted(self.independent)] or list(self.values.values())


class References:
    """Resolves the terms of one claim: `fedmid`, or `lasso_I/fedmid` for another experiment of the paper."""

    def __init__(self, subject: Subject, results: Results):
        self.subject, self.claim, self.results = subject, subject.claim, results

    def split(self, term: str) -> tuple[str, str]:
        """(experiment key, algorithm) of a term, under the reading at hand."""
        experiment, _, algorithm = term.rpartition("/")
        return self.subject.exchange(f"{self.claim.paper}/{experiment or self.claim.experiment}"), algorithm

    def experiment(self, term: str) -> Experiment:
        return self.results[self.split(term)[0]].experiment

    def runs(self, term: str) -> Mapping[int, Run]:
        key, algorithm = self.split(term)
        return self.results[key].of(algorithm)

    def knows(self, term: str) -> bool:
        """Whether the term's experiment has its algorithm."""
        key, algorithm = self.split(term)
        return algorithm in self.results[key].experiment.algorithms

    def holds(self, term: str) -> bool:
        """Whether the results have the term's algorithm; the experiment may have got it after they were published."""
        key, algorithm = self.split(term)
        return algorithm in self.results[key].runs

    def sweeps(self, term: str) -> dict[int, Run]:
        """The sweeps of a term, by seed. The first selects for the runs that trained one configuration alone."""
        return {seed: run for seed, run in self.runs(term).items() if run.is_sweep}

    def name(self, term: str) -> str:
        """The algorithm's display name, with its experiment's figure where that is another one."""
        name = next(iter(self.runs(term).values())).name
        own = self.subject.exchange(f"{self.claim.paper}/{self.claim.experiment}")
        return name if self.split(term)[0] == own else f"{name} in {self.place(term)}"

    def place(self, term: str) -> str:
        """What tells a term's experiment from the claim's others: its figure, or its title where they share that."""
        figures = {self.results[key].experiment.figure for key in self.subject.experiments}
        shared = len(figures) < len(self.subject.experiments)
        return self.experiment(term).title if shared else self.experiment(term).figure

    def measure(self, term: str, quantity: Quantity) -> Measured:
        """The quantity by seed; NaN for a run that has diverged."""
        runs = {s: run for s, run in self.runs(term).items() if run.is_sweep or not quantity.sweep_only}
        independent = frozenset(s for s, run in runs.items() if quantity.sweep_only or not run.chose)
        diverged = frozenset(s for s, run in runs.items() if not quantity.sweep_only and _has_diverged(run))
        values = {seed: math.nan if seed in diverged else quantity.measure(run) for seed, run in runs.items()}
        return Measured(values, independent, diverged, _sampling(runs, values, quantity))

    def shown(self, term: str, quantity: Quantity, found: Measured) -> str:
        """The numbers of the seeds that count, one if all are alike: 'FedMiD 0.71, 0.74', 'FedMiD never (2 seeds)'."""
        numbers = [quantity.format(value) for value in found.counted]
        alike = len(numbers) > 1 and len(set(numbers)) == 1
        return f"{self.name(term)} {f'{numbers[0]} ({len(numbers)} seeds)' if alike else ', '.join(numbers)}"

    def edges(self, term: str, quantity: Quantity | None) -> list[str]:
        """The selected values of a term that lie on an edge of its grid, in words.

        They are those of the first sweep, which selects for others, or of all sweeps where their own numbers count; of
        a value that is fixed they are those of the experiment whose sweep has selected it.
        """
        sweeps = list(self.sweeps(term).values())
        alone = len(sweeps) == len(self.runs(term)) or (quantity is not None and quantity.sweep_only)
        found = [
            f"{hyperparameter_name(name)} = {number(run.configuration[name])}, the {end} tried"
            for run in (sweeps if alone else sweeps[:1])
            for name, end in on_edge(run).items()
        ]
        return list(dict.fromkeys([*found, *self._edges_elsewhere(term)]))

    def _edges_elsewhere(self, term: str) -> Iterator[str]:
        """The values of a term, fixed here, that lie on an edge of the grid from which another experiment took them."""
        key, algorithm = self.split(term)
        source = f"{self.claim.paper}/{self.results[key].experiment.rates_from}"
        if source not in self.results.experiments or algorithm not in self.results[source].runs:
            return
        fixed, selecting = self.results[key].any_run(algorithm), self.results[source].sweep_run(algorithm)
        for name, end in on_edge(selecting).items():
            value = selecting.configuration[name]
            if name not in fixed.varied and fixed.configuration.get(name) == value:
                place = self.results[source].experiment.figure
                yield f"{hyperparameter_name(name)} = {number(value)}, the {end} tried for {place}"


def on_edge(run: Run) -> dict[str, Literal["lowest", "highest"]]:
    """The hyper-parameters whose selected value is the lowest or highest of the grid, of those that have several."""
    found: dict[str, Literal["lowest", "highest"]] = {}
    for name in run.varied:
        tried, chosen = {one[name] for one in run.grid if name in one}, run.configuration.get(name)
        if chosen in (min(tried), max(tried)):
            found[name] = "highest" if chosen == max(tried) else "lowest"
    return found


def paired(first: Measured, second: Measured, difference: Callable[[float, float], float]) -> dict[int, float]:
    """What two numbers differ by, of sides that have the same seeds (see `on_common_seeds`)."""
    return {seed: difference(value, second.values[seed]) for seed, value in first.values.items()}


def on_common_seeds(*sides: Measured) -> tuple[Measured, ...]:
    """The sides on the seeds that all have; independent are those that selected none of their configurations.

    Raises:
        AtlasError: if they have no seed in common.
    """
    seeds = [seed for seed in sides[0].values if all(seed in side.values for side in sides)]
    if not seeds:
        listed = " and ".join(str(sorted(side.values)) for side in sides)
        raise AtlasError(f"'check' compares runs that have no seed in common: {listed}.", ("check",))
    independent = frozenset.intersection(frozenset(seeds), *(side.independent for side in sides))
    return tuple(
        replace(side, values={seed: side.values[seed] for seed in seeds}, independent=independent) for side in sides
    )


def _sampling(runs: Mapping[int, Run], values: Mapping[int, float], quantity: Quantity) -> float:
    if not _share_examples(runs.values(), getattr(quantity, "split", "")):
        return 0.0
    return max((quantity.sampling_error(run, values[seed]) for seed, run in runs.items()), default=0.0)


def _share_examples(runs: Iterable[Run], split: str) -> bool:
    """Whether all seeds have the same examples: those of one store, or the standard test examples of dealt data.

    FEMNIST is not dealt: its test examples are those of its writers, whom a seed may draw.
    """
    data = [run.manifest.dataset for run in runs]
    dealt = all("partition" in one.options and one.options.get("splits") == "standard" for one in data)
    return (dealt and split == "test") or len({one.sha256 for one in data}) <= 1


def _has_diverged(run: Run) -> bool:
    return run.selected in run.manifest.diverged
