"""The dark picture from the light one, which costs nothing beside drawing it again."""

from __future__ import annotations

import functools
import re

from fedatlas.algorithms import algorithms
from fedatlas.report.figures.theme import DARK, LIGHT

_COLOUR = re.compile(rb"#[0-9a-f]{6}\b")


def dark(picture: bytes) -> bytes:
    """The SVG drawn with DARK, given the one drawn with LIGHT; colours that belong to no theme stay."""
    return _COLOUR.sub(lambda colour: _changes().get(colour.group(), colour.group()), picture)


@functools.cache
def _changes() -> dict[bytes, bytes]:
    inks = [(getattr(LIGHT, name), getattr(DARK, name)) for name in ("ink", "faint", "grid", "ground", "warn")]
    lines = [(LIGHT.readable(one.colour), DARK.readable(one.colour)) for one in algorithms.values()]
    return {light.encode(): dark.encode() for light, dark in lines + inks}
