"""A claim under each reading of what its paper leaves open.

The experiments of a claim are exchanged for those that read one assumption in another way; the check stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fedatlas.claims.schema import Claim
from fedatlas.experiments.spec import Experiment, Reading


@dataclass(frozen=True)
class Subject:
    """What is judged: a claim, under the main reading or under another one.

    Attributes:
        exchanged: id of the experiment that stands for each main one; empty for the main reading.
    """

    claim: Claim
    reading: Reading | None = None
    exchanged: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The claim's, or `<id>@<experiment>` under another reading."""
        return f"{self.claim.id}@{self.exchanged[self.claim.experiment]}" if self.exchanged else self.claim.id

    @property
    def key(self) -> str:
        """Key of the experiment that it is about."""
        return self.exchange(f"{self.claim.paper}/{self.claim.experiment}")

    @property
    def experiments(self) -> set[str]:
        """The keys of all experiments that it needs."""
        return {self.exchange(key) for key in self.claim.experiments}

    def exchange(self, key: str) -> str:
        """The key of the experiment that stands for this one under the reading."""
        paper, _, experiment = key.partition("/")
        return f"{paper}/{self.exchanged.get(experiment, experiment)}"


def subjects(claim: Claim, known: Mapping[str, Experiment]) -> Iterator[Subject]:
    """The claim under its main reading, then under every other reading of its experiment.

    Where the reading has others that the claim needs, they stand for theirs too. A reading that leaves out an algorithm
    which the claim speaks about, as it is not concerned, does not judge it. Nor does one whose runs have no seed that
    counts in common with those of other experiments that the claim compares them with.
    """
    yield Subject(claim)
    found: dict[tuple[str, str], tuple[Reading, dict[str, str]]] = {}
    for experiment in known.values():
        reading = experiment.reading
        if reading is None or f"{experiment.paper}/{reading.of}" not in claim.experiments:
            continue
        if _terms(claim, reading.of) <= set(experiment.algorithms):
            _, exchanged = found.setdefault((reading.assumption, reading.how), (reading, {}))
            exchanged[reading.of] = experiment.id
    for reading, exchanged in found.values():
        subject = Subject(claim, reading, exchanged)
        if claim.experiment in exchanged and _share_seeds(subject, known):
            yield subject


def _share_seeds(subject: Subject, known: Mapping[str, Experiment]) -> bool:
    """Whether all that are compared with each other have a seed in common whose numbers count."""
    claim = subject.claim
    places = [
        [f"{claim.paper}/{term.rpartition('/')[0] or claim.experiment}" for term in pair] for pair in claim.check.pairs
    ]
    seeds = ([{*known[subject.exchange(key)].seeds.counted} for key in pair] for pair in places)
    return all(one & other for one, other in seeds)


def registered_readings(claims: Iterable[Claim], known: Mapping[str, Experiment]) -> dict[str, list[str]]:
    """How the other readings of every claim read that there is a file of, run or not, by the claim's id."""
    found = {claim.id: [one.reading.how for one in subjects(claim, known) if one.reading] for claim in claims}
    return {id: readings for id, readings in found.items() if readings}


def _terms(claim: Claim, experiment: str) -> set[str]:
    """The algorithms of one experiment that decide a claim."""
    places = (term.rpartition("/") for term in claim.check.involved)
    return {algorithm for where, _, algorithm in places if (where or claim.experiment) == experiment}
