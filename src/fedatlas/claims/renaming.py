"""New names of ids, so that they do not look like new claims or settings.

config/renamed.yaml:   renamed: [{until: <commit>, ids: {<old>: <new>}}]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedatlas.claims.git import Commit, History
from fedatlas.config import Strict, read_yaml, validate


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


class Renamings:
    """Those of config/renamed.yaml.

    Raises:
        AtlasError: names the file and the key if one is wrong.
    """

    def __init__(self, history: History, path: Path):
        self._history = history
        self._all = validate(read_yaml(path), RenamedFile, path).renamed

    def at(self, commit: Commit) -> dict[str, str]:
        """Today's name of every id that had another one in a commit."""
        known = self._history.known
        later = [one.ids for one in self._all if one.until in known and not self._history.holds(commit.id, one.until)]
        return {old: new for ids in later for old, new in ids.items()}


def renamed_id(id: str, names: Mapping[str, str]) -> str:
    """Today's name of an id; `fedavg_tuned_10` and `synthetic/fedavg_tuned` have the new name of `fedavg_tuned`."""
    place, slash, name = id.rpartition("/")
    stem = re.sub(r"_\d+\Z", "", name)
    return f"{place}{slash}{names.get(stem, stem)}{name[len(stem) :]}"


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with today's names everywhere."""
    if isinstance(value, dict):
        return {renamed(key, names): renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in value]
    return renamed_id(value, names) if isinstance(value, str) and names else value
