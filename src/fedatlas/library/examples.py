"""What arrays of examples must be, and the types that they are kept in."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedatlas.errors import AtlasError


def as_inputs(x: Any, split: str, client: str) -> np.ndarray:
    """Bytes as they are, whole numbers as int32, all other numbers as float32.

    Raises:
        AtlasError: if x holds no numbers, or whole ones that an int32 cannot hold.
    """
    array = _array(x, split, client, "inputs")
    _check_size(array, f"{split} client '{client}' has inputs", "scale them, or give them as floats")
    if array.dtype == np.uint8:
        return array
    kept = np.int32 if array.dtype.kind in "iub" else np.float32
    with np.errstate(over="ignore"):  # what is too large becomes infinite, which is told
        return array.astype(kept)


def as_targets(y: Any, whole: bool, split: str, client: str) -> np.ndarray:
    """Labels as int32, numbers to predict as float32.

    Raises:
        AtlasError: if y holds no numbers, a number that is not finite, or a label that an int32 cannot hold.
    """
    array = _array(y, split, client, "labels")
    kept = array.astype(float)
    if whole and np.isfinite(kept).all():
        _check_size(array, f"{split} client '{client}' has labels", "number the classes from 0 on")
        return array.astype(np.int32)
    with np.errstate(over="ignore"):  # what is too large becomes infinite, which is told
        kept = kept.astype(np.float32)
    if (bad := ~np.isfinite(kept)).any():
        raise AtlasError(f"{split} client '{client}': {_first(bad)} has no finite label: leave it out.")
    return kept


def check_inputs(x: np.ndarray, y: np.ndarray, like_x: np.ndarray, like_y: np.ndarray, who: str, other: str) -> None:
    """Checks a client's arrays against those of another client.

    Raises:
        AtlasError: on another number of labels than of inputs, another shape or type, or inputs that are not finite.
    """
    if len(x) != len(y):
        raise AtlasError(f"{who} has {len(x)} inputs but {len(y)} labels: give one label for every input.")
    for word, own, others in (("inputs", x, like_x), ("labels", y, like_y)):
        if own.shape[1:] != others.shape[1:]:
            raise AtlasError(
                f"{who} has {word} of shape {list(own.shape[1:])}, but those of '{other}' have "
                f"{list(others.shape[1:])}: all clients need the same."
            )
        if own.dtype != others.dtype:
            raise AtlasError(
                f"{who} has {word} of type {own.dtype}, but those of '{other}' are {others.dtype}: "
                "give all clients the same."
            )
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise AtlasError(f"{who}: {_first(~np.isfinite(x))} holds NaN or infinity: fill it, or leave the example out.")


def _array(values: Any, split: str, client: str, word: str) -> np.ndarray:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise AtlasError(
            f"{split} client '{client}': the {word} differ in shape from example to example: give them all one shape."
        ) from error
    if array.ndim == 0:
        raise AtlasError(f"{split} client '{client}': the {word} are one value, but must be an array of examples.")
    if array.dtype.kind not in "iufb" and array.size:
        raise AtlasError(
            f"{split} client '{client}': the {word} are of type {array.dtype}, but must be numbers: encode them first."
        )
    return array


def _check_size(array: np.ndarray, what: str, mend: str) -> None:
    limits = np.iinfo(np.int32)
    if array.dtype.kind in "iu" and array.size and (array.max() > limits.max or array.min() < limits.min):
        raise AtlasError(f"{what} that do not fit into 32 bits: {mend}.")


def _first(bad: np.ndarray) -> str:
    """'example 3', of the first that has something bad."""
    return f"example {int(np.argwhere(bad)[0][0])}"
