"""Haxby's faces and houses: fMRI volumes, a client for each session."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from fedatlas.config import ONCE
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.formats.haxby import count_voxels, read_sessions, save_mean
from fedatlas.data.outline import Outline
from fedatlas.data.raw import Raw
from fedatlas.data.store import ClientStore, Feature, write_store

SESSIONS, VOLUMES = 12, 121  # of a subject, of a session
Category = Literal["face", "house", "cat", "bottle", "scissors", "shoe", "chair", "scrambledpix"]
Categories = Annotated[tuple[Category, ...], Field(min_length=2), ONCE]
Subjects = Annotated[tuple[Annotated[int, Field(ge=1, le=6)], ...], Field(min_length=1), ONCE]


class Haxby(Fetched):
    """x: the voxels in the mask, float32, of one volume; y: the number of its category.

    FCO (Yuan, Zaheer, Reddi, ICML 2021, section A.4) tells faces from 'horses', a category that the data set does not
    have; its eight are those of `Category`. The mask that comes with the
    data (39 912 voxels) is applied to every subject in its own space, and is kept in the store as `mask.nii.gz`: voxel
    k of x is the k-th non-zero voxel of the mask, so nilearn's NiftiMasker on that file turns weights into an image.

    Attributes:
        categories: y = 0, 1, ... in this order.
        train_subjects, test_subjects: the sessions of which are the clients of each split.
        detrend, standardize: every session's signals, voxel by voxel, before the volumes are chosen.
    """

    sources: ClassVar = ("haxby",)

    categories: Categories
    train_subjects: Subjects
    test_subjects: Subjects
    detrend: bool
    standardize: bool

    @model_validator(mode="after")
    def _tested_on_others(self) -> Haxby:
        if both := sorted({*self.train_subjects} & {*self.test_subjects}):
            raise ValueError(f"subject {both[0]} is of 'train_subjects' and of 'test_subjects': leave it out of one")
        return self

    @property
    def outline(self) -> Outline:
        clients = SESSIONS * len(self.train_subjects)
        return Outline(("train", "test"), clients, VOLUMES, len(self.categories))

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        source = self.open(raw)
        halves = {"train": self.train_subjects, "test": self.test_subjects}
        clients = {split: self._sessions(source, subjects) for split, subjects in halves.items()}
        bold = source.path(f"subj{self.train_subjects[0]}/bold.nii.gz")
        return write_sessions(path, source, clients, self.categories, bold, name=name, options=options, seed=seed)

    def _sessions(self, source: Raw, subjects: tuple[int, ...]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
        for subject in subjects:
            for session, x, y in read_sessions(
                source.path(f"subj{subject}/bold.nii.gz"),
                source.path(f"subj{subject}/labels.txt"),
                source.path("mask.nii.gz"),
                self.categories,
                detrend=self.detrend,
                standardize=self.standardize,
            ):
                yield f"subject{subject}-session{session}", {"x": x, "y": y}


def write_sessions(
    path: Path, source: Raw, clients: dict, categories: tuple[str, ...], bold: Path, **identity: Any
) -> ClientStore:
    """The store of sessions, with the mask and the mean volume of `bold`, on which weights can be drawn."""
    mask = source.path("mask.nii.gz")
    with tempfile.TemporaryDirectory() as folder:
        mean = save_mean(bold, Path(folder) / "mean.nii.gz")
        return write_store(
            path,
            kind=source.kind,
            features=[Feature("x", "float32", (count_voxels(mask),)), Feature("y", "int32", ())],
            splits=clients,
            num_classes=len(categories),
            source=source.description,
            attachments={"mask.nii.gz": mask, "mean.nii.gz": mean},
            **identity,
        )
