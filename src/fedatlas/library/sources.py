"""Where clients may come from: arrays, tables, TFF's ClientData, tf.data, Hugging Face datasets; told by what they do.

Every kind ends as a mapping of a client's name to its arrays (x, y).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fedatlas.errors import AtlasError

Arrays = tuple[Any, Any]
LABELS = ("label", "labels", "y", "target")  # what the entry to predict is mostly called


class Columns(NamedTuple):
    """The names of the columns or entries: of the client, what to predict, and the inputs (all others if None)."""

    client: str | None
    label: str | None
    features: str | list[str] | None


def read(source: Any, columns: Columns, split: str) -> dict[str, Arrays]:
    """The arrays (x, y) of every client by its name.

    Raises:
        AtlasError: if it is none of the kinds of sources, or lacks a column; says what to give.
    """
    if isinstance(source, pd.DataFrame):
        return _by_client({name: column.to_numpy() for name, column in source.items()}, columns, split)
    if hasattr(source, "client_ids") and hasattr(source, "create_tf_dataset_for_client"):
        each = ((id, _elements(source.create_tf_dataset_for_client(id), columns, id)) for id in source.client_ids)
        return _by_name(each, split)
    if hasattr(source, "column_names") and hasattr(source, "with_format"):
        return _by_client(_hugging_face(source), columns, split)
    if isinstance(source, Mapping):
        return _by_name(((id, _of_client(own, columns, id)) for id, own in source.items()), split)
    if _is_stream(source):
        return _by_client(_stacked(list(source.as_numpy_iterator()), "the dataset"), columns, split)
    if split != "train" and isinstance(source, (tuple, list)) and len(source) == 2:
        return {split: (source[0], source[1])}
    raise AtlasError(
        f"'{split}' is of type {type(source).__name__}, but clients must be a dict of name to (x, y) arrays, a "
        "DataFrame with a client column, a tff ClientData, a tf.data or a Hugging Face dataset."
    )


def is_whole(y: Any) -> bool:
    """Whether y is of a type of whole numbers, as labels of classes are; so it is where it is empty."""
    array = np.asarray(y)
    return array.dtype.kind in "iub" or not array.size


def _by_name(each: Iterable[tuple[Any, Arrays]], split: str) -> dict[str, Arrays]:
    found: dict[str, Arrays] = {}
    for id, arrays in each:
        if found.setdefault(_text(id), arrays) is not arrays:
            raise AtlasError(f"'{split}' has two clients called '{_text(id)}': give each a name of its own.")
    return found


def _of_client(own: Any, columns: Columns, id: Any) -> Arrays:
    """One client of a mapping."""
    if isinstance(own, (tuple, list)) and len(own) == 2:
        return own[0], own[1]
    if isinstance(own, pd.DataFrame):
        return _split({name: column.to_numpy() for name, column in own.items()}, columns, f"client '{id}'")
    if hasattr(own, "column_names") and hasattr(own, "with_format"):
        return _split(_hugging_face(own), columns, f"client '{id}'")
    if _is_stream(own):
        return _elements(own, columns, id)
    kind = type(own).__name__
    raise AtlasError(f"client '{id}' is of type {kind}, but must be (x, y), a table or a tf.data dataset.")


def _is_stream(source: Any) -> bool:
    return hasattr(source, "element_spec") and hasattr(source, "as_numpy_iterator")


def _elements(stream: Any, columns: Columns, id: Any) -> Arrays:
    """The single examples of a tf.data dataset, pairs (x, y) or mappings."""
    elements = list(stream.as_numpy_iterator())
    if not elements:
        raise AtlasError(f"client '{id}' has no examples: leave it out, or give it some.")
    if isinstance(elements[0], Mapping):
        return _split(_stacked(elements, f"client '{id}'"), columns, f"client '{id}'")
    if not isinstance(elements[0], tuple) or len(elements[0]) != 2:
        raise AtlasError(f"client '{id}': its tf.data dataset must hold pairs (x, y) or mappings of names to arrays.")
    xs, ys = zip(*elements, strict=True)
    if np.ndim(ys[0]) and len({np.shape(y) for y in ys}) > 1:
        raise AtlasError(f"client '{id}': its tf.data dataset holds batches: give single examples, `.unbatch()`.")
    return np.stack(xs), np.stack(ys)


def _stacked(elements: Iterable[Mapping[str, Any]], who: str) -> dict[str, np.ndarray]:
    """The columns of examples that are mappings."""
    elements = list(elements)
    if not elements or not isinstance(elements[0], Mapping):
        raise AtlasError(f"{who} must hold examples that are mappings of names to arrays, and one or more of them.")
    return {name: np.stack([element[name] for element in elements]) for name in elements[0]}


def _hugging_face(source: Any) -> dict[str, np.ndarray]:
    """The columns of a split; a column of lists or images becomes one array."""
    rows = source.with_format("numpy")[:]
    return {name: np.stack(rows[name]) if np.asarray(rows[name]).dtype == object and len(rows[name]) and
            np.ndim(rows[name][0]) else np.asarray(rows[name]) for name in source.column_names}  # fmt: skip


def _by_client(table: Mapping[str, np.ndarray], columns: Columns, split: str) -> dict[str, Arrays]:
    """The rows of a table, dealt to their clients in order of appearance."""
    if columns.client is None:
        raise AtlasError(f"'{split}' is a table: say with 'client' which of its columns names an example's client.")
    whose = _column(table, columns.client, "client", split)
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
    label = columns.label or next((name for name in LABELS if name in table), None)
    if label is None:
        raise AtlasError(f"{who}: say with 'label' which of {', '.join(table)} is to be predicted.")
    y = _column(table, label, "label", who)
    wanted = columns.features or [name for name in table if name not in (label, columns.client)]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if not names:
        raise AtlasError(f"{who} has no column besides '{label}' to predict it from.")
    parts = [np.asarray(_column(table, name, "features", who)) for name in names]
    if len(parts) == 1 and not (columns.features and not isinstance(columns.features, str)):
        return (parts[0] if parts[0].ndim > 1 else parts[0][:, None]), y
    return np.concatenate([part.reshape(len(part), -1) for part in parts], 1), y


def _column(table: Mapping[str, np.ndarray], name: str, argument: str, who: str) -> np.ndarray:
    if name not in table:
        raise AtlasError(f"{who} has no column '{name}', which '{argument}' names; it has: {', '.join(table)}.")
    return np.asarray(table[name])


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
