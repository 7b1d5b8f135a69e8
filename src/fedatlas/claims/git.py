"""Files as they were in earlier commits."""

from __future__ import annotations

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fedatlas.config.places import LOADER
from fedatlas.errors import AtlasError


@dataclass(frozen=True)
class Commit:
    """One commit: its hash, the author's time in ISO 8601 (UTC), and its subject."""

    id: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        return self.id[:7]


class History:
    """The commits of a repository, oldest first.

    Raises:
        AtlasError: where there is no git, no repository or not its whole history.
    """

    def __init__(self, root: Path):
        self._root = root
        if self._git("rev-parse", "--is-shallow-repository").strip() != "false":
            raise AtlasError(
                f"{root} does not have the whole history of the project: run `git fetch --unshallow` first."
            )

    @functools.cached_property
    def known(self) -> dict[str, Commit]:
        """Every commit by its hash."""
        return {commit.id: commit for commit in self.commits(".")}

    @functools.cache  # noqa: B019 - a history lives as long as one command
    def holds(self, commit: str, earlier: str) -> bool:
        """Whether a commit is, or comes after, an earlier one."""
        return not self._git("rev-list", "--max-count=1", earlier, "--not", commit)

    def commits(self, *paths: str) -> list[Commit]:
        """Those that changed one of the paths."""
        text = self._git("log", "--reverse", "--date=format-local:%Y-%m-%dT%H:%M:%S+00:00", "--format=%H\t%ad\t%s",
                         "--", *paths)  # fmt: skip
        return [Commit(*line.split("\t", 2)) for line in text.splitlines()]

    @functools.cache  # noqa: B019
    def files(self, commit: Commit, folder: str) -> dict[str, str]:
        """Path and blob of every file under the folder after a commit."""
        lines = self._git("ls-tree", "-r", commit.id, "--", folder).splitlines()
        return {path: about.split()[2] for about, path in (line.split("\t", 1) for line in lines)}

    def blob(self, id: str) -> str:
        """The text of a blob."""
        return self._git("cat-file", "blob", id)

    @functools.cache  # noqa: B019
    def yaml(self, id: str) -> dict[str, Any]:
        """The mapping that a blob of YAML holds; nothing where it was broken, as a later commit mended."""
        try:
            return yaml.load(self.blob(id), Loader=LOADER) or {}
        except yaml.YAMLError:
            return {}

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self._root), *arguments]
        try:
            environment = {**os.environ, "TZ": "UTC"}
            return subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment).stdout
        except FileNotFoundError as error:
            raise AtlasError("git is not installed, and only its history tells when a claim was written.") from error
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip().splitlines() or ["it says nothing"]
            raise AtlasError(f"git cannot read {self._root}: {said[-1]}.") from error
