"""`fa.clients`: a user's clients, checked before anything is computed on them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fedatlas.data.kinds import DataKind
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.library import given, sources
from fedatlas.library.examples import as_inputs, as_targets, check_inputs


class Client(NamedTuple):
    """The examples of a client: x [examples, ...], y [examples, ...]."""

    id: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Clients:
    """Clients with their examples, by split: `train`, and where given `validation` and `test`.

    Attributes:
        num_classes: labels are 0 .. num_classes - 1; None where y is a number to predict.
        counted: whether num_classes was counted from the labels, not given.
        fractional: the first client whose y was given in a type with fractions, where any was.
    """

    splits: Mapping[str, tuple[Client, ...]]
    num_classes: int | None
    counted: bool = False
    fractional: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one example's inputs."""
        return self.splits["train"][0].x.shape[1:]

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Of one example's y."""
        return self.splits["train"][0].y.shape[1:]

    @property
    def dtype(self) -> str:
        """Of the inputs."""
        return self.splits["train"][0].x.dtype.name

    @property
    def table(self) -> pd.DataFrame:
        """A row for each client, with its number of examples in every split."""
        columns = {split: pd.Series({c.id: len(c.y) for c in own}) for split, own in self.splits.items()}
        return pd.DataFrame(columns).fillna(0).astype(int).rename_axis("client")

    @property
    def digest(self) -> str:
        """A digest of all examples, 16 hexadecimal digits."""
        found = hashlib.sha256(str(self.num_classes).encode())
        for split, own in self.splits.items():
            for client in own:
                about = [split, client.id, client.x.dtype.name, client.x.shape, client.y.dtype.name, client.y.shape]
                found.update(repr(about).encode() + client.x.tobytes() + client.y.tobytes())
        return found.hexdigest()[:16]

    @property
    def dataset(self) -> dict[str, Any]:
        """The `dataset` of an experiment on these clients."""
        return {"name": given.NAME, "content": self.digest, "seed": 0}

    def write(self, path: Path) -> ClientStore:
        """Writes them as a client store."""
        first = self.splits["train"][0]
        return write_store(
            path,
            name=given.NAME,
            options={"content": self.digest},
            seed=0,
            kind=DataKind.REAL,
            features=[Feature("x", self.dtype, self.shape), Feature("y", first.y.dtype.name, self.label_shape)],
            splits={split: ((c.id, {"x": c.x, "y": c.y}) for c in own) for split, own in self.splits.items()},
            num_classes=self.num_classes,
            source={"title": "given by a program"},
        )

    def __repr__(self) -> str:
        parts = [f"{split}: {len(own)} clients, {sum(len(c.y) for c in own)} examples"
                 for split, own in self.splits.items()]  # fmt: skip
        target = "numbers to predict" if self.num_classes is None else f"{self.num_classes} classes"
        return f"Clients({'; '.join(parts)}; inputs {self.dtype}{list(self.shape)}, {target})"


def clients(
    source: Any,
    *,
    test: Any = None,
    validation: Any = None,
    client: str | None = None,
    label: str | None = None,
    features: str | list[str] | None = None,
    classes: int | None = None,
) -> Clients:
    """The clients of a federated problem.

    A `source` is any of

    - a dict of a client's name to (x, y), arrays with the examples as leading axis;
    - a dict of a client's name to a `tf.data.Dataset` of single examples;
    - a `tff.simulation.datasets.ClientData`;
    - a `pandas.DataFrame` or a split of a Hugging Face dataset, with the column `client` that says whose an example is;
    - a `tf.data.Dataset` of single examples that are mappings with such an entry.

    Bytes and whole numbers stay what they are, all other inputs become float32. Labels are whole numbers from 0 on;
    a y that is not whole is a number to predict. Columns of several tables are matched by their names.

    Args:
        test: clients to measure models on: as `source`, or a pair (x, y) of examples that belong to no client.
        validation: the same, to select hyper-parameters by.
        client: the column, or entry of an example, that names its client.
        label: the column or entry to predict; the one that is called `label`, `labels`, `y` or `target` if not given.
        features: the column or columns of the inputs; all others if not given.
        classes: the number of classes; one more than the greatest label if not given.

    Raises:
        AtlasError: in one sentence, if a client has no examples, inputs that are not finite or of another shape than
            the others', a column that the others lack, or a label out of range.

    >>> import numpy as np
    >>> clients({"ann": (np.eye(3), [0, 1, 1]), "bob": (np.ones((2, 3)), [1, 0])})
    Clients(train: 2 clients, 5 examples; inputs float32[3], 2 classes)
    """
    given_splits = {"train": source, "validation": validation, "test": test}
    columns = sources.Columns(client, label, features)
    asked = {split: one for split, one in given_splits.items() if split == "train" or one is not None}
    raw = {split: sources.read(one, columns, split) for split, one in asked.items()}
    each = ((f"{split} client '{id}'", y) for split, own in raw.items() for id, (_, y) in own.items())
    fractional = next((who for who, y in each if not sources.is_whole(y)), None)
    whole = fractional is None
    splits = {
        split: tuple(Client(id, as_inputs(x, split, id), as_targets(y, whole, split, id)) for id, (x, y) in own.items())
        for split, own in raw.items()
    }
    _check(splits)
    splits = {split: _in_order(own, splits["train"]) for split, own in splits.items()}
    return Clients(splits, _num_classes(splits, classes) if whole else None, whole and classes is None, fractional)


def _in_order(own: tuple[Client, ...], like: tuple[Client, ...]) -> tuple[Client, ...]:
    """The clients of a split in the order of others, if they are the same."""
    by_id = {client.id: client for client in own}
    return tuple(by_id[client.id] for client in like) if {client.id for client in like} == set(by_id) else own


def _check(splits: Mapping[str, tuple[Client, ...]]) -> None:
    """Checks what must hold of every client and between them."""
    if not splits["train"]:
        raise AtlasError("there are no clients: give one or more.")
    first = splits["train"][0]
    for split, own in splits.items():
        for client in own:
            if not len(client.y) and split == "train":
                raise AtlasError(f"client '{client.id}' has no examples: leave it out, or give it some.")
            check_inputs(client.x, client.y, first.x, first.y, f"{split} client '{client.id}'", first.id)
        if not any(len(client.y) for client in own):
            raise AtlasError(f"'{split}' has no examples: give some, or leave it out.")


def _num_classes(splits: Mapping[str, tuple[Client, ...]], classes: int | None) -> int:
    """The number of classes, at least two; checks that every label is one of them."""
    if classes is not None and (not isinstance(classes, int | np.integer) or classes < 2):
        raise AtlasError(f"'classes' is {classes!r}, but must be a whole number, 2 or more.")
    greatest = max(int(c.y.max()) for own in splits.values() for c in own if len(c.y))
    number = max(greatest + 1, 2) if classes is None else classes
    for split, own in splits.items():
        for client in own:
            bad = client.y[(client.y < 0) | (client.y >= number)]
            if bad.size:
                below = ", or give y as floats if it is a number to predict" if bad.flat[0] < 0 else ""
                raise AtlasError(
                    f"{split} client '{client.id}' has the label {bad.flat[0]}, but labels must be 0 to {number - 1}: "
                    f"number the classes from 0 on{below}."
                )
    return number
