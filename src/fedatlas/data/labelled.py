"""Data sets of labelled examples, which a partition deals to clients."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from fedatlas.config import REAL
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.laws import Examples, Law
from fedatlas.data.outline import Outline, seen, with_unseen
from fedatlas.data.partitioners.base import Partition
from fedatlas.data.partitioners.held_out import held_out
from fedatlas.data.partitioners.splits import SIXTY_TWENTY_TWENTY, splits
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.seeds import generator

FRACTIONS = {
    "none": {"train": 1.0},
    "80/20": {"train": 0.8, "test": 0.2},
    "60/20/20": SIXTY_TWENTY_TWENTY,
    "15/10/75": {"train": 0.15, "validation": 0.1, "test": 0.75},
}
Splits = Literal["standard", "none", "80/20", "60/20/20", "15/10/75"]
HeldOut = Annotated[float, Field(gt=0, lt=1), REAL] | None
Clients = list[tuple[str, np.ndarray]]


class Labelled(Fetched):
    """x and y (int32) of a classification task; options shared by all such data sets.

    Attributes:
        partition: how examples are dealt to clients.
        splits: `standard`: the training examples are dealt to clients, and the standard test examples, if there are
            any, are one client `test` (or, in a partition by_group, a client for each of theirs); `60/20/20`, `80/20`,
            `15/10/75` (where small networks leave examples over, which test them) and `none`: all examples together
            are dealt to clients, and each client is cut into splits.
        fraction: of the examples, drawn at random, that are used.
        coordinates: `span`: x is [r], float64, the coordinates of the image (bytes as fractions of 255) along the
            principal axes of the n training examples that are used, r = min(n, numbers of an image). Inner products are
            the same, so that a model linear in x learns the same, by any rule that prefers no direction. With few
            examples it learns from fewer numbers; with many a solver can scale each axis (`training.solver.scaling`).
        held_out: fraction of the clients that training never sees; their splits are unseen_train, ...
        labelled: the share of their training examples, rounded up, that those clients have (FedEM, appendix J.3); the
            same ones and more in a larger share.

    Class attributes:
        num_classes: labels are 0 .. num_classes - 1.
        examples: how many there are, for training and, where there are standard ones, for testing.
        owners: how many people or places the examples come from; 0 if nothing says from whom they come.
        coarse: whether they have coarse labels too.
    """

    num_classes: ClassVar[int]
    examples: ClassVar[tuple[int, ...]]
    owners: ClassVar[int] = 0
    coarse: ClassVar[bool] = False

    partition: Law
    splits: Splits
    fraction: Annotated[float, Field(gt=0, lt=1), REAL] | None = None
    coordinates: Literal["own", "span"] = "own"
    held_out: HeldOut = None
    labelled: Annotated[float, Field(ge=0, le=1), REAL] | None = None

    @model_validator(mode="after")
    def _of_unseen(self) -> Labelled:
        if self.labelled is not None and self.held_out is None:
            raise ValueError("'labelled' is of the clients that training never sees: give 'held_out' too")
        return self

    @model_validator(mode="after")
    def _can_be_dealt(self) -> Labelled:
        wants = {
            "by_group": (self.owners > 0, "to know whom examples come from"),
            "pachinko": (self.coarse, "coarse labels"),
        }
        has, what = wants.get(self.partition.name, (True, ""))
        if not has:
            raise ValueError(f"'partition.name' is '{self.partition.name}', which needs {what}: choose another one")
        self.partition.check(self.num_classes, self.outline.examples)
        clients = self.partition.clients
        if clients and self.held_out and seen(clients, self.held_out) in (0, clients):
            raise ValueError(f"'held_out' is {self.held_out}, which of {clients} clients is none or all")
        return self

    @property
    def outline(self) -> Outline:
        pooled = self.splits != "standard"
        splits = with_unseen(tuple(FRACTIONS["none" if not pooled else self.splits]), self.held_out)
        examples = sum(self.examples) if pooled else self.examples[0]
        return Outline(
            splits=splits if pooled or len(self.examples) == 1 else (*splits, "test"),
            clients=seen(self.partition.clients or self.owners or None, self.held_out),
            examples=max(1, int(examples * (self.fraction or 1))),
            classes=self.num_classes,
        )

    def load(self, raw: Path) -> tuple[Examples, Examples | None]:
        """The training and the test examples, the latter None where there is no standard choice."""
        raise NotImplementedError

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        (train, test), rng = self.load(raw), generator(seed, "partition")
        if self.splits != "standard":
            train, test = train + test, None
        if self.fraction is not None:
            train = train.take(np.sort(rng.choice(len(train), int(self.fraction * len(train)), replace=False)))
        if self.coordinates == "span":
            train, test = in_span(train, test)
        parts = self.partition.parts(train, rng)
        clients = {split: _streamed(train, part) for split, part in self._cut(train, parts, rng).items()}
        if test is not None:
            clients["test"] = _streamed(test, self._test(test, rng))
        return write_store(
            path,
            name=name,
            options=options,
            seed=seed,
            kind=self.kind(raw),
            features=[Feature("x", train.x.dtype.name, train.x.shape[1:]), Feature("y", "int32", ())],
            splits=clients,
            num_classes=self.num_classes,
            source=self.description(raw),
        )

    def _cut(self, examples: Examples, parts: Partition, rng: np.random.Generator) -> dict[str, Clients]:
        """The clients of every split."""
        fractions = FRACTIONS.get(self.splits, FRACTIONS["none"])
        cut = splits(parts, rng, fractions=fractions)
        ids = [str(i) for i in range(len(parts))]
        if self.partition.name == "by_group":
            ids = [examples.owner(part) for part in parts]
        clients = {split: list(zip(ids, pieces, strict=True)) for split, pieces in cut.items()}
        clients = seen_and_unseen(clients, self.held_out, rng)
        if self.labelled is not None:
            clients["unseen_train"] = _some(clients["unseen_train"], self.labelled, rng)
        return clients

    def _test(self, test: Examples, rng: np.random.Generator) -> Clients:
        if self.partition.name != "by_group":
            return [("test", np.arange(len(test)))]
        return [
            (test.owner(part), part) for part in self.partition.model_copy(update={"clients": None}).parts(test, rng)
        ]


def in_span(train: Examples, test: Examples | None) -> tuple[Examples, Examples | None]:
    """The examples along the principal axes of those for training, not centred; test examples are projected on them."""
    x = _flat(train)
    many = len(x) >= x.shape[1]
    basis = np.linalg.eigh(x.T @ x)[1] if many else np.linalg.svd(x, full_matrices=False)[2].T
    return replace(train, x=x @ basis), None if test is None else replace(test, x=_flat(test) @ basis)


def _flat(examples: Examples) -> np.ndarray:
    return examples.x.reshape(len(examples), -1) / (255 if examples.x.dtype == np.uint8 else 1)


def seen_and_unseen(cut: dict[str, list], fraction: float | None, rng: np.random.Generator) -> dict[str, list]:
    """The clients of each split, those held out in a split `unseen_...` of their own."""
    if fraction is None:
        return cut
    seen, unseen = held_out(len(next(iter(cut.values()))), rng, fraction=fraction)
    return {split: [clients[i] for i in seen] for split, clients in cut.items()} | {
        f"unseen_{split}": [clients[i] for i in unseen] for split, clients in cut.items()
    }


def _some(clients: Clients, share: float, rng: np.random.Generator) -> Clients:
    """Of every client the first of its examples in a random order, which does not depend on the share."""
    return [(id, np.sort(rng.permutation(part)[: math.ceil(share * len(part))])) for id, part in clients]


def _streamed(examples: Examples, clients: Sequence[tuple[str, np.ndarray]]) -> Iterator[tuple[str, dict]]:
    for client, indices in clients:
        yield client, examples.features(indices)
