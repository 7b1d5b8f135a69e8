"""What a paper's file must say beyond its form: that there are its experiments, algorithms, metrics and claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from fedatlas.config import Place, written
from fedatlas.errors import AtlasError, Keys
from fedatlas.experiments.data_fit import check_recorded
from fedatlas.experiments.recorded import Entries, Recorded
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Experiment, Known
from fedatlas.names import instead
from fedatlas.report.model.figure import Figure, Table
from fedatlas.report.model.findings import HEADINGS, Findings
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper
from fedatlas.results.metric import Metric


class _Names(NamedTuple):
    """A list of names in a file, what they name, and what there is of it."""

    key: Keys
    names: Collection[str]
    what: str
    there: Collection[str]


def check_paper(
    paper: Paper, place: Place, known: Known, entries: Entries, claims: Collection[str], printed: PaperResults
) -> None:
    """Checks a paper against the experiments and the claims of the atlas.

    Args:
        entries: what has been looked up of the experiments so far.
        claims: the ids of the paper's verdicts.

    Raises:
        AtlasError: names the file, the line, the key, the value and what there is.
    """
    mine = {one.id: one for one in known[Scale.PAPER].values() if one.paper == paper.id}
    try:
        for number, figure in enumerate(paper.figures):
            key = ("figures", number)
            _check_names(_names_of(figure, key, mine, entries))
            _check_panels(figure, key, paper, known, entries)
            if figure.table:
                _check_table(figure.table, (*key, "table"), mine, printed)
        if paper.findings:
            _check_names(_names_of_findings(paper, paper.findings, mine, claims))
    except AtlasError as error:
        raise place.error(error) from error


def _check_names(lists: Iterable[_Names]) -> None:
    for key, names, what, there in lists:
        for name in names:
            if name not in there:
                where = written(key)
                raise AtlasError(
                    f"'{where}' names the {what} '{name}', which does not exist; {instead(name, sorted(there))}", key
                )


def _shown(figure: Figure, mine: Iterable[Experiment]) -> list[Experiment]:
    """The experiments of a figure's paper whose runs it shows, other readings too."""
    return [one for one in mine if one.figure == figure.id or one.id in figure.of]


def _names_of(figure: Figure, key: Keys, mine: Mapping[str, Experiment], entries_of: Entries) -> Iterator[_Names]:
    """The names that a figure uses; panels and guides may be of what it shows alone."""
    shown = _shown(figure, mine.values())
    ids, entries = [one.id for one in shown], {entry for one in shown for entry in one.algorithms}
    yield _Names((*key, "of"), figure.of, "experiment", [*mine])
    yield _Names((*key, "algorithms"), figure.algorithms, "algorithm", entries)
    yield _Names((*key, "side_by_side"), figure.side_by_side, "experiment", ids)
    yield _Names((*key, "truth"), figure.truth, "metric of a panel", {panel.metric for panel in figure.panels})
    settings = {name for one in shown for entry in one.algorithms for name in entries_of.resolved(one, entry).sweep}
    for number, panel in enumerate(figure.panels):
        yield _Names((*key, "panels", number, "of"), panel.of, "experiment", [*mine])
        yield _Names((*key, "panels", number, "algorithms"), panel.algorithms, "algorithm", entries)
        along = (panel.along,) if panel.along else ()
        yield _Names((*key, "panels", number, "along"), along, "hyper-parameter", settings)
    for number, guide in enumerate(figure.guides):
        yield _Names((*key, "guides", number, "of"), guide.of, "experiment", ids)
        yield _Names((*key, "guides", number, "run"), (guide.run,) if guide.run else (), "algorithm", entries)


def _check_panels(figure: Figure, key: Keys, paper: Paper, known: Known, entries: Entries) -> None:
    """Checks that some algorithm of every experiment that a panel shows records its metric, at every scale."""
    places: list[tuple[Keys, Metric]] = [((*key, "panels", n), panel) for n, panel in enumerate(figure.panels)]
    if figure.scatter:
        places += [((*key, "scatter", axis), getattr(figure.scatter, axis)) for axis in ("x", "y")]
    for scale in Scale:
        for experiment in _shown(figure, [one for one in known[scale].values() if one.paper == paper.id]):
            if figure.scatter and scale == Scale.PAPER and experiment.runs_here:
                _check_rounds(figure.scatter.rounds, (*key, "scatter", "rounds"), experiment)
            there = _recorded(experiment, figure, entries) if experiment.runs_here else None
            for where, metric in places if there is not None else ():
                of = getattr(metric, "of", ())
                if not of or experiment.id in of:
                    _check_metric(metric, there, where, experiment)


def _check_rounds(numbers: Iterable[int], key: Keys, experiment: Experiment) -> None:
    for number in numbers:
        if not experiment.evaluates(number):
            raise AtlasError(
                f"'{written(key)}' has the round {number}, at which {experiment.key} is not evaluated: it is every "
                f"{experiment.evaluation.every} rounds, up to {experiment.training.rounds}.",
                key,
            )


def _check_metric(metric: Metric, there: Recorded | None, where: Keys, experiment: Experiment) -> None:
    try:
        check_recorded(metric, there or frozenset(), where)
    except AtlasError as error:
        raise AtlasError(f"{error} ({experiment.key} at {experiment.scale} scale)", error.key) from error


def _recorded(experiment: Experiment, figure: Figure, of_entries: Entries) -> Recorded | None:
    """What any of the algorithms that a figure shows records; None if that is not known before."""
    entries = [entry for entry in experiment.algorithms if not figure.algorithms or entry in figure.algorithms]
    found = [of_entries.recorded(experiment, entry) for entry in entries or experiment.algorithms]
    return None if None in found else frozenset().union(*(one for one in found if one is not None))


def _check_table(table: Table, key: Keys, mine: Mapping[str, Experiment], printed: PaperResults) -> None:
    """Checks that the printed numbers of a table are there, and the experiments beside them."""
    try:
        content = printed[table.source]
    except AtlasError as error:
        raise AtlasError(f"'{written(key)}.source': {error}", (*key, "source")) from error
    variants = [id for ids in table.variants.values() for id in ids]
    _check_names([
        _Names((*key, "cells"), (table.cells,), f"key of config/paper_results/{table.source}.yaml", [*content]),
        _Names((*key, "of"), table.of.values(), "experiment", [*mine]),
        _Names((*key, "beside"), table.beside.values(), "experiment", [*mine]),
        _Names((*key, "variants"), variants, "experiment", [*mine]),
    ])  # fmt: skip


def _names_of_findings(
    paper: Paper, findings: Findings, mine: Mapping[str, Experiment], claims: Collection[str]
) -> Iterator[_Names]:
    picture, key = findings.picture, ("findings", "picture")
    yield _Names((*key, "experiment"), (picture.experiment,), "experiment", [*mine])
    yield _Names((*key, "figure"), (picture.figure,), "figure", [figure.id for figure in paper.figures])
    yield _Names((*key, "algorithms"), picture.algorithms, "algorithm", mine[picture.experiment].algorithms)
    yield _Names(("findings", "not_counted"), findings.not_counted, "experiment", [*mine])
    yield _Names(("findings", "answer", "rests_on"), findings.answer.rests_on, "claim", claims)
    for part in HEADINGS:
        for number, sentence in enumerate(getattr(findings.summary, part)):
            where = ("findings", "summary", part, number, "rests_on")
            yield _Names(where, sentence.rests_on, "claim", claims)
