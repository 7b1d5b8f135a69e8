"""Whether a claim and its experiment's settings were written before the first run that they judge, read from git.

A claim is what its check compares: kind, quantity, order, margins, thresholds and experiment, and where it is judged at
a smaller scale than the paper's whether it is judged there, and whether it counts or holds by construction; what a miss
on the better side is called is no part of it. It is as it was if it is today what it was before the first run that was
ever published of an experiment that it needs: in a commit that is older than that run and, where the run's own commit
is in the history, part of that.
Of the settings (see `published_runs`) only those of the algorithms count that the claim compares.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fedatlas.claims.git import Commit, History
from fedatlas.claims.published_runs import Runs, Start, published_runs
from fedatlas.claims.renaming import Renamings, renamed
from fedatlas.claims.tables import unfolded
from fedatlas.config import Place
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale

BEFORE, CHANGED, ADDED = "registered before the run", "changed after a result", "added after a result"
UNSHOWN = "settings not shown by git before the run"

Form = Mapping[str, Any]  # what a claim compares
Versions = list[tuple[Commit, Form]]  # oldest first
Subject = tuple[str, str, str]  # paper, id without `@...`, and experiment of a claim


def registered(root: Path) -> dict[str, dict[str, Any]]:
    """The state of every claim whose experiment is published, by `<paper>/<id>`.

    Args:
        root: the folder of the repository.

    Returns:
        Of each `state`, `words` (one or two sentences), `since` (the commit since which the claim is as it is),
        `first_run` (when the first run that it judges was started) and what `changed` after it.

    Raises:
        AtlasError: if the history cannot be read.
    """
    history = History(root)
    renamings = Renamings(history, root / "config/renamed.yaml")
    claims = _claims(history, renamings)
    runs = {key: _runs(history, renamings, key) for key in _published(root)}
    found = {}
    for (paper, _, about), (id, versions) in claims.items():
        main, check = f"{paper}/{about}", versions[-1][1]["check"]
        for key in _judges(main, check, runs):
            name = f"{paper}/{id}" if key == main else f"{paper}/{id}@{key.partition('/')[2]}"
            found[name] = _state(history, versions, _judged(check, key, main, runs), runs[key].scale)
    return dict(sorted(found.items()))


def _judges(main: str, check: Mapping[str, Any], runs: Mapping[str, Runs]) -> Iterator[str]:
    """The keys of a claim's published experiment and of its readings, but those without an algorithm that it names."""
    named = runs[main].algorithms.intersection(_words(check)) if main in runs else frozenset()
    for key, own in runs.items():
        if key == main or (_reads(key, own, main) and named <= own.algorithms):
            yield key


def _reads(key: str, runs: Runs, main: str) -> bool:
    """Whether an experiment is another reading of a main one."""
    return bool(runs.reading) and f"{key.partition('/')[0]}/{runs.reading['of']}" == main


def _published(root: Path) -> list[str]:
    return sorted("/".join(path.parts[-3:-1]) for path in (root / "reports/published").glob("*/*/manifest.json"))


def _runs(history: History, renamings: Renamings, key: str) -> Runs:
    runs = published_runs(history, renamings, key)
    if runs is None:
        raise AtlasError(f"reports/published/{key}/manifest.json is not committed: commit it, then register.")
    return runs


def _claims(history: History, renamings: Renamings) -> dict[Subject, tuple[str, Versions]]:
    """The id of each of today's claims, and every form that it ever had."""
    known: dict[Subject, Versions] = {}
    now: dict[Subject, str] = {}
    for commit in history.commits("config/claims", "config/paper_results"):
        names, now = renamings.at(commit), {}
        read_table = functools.partial(_table, history, commit)
        for path, blob in history.files(commit, "config/claims").items():
            whole = history.yaml(blob).get("claims", ())
            entries = [claim for entry in whole for claim in unfolded(entry, read_table, Place(Path(path)))]
            for id, subject, form in _forms(entries, path.split("/")[2], names):
                versions = known.setdefault(subject, [])
                now[subject] = id
                if not versions or versions[-1][1] != form:
                    versions.append((commit, form))
    return {subject: (id, known[subject]) for subject, id in now.items()}


def _table(history: History, commit: Commit, name: str) -> Mapping[str, Any]:
    """A printed table as it stood in a commit."""
    path = f"config/paper_results/{name}.yaml"
    return history.yaml(history.files(commit, path)[path])


def _forms(
    claims: Iterable[Mapping[str, Any]], paper: str, names: Mapping[str, str]
) -> Iterator[tuple[str, Subject, Form]]:
    """Id, subject and form of every claim of a file."""
    for claim in claims:
        if not {"id", "experiment"} <= claim.keys():  # it was not yet a claim
            continue
        id, main = names.get(claim["id"], claim["id"]), claim["experiment"]
        check = renamed({key: value for key, value in claim.get("check", {}).items() if key != "better"}, names)
        counts = not claim.get("by_construction")
        form = {"check": check, "needs_scale": claim.get("needs_scale"), "counts": counts}
        for experiment in (main, *claim.get("also", ())):
            yield id if experiment == main else f"{id}@{experiment}", (paper, id.partition("@")[0], experiment), form


