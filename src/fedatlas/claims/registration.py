"""Whether a claim and its experiment's settings were written before the first run that they judge, read from git.

A claim is what its check compares: kind, quantity, order, margins, thresholds and experiment, and where it is judged
at a smaller scale than the paper's the scale that it needs; what a miss on the better side is called is no part of it.
Its settings are data, problem, training, grid and selection of its experiment. Both are followed through the history of
config/claims and reports/published; new names of ids (config/renamed.yaml) change nothing.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fedatlas.claims.git import Commit, History
from fedatlas.claims.tables import unfolded
from fedatlas.config import Strict, read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale

SETTINGS = ("dataset", "problem", "training", "evaluation", "sweep", "select")
BEFORE, CHANGED, ADDED = "registered before the run", "changed after a result", "added after a result"


class Renaming(Strict):
    """New names since a commit.

    Attributes:
        until: the commit that renamed; before it the old names hold.
        ids: new name by old one.
    """

    until: str
    ids: dict[str, str]


class RenamedFile(Strict):
    renamed: tuple[Renaming, ...]


class Since(NamedTuple):
    """The commit since which something has been as it is, and the one that first had it in any form."""

    form: Commit
    first: Commit


def registered(root: Path) -> dict[str, dict[str, Any]]:
    """The state of every claim whose experiment is published, by `<paper>/<id>`.

    Args:
        root: the folder of the repository.

    Returns:
        Of each `state`, `words` (a sentence), and the dates that decide.

    Raises:
        AtlasError: if the history cannot be read.
    """
    history = History(root)
    renamed = validate(read_yaml(root / "config" / "renamed.yaml"), RenamedFile, root / "config/renamed.yaml").renamed
    claims = {scale: _claims_since(history, renamed, scale) for scale in (Scale.PAPER, Scale.MEDIUM)}
    found = {}
    for key in _published(root):
        paper, _, experiment = key.partition("/")
        runs = _runs(history, key)
        for id, (since, about) in claims[runs.scale].get(paper, {}).items():
            if about == experiment:
                found[f"{paper}/{id}"] = _state(since, runs)
            elif runs.reading_of == about:
                found[f"{paper}/{id}@{experiment}"] = _state(since, runs)
    return found


class Runs(NamedTuple):
    """When runs were started that were ever published of an experiment.

    Attributes:
        first, now: the first one ever, and the first of those that are published now.
        changed: the settings that differ between these.
        reading_of: the experiment of which it is another reading.
    """

    scale: Scale
    first: str
    now: str
    changed: list[str]
    reading_of: str | None


def _state(since: Since, runs: Runs) -> dict[str, Any]:
    form, first = since
    if form.date <= runs.first:
        state, words = BEFORE, f"Written before its first run ({form.short}, {form.date[:10]})."
    elif first.date <= runs.first:
        state, words = CHANGED, f"Changed after a result ({form.short}, {form.date[:10]}: {form.subject})."
    else:
        state, words = ADDED, f"Added after a result ({first.short}, {first.date[:10]}: {first.subject})."
    if runs.changed:
        state = CHANGED if state == BEFORE else state
        words += f" Settings changed after a result: {', '.join(runs.changed)} (run again on {runs.now[:10]})."
    return {"state": state, "words": words}


def _claims_since(
    history: History, renamed: tuple[Renaming, ...], scale: Scale
) -> dict[str, dict[str, tuple[Since, str]]]:
    """By paper and claim, since when each of today's claims has been as it is, and its experiment."""
    known: dict[tuple[str, str], tuple[str, Since, str]] = {}
    order = {commit.id: place for place, commit in enumerate(history.commits("."))}
    for commit in history.commits("config/claims"):
        earlier = [one.ids for one in renamed if order[commit.id] < order.get(one.until, 0)]
        names = {old: new for ids in earlier for old, new in ids.items()}
        now = {}
        read_table = functools.partial(_table, history, commit)
        for path, blob in history.files(commit, "config/claims").items():
            paper = path.split("/")[2]
            entries = unfolded(history.yaml(blob).get("claims", ()), read_table, path)
            for id, experiment, form in _forms(entries, names, scale):
                before = known.get((paper, id))
                same = before is not None and before[0] == form
                since = before[1] if same else Since(commit, before[1].first if before else commit)
                now[paper, id] = (form, since, experiment)
        known = now
    found: dict[str, dict[str, tuple[Since, str]]] = {}
    for (paper, id), (_, since, experiment) in known.items():
        found.setdefault(paper, {})[id] = since, experiment
    return found


def _table(history: History, commit: Commit, name: str) -> Mapping[str, Any]:
    """A printed table as it stood in a commit."""
    path = f"config/paper_results/{name}.yaml"
    return history.yaml(history.files(commit, path)[path])


def _forms(
    claims: Iterable[Mapping[str, Any]], names: Mapping[str, str], scale: Scale
) -> Iterator[tuple[str, str, str]]:
    """(id, experiment, what it compares as text) of every claim of a file."""
    for claim in claims:
        check = _renamed({key: value for key, value in claim.get("check", {}).items() if key != "better"}, names)
        needs = None if scale == Scale.PAPER else claim.get("needs_scale")
        form = json.dumps([check, needs], sort_keys=True)
        yield claim["id"], claim["experiment"], form
        for other in claim.get("also", ()):
            yield f"{claim['id']}@{other}", other, form


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with today's names: `fedavg_tuned_10` and `synthetic/fedavg_tuned` too."""
    if isinstance(value, dict):
        return {_renamed(key, names): _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    if not isinstance(value, str) or not names:
        return value
    place, slash, id = value.rpartition("/")
    stem, number = re.fullmatch(r"(.*?)(_\d+)?", id).groups()
    return f"{place}{slash}{names.get(stem, stem)}{number or ''}"


def _published(root: Path) -> list[str]:
    return sorted("/".join(path.parts[-3:-1]) for path in (root / "reports/published").glob("*/*/manifest.json"))


def _runs(history: History, key: str) -> Runs:
    path = f"reports/published/{key}/manifest.json"
    commits = history.commits(path)
    if not commits:
        raise AtlasError(f"{path} is not committed: commit what is published, then register.")
    first, now = (json.loads(history.blob(history.files(commit, path)[path])) for commit in (commits[0], commits[-1]))
    started = [min(run["started"] for run in manifest["runs"]) for manifest in (first, now)]
    before, after = first["experiment"], now["experiment"]
    changed = [name for name in SETTINGS if before.get(name) != after.get(name)]
    return Runs(Scale(after["scale"]), *started, changed, (after.get("reading") or {}).get("of"))
