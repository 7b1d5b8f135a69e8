"""Pictures as small SVG files that follow the reader's theme.

A picture is drawn once, in the light theme. Every colour that belongs to the theme becomes a custom property, which the
file's own style sets for light and for dark pages.
"""

from __future__ import annotations

import io
import re

import matplotlib.pyplot as plt
from matplotlib.backends.backend_svg import FigureCanvasSVG

from fedatlas.report.drawing.theme import DARK, INKS, LIGHT, lines_drawn

_METADATA = re.compile(r"<metadata>.*?</metadata>|<\?xml.*?\?>|<!DOCTYPE.*?>", re.DOTALL)
_GROUP_ID = re.compile(r'<g id="[^"]*">')
_BETWEEN = re.compile(r">\s+<")
_PATH = re.compile(r' d="([^"]*)"')
_STEP = re.compile(r"([MLCQz])([^MLCQz]*)")
_NUMBER = re.compile(r"(-?\d+\.\d)\d+")
_PLACES = re.compile(r'(?<= )(x|y|transform|width|height|viewBox)="[^"]*"')
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_STYLE = re.compile(r' style="([^"]*)"')


def svg(figure: plt.Figure, follow: bool = True) -> bytes:
    """The figure as SVG; closes it. The same figure gives the same bytes every time.

    Its colours follow the page's theme, unless `follow` is false: then they are as drawn.
    """
    for part in (figure, *figure.axes):
        part.patch.set(facecolor="none", edgecolor="none")
    buffer = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    plt.close(figure)
    text = _small(buffer.getvalue().decode())
    return (_themed(text) if follow else text).encode()


def _small(text: str) -> str:
    """The same picture to a tenth of a point, without what no browser needs."""
    text = _BETWEEN.sub("><", _GROUP_ID.sub("<g>", _METADATA.sub("", text))).strip()
    text = _PATH.sub(lambda path: f' d="{_path(path.group(1))}"', text)
    text = _PLACES.sub(lambda place: _NUMBER.sub(r"\1", place.group()), text)
    return _STYLE.sub(lambda style: f' style="{style.group(1).replace(": ", ":").replace("; ", ";")}"', text)


def _path(d: str) -> str:
    """The path in tenths: lines from point to point, and curves as they are."""
    steps = []
    for command, rest in _STEP.findall(d):
        places = " ".join(f"{float(number):.1f}".removesuffix(".0") for number in rest.split())
        steps.append(f"{command}{places}")
    return re.sub(r"(?<=\d)L", " ", "".join(_moved(steps)))


def _moved(steps: list[str]) -> list[str]:
    """The steps without lines that end where they began, as points less than a tenth apart do."""
    kept: list[str] = []
    for step in steps:
        if not (kept and step[0] == "L" and step[1:] == kept[-1][1:]):
            kept.append(step)
    return kept


def _themed(text: str) -> str:
    """Colours of the theme as custom properties of the picture's style."""
    pairs = {getattr(LIGHT, ink): getattr(DARK, ink) for ink in INKS} | lines_drawn()
    used = sorted({colour for colour in _COLOUR.findall(text) if pairs.get(colour, colour) != colour})
    names = {colour: f"--{place}" for place, colour in enumerate(used)}
    light = ";".join(f"{name}:{colour}" for colour, name in names.items())
    dark = ";".join(f"{name}:{pairs[colour]}" for colour, name in names.items())
    text = _COLOUR.sub(lambda found: f"var({names[found.group()]})" if found.group() in names else found.group(), text)
    style = f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return text.replace('<style type="text/css">', f'<style type="text/css">{style}', 1)
