"""Where clients may come from: arrays, tables, TFF's ClientData, tf.data, Hugging Face datasets; told by what they do.

Every kind ends as a mapping of a client's name to its arrays (x, y).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fedatlas.errors import AtlasError

Arrays = tuple[Any, Any]
LABELS = ("label", "labels", "y", "target")  # what the entry to predict is mostly called


@dataclass
class Columns:
    """The names of the columns or entries: of the client, what to predict, and the inputs (all others if None).

    Attributes:
        first: where the inputs are all others: the label and the inputs of the first table, and whose table it is.
    """

    client: str | None
    label: str | None
    features: str | list[str] | None
    first: tuple[list[str], str] | None = None

    def __post_init__(self):
        for argument, names in (("label", [self.label]), ("features", self.wanted)):
            if self.client is not None and self.client in names:
                raise AtlasError(f"'{argument}' names '{self.client}', which is the client column: name another.")

    @property
    def wanted(self) -> list[str]:
        """The inputs that are named."""
        if self.features is None:
            return []
        return [self.features] if isinstance(self.features, str | int) else list(self.features)

    def target(self, table: Iterable[str], who: str) -> str:
        """The column to predict.

        Raises:
            AtlasError: if it is not named, and none or several have one of the usual names.
        """
        if self.label is not None:
            return self.label
        usual = [name for name in LABELS if name in table and name != self.client]
        found = [name for name in usual if name not in self.wanted] or usual
        if not found:
            raise AtlasError(f"{who}: say with 'label' which of {_listed(table)} is to be predicted.")
        if len(found) > 1:
            raise AtlasError(
                f"{who} has the columns '{found[0]}' and '{found[1]}': say with 'label' which of them is to be "
                "predicted, and with 'features' what from."
            )
        return found[0]

    def inputs(self, table: Iterable[str], label: str, who: str) -> list[str]:
        """The columns of the inputs, in one order for all tables.

        Raises:
            AtlasError: if there are none, if the label is one of them, or if the first table has others.
        """
        if label in self.wanted:
            raise AtlasError(f"'features' names '{label}', which is to be predicted: leave it out.")
        if self.wanted:
            return self.wanted
        own = [label, *(name for name in table if name not in (label, self.client))]
        if len(own) == 1:
            raise AtlasError(f"{who} has no column besides '{label}' to predict it from.")
        self.first = self.first or (own, who)
        names, other = self.first
        for lacking, having, missing in ((who, other, set(names) - set(own)), (other, who, set(own) - set(names))):
            if missing:
                raise AtlasError(
                    f"{lacking} has no column '{min(missing, key=str)}', which {having} has: give both the same "
                    "columns, or choose some with 'features'."
                )
        return names[1:]


def read(source: Any, columns: Columns, split: str) -> dict[str, Arrays]:
    """The arrays (x, y) of every client by its name.

    Raises:
        AtlasError: if it is none of the kinds of sources, or lacks a column; says what to give.
    """
    if isinstance(source, pd.DataFrame):
        return _by_client(_frame(source, f"'{split}'"), columns, split)
    if hasattr(source, "client_ids") and hasattr(source, "create_tf_dataset_for_client"):
        streams = ((id, source.create_tf_dataset_for_client(id)) for id in source.client_ids)
        return _by_name(((id, _of_stream(own, columns, f"{split} client '{_text(id)}'")) for id, own in streams), split)
    if hasattr(source, "column_names") and hasattr(source, "with_format"):
        return _by_client(_hugging_face(source), columns, split)
    if isinstance(source, Mapping):
        each = ((id, _of_client(own, columns, f"{split} client '{_text(id)}'")) for id, own in source.items())
        return _by_name(each, split)
    if _is_stream(source):
        return _by_client(_stacked(_elements(source, columns, f"'{split}'"), f"'{split}'"), columns, split)
    if split != "train" and isinstance(source, (tuple, list)) and len(source) == 2:
        return {split: (source[0], source[1])}
    raise AtlasError(
        f"'{split}' is of type {type(source).__name__}, but clients must be a dict of name to (x, y) arrays, a "
        "DataFrame with a client column, a tff ClientData, a tf.data or a Hugging Face dataset."
    )


def is_whole(y: Any) -> bool:
    """Whether y is of a type of whole numbers, as labels of classes are; so it is where it is empty or no array."""
    try:
        array = np.asarray(y)
    except ValueError:  # rows of different lengths, which is told when its examples are read
        return True
    return array.dtype.kind in "iub" or not array.size


def _by_name(each: Iterable[tuple[Any, Arrays]], split: str) -> dict[str, Arrays]:
    found: dict[str, Arrays] = {}
    for id, arrays in each:
        if found.setdefault(_text(id), arrays) is not arrays:
            raise AtlasError(f"'{split}' has two clients called '{_text(id)}': give each a name of its own.")
    return found


def _of_client(own: Any, columns: Columns, who: str) -> Arrays:
    """One client of a mapping."""
    if isinstance(own, (tuple, list)) and len(own) == 2:
        return own[0], own[1]
    if isinstance(own, pd.DataFrame):
        return _split(_frame(own, who), columns, who)
    if hasattr(own, "column_names") and hasattr(own, "with_format"):
        return _split(_hugging_face(own), columns, who)
    if _is_stream(own):
        return _of_stream(own, columns, who)
    kind = type(own).__name__
    raise AtlasError(f"{who} is of type {kind}, but must be (x, y), a table or a tf.data dataset.")


def _is_stream(source: Any) -> bool:
    return hasattr(source, "element_spec") and hasattr(source, "as_numpy_iterator")


def _of_stream(stream: Any, columns: Columns, who: str) -> Arrays:
    """The single examples of a tf.data dataset, pairs (x, y) or mappings."""
    elements = _elements(stream, columns, who)
    if not elements:
        raise AtlasError(f"{who} has no examples: leave it out, or give it some.")
    if isinstance(elements[0], Mapping):
        return _split(_stacked(elements, who), columns, who)
    if not isinstance(elements[0], tuple) or len(elements[0]) != 2:
        raise AtlasError(f"{who}: its tf.data dataset must hold pairs (x, y) or mappings of names to arrays.")
    xs, ys = zip(*elements, strict=True)
    if np.ndim(ys[0]) and len({np.shape(y) for y in ys}) > 1:
        raise _batches(who)
    return _stack(xs, f"x of {who}"), _stack(ys, f"y of {who}")


def _stack(values: Sequence[Any], what: str) -> np.ndarray:
    """One array of values of one shape."""
    shapes = sorted({np.shape(value) for value in values})
    if len(shapes) > 1:
        raise AtlasError(f"{what} has examples of the shapes {list(shapes[0])} and {list(shapes[1])}: give one.")
    return np.stack(values)


def _elements(stream: Any, columns: Columns, who: str) -> list[Any]:
    if _holds_batches(stream.element_spec, columns, who):
        raise _batches(who)
    return list(stream.as_numpy_iterator())


def _batches(who: str) -> AtlasError:
    return AtlasError(f"{who}: its tf.data dataset holds batches: give single examples, `.unbatch()`.")


def _holds_batches(spec: Any, columns: Columns, who: str) -> bool:
    """Whether all parts of an element have a leading axis of any length, or one of the same where no example has it.

    An example's client has no axis, and labels of classes have none besides that of a sequence that x shares wholly.
    """
    parts = [*spec.values()] if isinstance(spec, Mapping) else [*spec] if isinstance(spec, tuple) else [spec]
    if not all(getattr(getattr(part, "shape", None), "rank", None) for part in parts):
        return False
    sizes = {part.shape[0] for part in parts}
    if len(sizes) > 1 or None in sizes or len(parts) == 1:
        return sizes == {None}
    if isinstance(spec, Mapping) and columns.client in spec:
        return True
    label = spec[columns.target(spec, who)] if isinstance(spec, Mapping) else parts[-1]
    return label.dtype.is_integer and (len(parts) > 2 or parts[0].shape.rank != parts[1].shape.rank)


def _stacked(elements: Iterable[Mapping[str, Any]], who: str) -> dict[str, np.ndarray]:
    """The columns of examples that are mappings."""
    elements = list(elements)
    if not elements or not isinstance(elements[0], Mapping):
        raise AtlasError(f"{who} must hold examples that are mappings of names to arrays, and one or more of them.")
    return {name: _stack([element[name] for element in elements], f"'{name}' of {who}") for name in elements[0]}


def _frame(source: pd.DataFrame, who: str) -> dict[str, np.ndarray]:
    """The columns of a DataFrame."""
    if (twice := source.columns[source.columns.duplicated()]).size:
        raise AtlasError(f"{who} has two columns '{twice[0]}': rename one of them, or leave it out.")
    return {name: column.to_numpy() for name, column in source.items()}


def _hugging_face(source: Any) -> dict[str, np.ndarray]:
    """The columns of a split; a column of lists or images becomes one array."""
    rows = source.with_format("numpy")[:]
    return {name: _column_of(rows[name], name) for name in source.column_names}


def _column_of(values: Any, name: str) -> np.ndarray:
    array = np.asarray(values)
    nested = array.dtype == object and len(values) and np.ndim(values[0])
    return _stack(values, f"the column '{name}'") if nested else array


def _by_client(table: Mapping[str, np.ndarray], columns: Columns, split: str) -> dict[str, Arrays]:
    """The rows of a table, dealt to their clients in order of appearance."""
    if columns.client is None:
        raise AtlasError(f"'{split}' is a table: say with 'client' which of its columns names an example's client.")
    whose = _column(table, columns.client, "client", f"'{split}'")
    if not len(whose):
        raise AtlasError(f"'{split}' has no examples: give some, or leave it out.")
    if missing := sum(name is None or name != name for name in whose.tolist()):  # NaN differs from itself
        raise AtlasError(f"'{split}' has no client in {missing} of {len(whose)} rows: leave them out, or name one.")
    x, y = _split({name: column for name, column in table.items() if name != columns.client}, columns, f"'{split}'")
    numbers, names = pd.factorize(np.array([_text(name) for name in whose.tolist()], dtype=object))
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=len(names)))
    parts = itertools.pairwise([0, *ends])
    return {name: (x[order[a:b]], y[order[a:b]]) for name, (a, b) in zip(names, parts, strict=True)}


def _split(table: Mapping[str, np.ndarray], columns: Columns, who: str) -> Arrays:
    """The inputs and what is to be predicted of them."""
    label = columns.target(table, who)
    y = _numbers(table, label, "label", who)
    parts = [_numbers(table, name, "features", who) for name in columns.inputs(table, label, who)]
    if len(parts) == 1 and (not columns.wanted or isinstance(columns.features, str | int)):
        return (parts[0] if parts[0].ndim > 1 else parts[0][:, None]), y
    return np.concatenate([part.reshape(len(part), math.prod(part.shape[1:])) for part in parts], 1), y


def _numbers(table: Mapping[str, np.ndarray], name: str, argument: str, who: str) -> np.ndarray:
    column = _column(table, name, argument, who)
    if column.dtype.kind not in "iufb" and column.size:
        raise AtlasError(
            f"the column '{name}' of {who} is {column.dtype}: encode it as numbers, or choose others with '{argument}'."
        )
    return column


def _column(table: Mapping[str, np.ndarray], name: str, argument: str, who: str) -> np.ndarray:
    if name not in table:
        raise AtlasError(f"{who} has no column '{name}', which '{argument}' names; it has: {_listed(table)}.")
    return np.asarray(table[name])


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
