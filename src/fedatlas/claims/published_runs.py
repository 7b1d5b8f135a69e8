"""What was ever run and published of an experiment, and with which settings, read from git.

The settings of an algorithm are the experiment's with its own overrides. Two questions are asked of them: whether they
are as they were when the algorithm was first published, and whether the commits of the runs that are published today
have them. Options of training that a manifest has beyond the committed file were defaults then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fedatlas.claims.git import Commit, History
from fedatlas.claims.renaming import Renamings, renamed_id
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import OVERRIDES, content_at, merge

SETTINGS = ("algorithm", *OVERRIDES)
FOLDER = "config/experiments"

Settings = Mapping[str, Mapping[str, Any]]  # by algorithm, then by name of the setting


class Start(NamedTuple):
    """When a run was started (ISO 8601, UTC), and of which commit, if its manifest says so."""

    time: str
    commit: str | None


class Runs(NamedTuple):
    """The runs of one experiment.

    Attributes:
        scale: of those that are published now.
        first: the first one that was ever published.
        now: when the first one of those that are published now was started.
        algorithms: whose runs are published now.
        reference: the algorithm to whose optimum the others are compared.
        changed: the settings of each that are not as when it was first published.
        uncommitted: the settings of each that git does not show before its run.
        reading: of which experiment it is another reading, and how, as its file says today; empty for a main one.
    """

    scale: Scale
    first: Start
    now: str
    algorithms: frozenset[str]
    reference: str | None
    changed: Mapping[str, list[str]]
    uncommitted: Mapping[str, list[str]]
    reading: Mapping[str, str]


def published_runs(history: History, renamings: Renamings, key: str) -> Runs | None:
    """The runs of the experiment `<paper>/<id>`; None if none is committed."""
    path = f"reports/published/{key}/manifest.json"
    versions = [(one, json.loads(history.blob(history.files(one, path)[path]))) for one in history.commits(path)]
    if not versions:
        return None
    earliest: dict[str, Mapping[str, Any]] = {}
    for commit, manifest in versions:
        earliest = {**settings_by_algorithm(manifest["experiment"], renamings.at(commit)), **earliest}
    last, names = versions[-1][1], renamings.at(versions[-1][0])
    runs = [run | {"algorithm": renamed_id(run["algorithm"], names)} for run in last["runs"]]
    experiment = last["experiment"]
    today = settings_by_algorithm(experiment, names)
    starts = [Start(run["started"], run.get("commit")) for _, manifest in versions for run in manifest["runs"]]
    scale = Scale(experiment["scale"])
    return Runs(
        scale,
        min(starts),
        min(run["started"] for run in runs),
        frozenset(today),
        experiment.get("reference"),
        {id: found for id, now in today.items() if (found := _different(earliest[id], now))},
        _uncommitted(history, renamings, Path(FOLDER, f"{key}.yaml"), scale, runs, today),
        _reading(history, Path(FOLDER, f"{key}.yaml"), scale),
    )


def settings_by_algorithm(experiment: Mapping[str, Any], names: Mapping[str, str]) -> Settings:
    """The settings of each algorithm of an experiment, which has today's names."""
    shared = {key: experiment[key] for key in SETTINGS if key in experiment}
    found = {}
    for id, own in experiment["algorithms"].items():
        overrides = {key: value for key, value in (own or {}).items() if key in SETTINGS}
        runs = renamed_id(overrides.get("algorithm", id), names)
        found[renamed_id(id, names)] = merge(shared, overrides) | {"algorithm": runs}
    return found


def _different(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [name for name in SETTINGS if before.get(name) != now.get(name)]


def _uncommitted(
    history: History, renamings: Renamings, path: Path, scale: Scale, runs: Iterable[Mapping[str, Any]], today: Settings
) -> dict[str, list[str]]:
    """The settings of each algorithm that are not in the commit of one of its runs.

    Where that commit is not in the history, the last one before the run stands for it; so it does where the commit is
    younger than the run, which was resumed then and named its last commit.
    """
    found: dict[str, set[str]] = {}
    for run in runs:
        commit = history.known.get(run.get("commit") or "")
        if commit is None or commit.date > run["started"]:
            commit = _last_before(history, run["started"])
        committed = _committed(history, renamings, commit, path, scale).get(run["algorithm"], {}) if commit else {}
        now = today[run["algorithm"]]
        wrong = set(_different(committed, now))
        if _says(now["training"], committed.get("training")):
            wrong.discard("training")
        found.setdefault(run["algorithm"], set()).update(wrong)
    return {id: sorted(names) for id, names in found.items() if names}


def _last_before(history: History, time: str) -> Commit | None:
    return next((commit for commit in reversed(history.commits(FOLDER)) if commit.date <= time), None)


def _committed(history: History, renamings: Renamings, commit: Commit, path: Path, scale: Scale) -> Settings:
    files = history.files(commit, FOLDER)
    if str(path) not in files:
        return {}
    content = content_at(path, scale, lambda one: history.yaml(files[str(one)]))
    return settings_by_algorithm(content, renamings.at(commit))


def _reading(history: History, path: Path, scale: Scale) -> Mapping[str, str]:
    files = history.files(history.commits(FOLDER)[-1], FOLDER)
    content = content_at(path, scale, lambda one: history.yaml(files[str(one)])) if str(path) in files else {}
    return content.get("reading", {})


def _says(published: Any, committed: Any) -> bool:
    """Whether all that is committed was published so; nothing committed was not."""
    if isinstance(published, Mapping) and isinstance(committed, Mapping):
        return all(_says(published.get(key), value) for key, value in committed.items())
    return published == committed
