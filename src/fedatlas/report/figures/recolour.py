"""The dark picture from the light one, which costs nothing beside drawing it again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fedatlas.algorithms import algorithms
from fedatlas.report.figures.theme import DARK, LIGHT

_COLOUR = re.compile(rb"#[0-9a-f]{6}\b")


def dark(picture: bytes, lines: Iterable[str] = ()) -> bytes:
    """The SVG drawn with DARK, given the one drawn with LIGHT; colours that belong to no theme stay.

    Args:
        lines: colours of lines besides those of the registered algorithms, such as of their variants.
    """
    changes = _changes(lines)
    return _COLOUR.sub(lambda colour: changes.get(colour.group(), colour.group()), picture)


def _changes(more: Iterable[str]) -> dict[bytes, bytes]:
    inks = [(getattr(LIGHT, name), getattr(DARK, name)) for name in ("ink", "faint", "grid", "ground", "warn")]
    colours = [*(one.colour for one in algorithms.values()), *more]
    lines = [(LIGHT.readable(colour), DARK.readable(colour)) for colour in colours]
    return {light.encode(): dark.encode() for light, dark in lines + inks}
