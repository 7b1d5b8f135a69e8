"""What a claim must say beyond its form: that there are its experiments, algorithms, metrics, rounds and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fedatlas.claims.checks import Check
from fedatlas.claims.checks.bound import Bound
from fedatlas.claims.checks.choice import Choice
from fedatlas.claims.quantities import Quantity
from fedatlas.claims.quantities._base import OfSweep
from fedatlas.claims.schema import Claim
from fedatlas.config import Place, written
from fedatlas.errors import AtlasError, Keys
from fedatlas.experiments.data_fit import check_recorded
from fedatlas.experiments.recorded import Entries, Recorded
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment, Known
from fedatlas.names import instead
from fedatlas.results.metric import Metric


class _Term(NamedTuple):
    """A term of a claim: an algorithm of an experiment at one scale."""

    experiment: Experiment
    algorithm: str
    scale: Scale


def check_claims(claims: Iterable[tuple[Claim, Place]], known: Known, entries: Entries) -> None:
    """Checks claims against the experiments that they are about, at every scale at which these are run.

    Args:
        entries: what has been looked up of the experiments so far.

    Raises:
        AtlasError: names the file, the line, the claim, the key, the value and what there is.
    """
    for claim, place in claims:
        try:
            _check(claim, known, entries)
        except AtlasError as error:
            raise place.error(error) from error


def _check(claim: Claim, known: Known, entries: Entries) -> None:
    check = claim.check
    _check_experiments(claim, known)
    _check_pairs(claim, known)
    for term in check.terms_judged:
        for found in _at_scales(claim, term, known):
            _check_term(check, found, found.scale.size >= claim.needs_scale.size, entries)


def _check_experiments(claim: Claim, known: Known) -> None:
    """Checks that every experiment that the claim needs is there."""
    there = {key.partition("/")[2] for key in known[Scale.PAPER] if key.startswith(f"{claim.paper}/")}
    own = claim.experiment if claim.experiment not in there else None
    others = {key.partition("/")[2] for key in claim.experiments} - there
    if own or others:
        name, key = (own, "experiment") if own else (min(others), "check")
        raise AtlasError(
            f"'{key}' names the experiment '{name}', which {claim.paper} does not have; {instead(name, sorted(there))}",
            (key,),
        )


def _check_pairs(claim: Claim, known: Known) -> None:
    """Checks that no two terms that are compared are one, as with `also` they may be, and that they share a seed."""
    for pair in claim.check.pairs:
        one, other = ({found.scale: found for found in _at_scales(claim, term, known)} for term in pair)
        for scale in sorted({*one} & {*other}):
            first, second = one[scale], other[scale]
            if first == second:
                raise AtlasError(f"'check' compares {pair[0]} of {first.experiment.key} with itself.", ("check",))
            if not {*first.experiment.seeds.counted} & {*second.experiment.seeds.counted}:
                what = f"{pair[0]} with {pair[1]}, which have no seed in common that counts at {scale} scale"
                raise AtlasError(f"'check' compares {what}.", ("check",))


def _at_scales(claim: Claim, term: str, known: Known) -> Iterator[_Term]:
    """A term at every scale at which its experiment is run."""
    where, _, algorithm = term.rpartition("/")
    key = f"{claim.paper}/{where or claim.experiment}"
    for scale in known[Scale.PAPER][key].scales:
        experiment = known[scale][key]
        if algorithm not in experiment.algorithms:
            raise AtlasError(
                f"'check' names the algorithm '{algorithm}', which {key} does not have; "
                f"{instead(algorithm, experiment.algorithms, 'it has')}",
                ("check",),
            )
        yield _Term(experiment, algorithm, scale)


def _check_term(check: Check, term: _Term, decides: bool, entries: Entries) -> None:
    """Checks what is measured of a term.

    Args:
        decides: whether the claim is judged at this scale, so that its rounds must have been evaluated.
    """
    quantity: Quantity | None = getattr(check, "quantity", None)
    resolved, prefix = entries.resolved(term.experiment, term.algorithm), _prefix(check)
    settings = tuple(check.expect) if isinstance(check, Choice) else quantity.settings if quantity else ()
    _check_settings(settings, resolved, term, any_of=quantity is not None and len(quantity.reads) > 0)
    if quantity is None:
        return
    there = entries.recorded(term.experiment, term.algorithm)
    if there is not None:
        _check_reads(quantity, there, prefix, term)
    for key, number in quantity.rounds.items() if decides else ():
        _check_round(number, (*prefix, key), resolved, term)
    if isinstance(quantity, OfSweep):
        _check_trained(quantity, prefix, resolved, term)


def _check_reads(quantity: Quantity, there: Recorded, prefix: Keys, term: _Term) -> None:
    for read in quantity.reads:
        try:
            check_recorded(Metric.model_construct(metric=read.metric, split=read.split), there, prefix)
        except AtlasError as error:
            raise AtlasError(f"{error} ({term.experiment.key}, {term.algorithm})", (*prefix, read.key)) from error


def _prefix(check: Check) -> Keys:
    """Where the keys of a check's quantity stand; a bound is written flat."""
    return ("check",) if isinstance(check, Bound) else ("check", "quantity")


def _check_settings(names: tuple[str, ...], resolved: Experiment, term: _Term, any_of: bool) -> None:
    """Checks that the algorithm has the hyper-parameters, or any of them."""
    unknown = [name for name in names if name not in resolved.sweep]
    if unknown and not (any_of and len(unknown) < len(names)):
        raise AtlasError(
            f"'check' names the hyper-parameter '{unknown[0]}', which {term.algorithm} of {term.experiment.key} does "
            f"not have; {instead(unknown[0], resolved.sweep, 'it has')}",
            ("check",),
        )


def _check_trained(quantity: OfSweep, prefix: Keys, resolved: Experiment, term: _Term) -> None:
    """Checks that all configurations were trained up to the rounds that are read, not only the selected one."""
    until, rounds = resolved.select.until, resolved.training.rounds
    if until is not None and until < rounds and max(quantity.rounds.values(), default=rounds) > until:
        raise AtlasError(
            f"'{written(prefix)}' is of all configurations of {term.algorithm} of {term.experiment.key}, but after "
            f"'select.until', round {until}, only the selected one is trained at {term.scale} scale.",
            prefix,
        )


def _check_round(number: int, key: Keys, resolved: Experiment, term: _Term) -> None:
    if not resolved.evaluates(number):
        raise AtlasError(
            f"'{written(key)}' is round {number}, at which {term.algorithm} of {term.experiment.key} is not "
            f"evaluated at {term.scale} scale: it is every {resolved.evaluation.every} rounds, up to "
            f"{resolved.training.rounds}.",
            key,
        )
