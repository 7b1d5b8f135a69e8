"""What is known of a data set before it is made, so that what cannot be is noticed before any work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Outline:
    """The outline of a client store.

    Attributes:
        splits: their names.
        clients: of training, at most; None if only the data tells.
        examples: of one of them, at most; None if only the data tells.
        classes: None if there are none.
        truth: the shapes of the arrays of the ground truth.
    """

    splits: tuple[str, ...]
    clients: int | None = None
    examples: int | None = None
    classes: int | None = None
    truth: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def with_unseen(splits: tuple[str, ...], held_out: float | None) -> tuple[str, ...]:
    """The splits, and those of the clients that training never sees if there are any."""
    return splits + tuple(f"unseen_{split}" for split in splits) if held_out else splits


def seen(clients: int | None, held_out: float | None) -> int | None:
    """How many of the clients train."""
    return clients if clients is None or not held_out else clients - round(clients * held_out)
