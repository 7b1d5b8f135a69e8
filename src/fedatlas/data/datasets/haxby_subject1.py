"""Haxby's subject 1, half of one slice: small, real, and always the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedatlas.config import Count
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.datasets.haxby import SESSIONS, VOLUMES, Categories, write_sessions
from fedatlas.data.formats.haxby import read_sessions
from fedatlas.data.outline import Outline
from fedatlas.data.store import ClientStore
from fedatlas.errors import AtlasError


class HaxbySubject1(Fetched):
    """x: 530 voxels, float32, of one volume; y: the number of its category; 12 sessions, each a client.

    Attributes:
        categories, detrend, standardize: as in haxby.
        test_sessions: how many sessions, the last ones, are the test clients.
    """

    sources: ClassVar = ("haxby-subject1",)

    categories: Categories
    test_sessions: Count
    detrend: bool
    standardize: bool

    @property
    def outline(self) -> Outline:
        return Outline(("train", "test"), SESSIONS - self.test_sessions, VOLUMES, len(self.categories))

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        source = self.open(raw)
        folder, labels = ("subj1/", "labels.txt") if source.layout == "nilearn" else ("", "attributes_literal.txt")
        bold = source.path(f"{folder}bold.nii.gz")
        sessions = list(self._sessions(bold, source.path(f"{folder}{labels}"), source.path("mask.nii.gz")))
        if self.test_sessions >= len(sessions):
            raise AtlasError(
                f"dataset '{name}': 'test_sessions' is {self.test_sessions}, but there are {len(sessions)} sessions in "
                "all and one must train."
            )
        clients = {"train": sessions[: -self.test_sessions], "test": sessions[-self.test_sessions :]}
        return write_sessions(path, source, clients, self.categories, bold, name=name, options=options, seed=seed)

    def _sessions(self, bold: Path, labels: Path, mask: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
        for session, x, y in read_sessions(
            bold, labels, mask, self.categories, detrend=self.detrend, standardize=self.standardize
        ):
            yield f"session{session}", {"x": x, "y": y}
