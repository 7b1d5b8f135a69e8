"""What is said of a name that is not there: the nearest that is."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

FEW = 160  # letters of names that a sentence can list


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None if none is like it."""
    return next(iter(difflib.get_close_matches(str(name), list(known), n=1)), None)


def instead(name: object, known: Collection[str], what: str = "there are") -> str:
    """The end of a sentence about an unknown name: "did you mean 'fedavg'?", or what there is if that is little.

    Of many names the few that are most like it are told.
    """
    if meant := nearest(name, known):
        return f"did you mean '{meant}'?"
    if len(listed := ", ".join(known)) <= FEW:
        return f"{what}: {listed or 'none'}."
    like = difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.0)
    return f"{what} {len(known)}, such as {', '.join(like)}."


def shown(value: object, most: int = 60) -> str:
    """A value as a sentence shows it, cut if it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 4]} ..."