def _judged(
    check: Mapping[str, Any], key: str, main: str, runs: Mapping[str, Runs]
) -> dict[str, tuple[Runs, set[str]]]:
    """The experiments that a claim judges, its own first, and the algorithms of each that it compares.

    Under a reading its experiments stand for the main ones; these come too, as their results are a look at what the
    claim will say.
    """
    words = set(_words(check))
    named = words & runs[key].algorithms or set(runs[key].algorithms)
    reference = runs[key].reference
    found = {key: (runs[key], named | ({reference} if reference else set()))}
    if main in runs:
        found.setdefault(main, (runs[main], set()))
    for place, slash, algorithm in (word.rpartition("/") for word in words):
        other = f"{key.partition('/')[0]}/{place}"
        if not slash or other not in runs:
            continue
        here = _standing_for(other, key if key != main else None, runs)
        compared = words if algorithm == "*" else {algorithm}  # `*` stands for algorithms that `each` names
        for one, algorithms in ((here, compared & runs[here].algorithms), (other, set())):
            found.setdefault(one, (runs[one], set()))[1].update(algorithms)
    return found


def _standing_for(main: str, reading: str | None, runs: Mapping[str, Runs]) -> str:
    """The key of the experiment that reads another one as a reading's experiment reads its own; else that one's own."""
    how = _way(runs[reading]) if reading else None
    same = (key for key, own in runs.items() if how and _way(own) == how and _reads(key, own, main))
    return next(same, main)


def _way(runs: Runs) -> tuple[str, str] | None:
    """Which assumption a reading reads in another way, and how."""
    return (runs.reading["assumption"], runs.reading["how"]) if runs.reading else None


def _words(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _words(one)


def _state(
    history: History, versions: Versions, judged: Mapping[str, tuple[Runs, set[str]]], scale: Scale
) -> dict[str, Any]:
    first = min(runs.first for runs, _ in judged.values())
    before = [version for version in versions if _is_before(history, version[0], first)]
    latest, today = versions[-1]
    changed = _changes(before[-1][1], today, scale) if before else []
    state = ADDED if not before else CHANGED if changed else BEFORE
    since = before[-1][0] if state == BEFORE else latest if state == CHANGED else versions[0][0]
    what = {
        BEFORE: "Written before its first run",
        CHANGED: f"Changed after a result: {', '.join(changed)}",
        ADDED: "Added after a result",
    }[state]
    words = f"{what} ({since.short}, {since.date[:10]})."
    settings = list(_of_settings(judged))
    if state == BEFORE and settings:
        state = CHANGED if CHANGED in [one for one, _ in settings] else UNSHOWN
    return {
        "state": state,
        "words": " ".join([words, *(sentence for _, sentence in settings)]),
        "since": {"commit": since.id, "date": since.date, "subject": since.subject},
        "first_run": first.time,
        "changed": changed,
    }


def _is_before(history: History, commit: Commit, start: Start) -> bool:
    return commit.date <= start.time and (start.commit not in history.known or history.holds(start.commit, commit.id))


def _changes(before: Form, today: Form, scale: Scale) -> list[str]:
    """What of a claim is not as it was, in words."""
    old, new = before["check"], today["check"]
    if old.get("kind") != new.get("kind"):
        return ["kind of check"]
    found = [key.replace("_", " ") for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    found += ["scale that it needs"] if _is_judged(before, scale) != _is_judged(today, scale) else []
    return found + (["whether it counts"] if before["counts"] != today["counts"] else [])


def _is_judged(form: Form, scale: Scale) -> bool:
    return Scale(form["needs_scale"] or Scale.QUICK).size <= scale.size


def _of_settings(judged: Mapping[str, tuple[Runs, set[str]]]) -> Iterator[tuple[str, str]]:
    """State and sentence of the settings that were changed after a result, and of those not committed before."""
    for place, (key, (runs, algorithms)) in enumerate(judged.items()):
        settings = f"Settings of {key.partition('/')[2]}" if place else "Settings"
        if changed := _listed(runs.changed, algorithms):
            yield CHANGED, f"{settings} changed after a result: {changed} (run again on {runs.now[:10]})."
        if uncommitted := _listed(runs.uncommitted, algorithms):
            yield UNSHOWN, f"{settings} that git does not show before the run: {uncommitted}."


def _listed(by_algorithm: Mapping[str, list[str]], algorithms: set[str]) -> str:
    """'dataset; sweep of fedcm, fedavg': the names of settings, and of whom if not of all."""
    names = sorted({name for id in algorithms for name in by_algorithm.get(id, ())})
    parts = []
    for name in names:
        of = sorted(id for id in algorithms if name in by_algorithm.get(id, ()))
        parts.append(name if len(of) == len(algorithms) else f"{name} of {', '.join(of)}")
    return "; ".join(parts)
