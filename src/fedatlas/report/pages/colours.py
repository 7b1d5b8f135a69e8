"""The colours of curves in a page's style."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from fedatlas.report.drawing.theme import DARK, LIGHT
from fedatlas.report.drawing.vega import style_property


def colour_rules(colours: Iterable[str]) -> Markup:
    """The colours as style properties that follow the page's theme."""
    different = dict.fromkeys(colours)
    light, dark = (
        "; ".join(f"{style_property(colour)}: {ground.readable(colour)}" for colour in different)
        for ground in (LIGHT, DARK)
    )
    return Markup(f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}")
