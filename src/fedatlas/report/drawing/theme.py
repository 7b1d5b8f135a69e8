"""Ink, fonts and algorithm colours of the light and the dark theme."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import colorsys  # noqa: E402

import matplotlib.colors as mcolors  # noqa: E402
from matplotlib.mathtext import MathTextParser  # noqa: E402

from fedatlas.lazy import sns  # noqa: E402

_parse = MathTextParser._parse_cached.__wrapped__
SELECTED = "#ff8a00"  # the outline of the selected configuration
FONTS = ["Inter", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"]


@functools.lru_cache(4096)
def _parsed(output: str, *formula: Any) -> Any:
    """A formula, such as a power of ten on a logarithmic axis. Matplotlib parses them anew for every picture."""
    return _parse(MathTextParser({"vector": "path", "raster": "agg"}[output]), *formula)


MathTextParser._parse_cached = lambda self, *formula: _parsed(self._output_type, *formula)


@dataclass(frozen=True)
class Theme:
    """Colours of everything that is not data, and the page's ground, which decides what can be seen on it."""

    name: str
    ink: str
    faint: str
    grid: str
    ground: str
    warn: str
    contrast: float  # at least, of a line against the ground; WCAG asks 3 of graphics

    def readable(self, colour: str) -> str:
        """The colour, moved towards the ink until it can be told from the ground; its hue stays."""
        _LINES.setdefault(colour)
        return _readable(self, colour)


APART = 2.0  # of what a colour was moved by
INKS = ("ink", "faint", "grid", "ground", "warn")
_LINES: dict[str, None] = {}  # the colours of lines that were asked for in any theme


def lines_drawn() -> dict[str, str]:
    """The dark colour of every line's light one, of all colours that were asked for so far."""
    return {_readable(LIGHT, colour): _readable(DARK, colour) for colour in _LINES}


@functools.cache
def _readable(theme: Theme, colour: str) -> str:
    channels = mcolors.to_rgb(colour)
    hue, lightness, saturation = colorsys.rgb_to_hls(*channels)
    if max(channels) - min(channels) < 0.15:  # nearly grey: its hue would only show once it is lightened
        saturation = 0.0
    towards = 0.02 if sns.utils.relative_luminance(theme.ground) < 0.5 else -0.02
    first = lightness
    while _contrast(colour, theme.ground) < theme.contrast and 0 < lightness < 1:
        lightness = min(1.0, max(0.0, lightness + towards))
        colour = mcolors.to_hex(colorsys.hls_to_rgb(hue, lightness, saturation))
    if lightness == first:
        return colour
    # The further it was from being seen, the further it goes: else a dark and a darker blue would become the same.
    lightness = max(0.2, min(0.78, lightness + APART * (lightness - first)))
    return mcolors.to_hex(colorsys.hls_to_rgb(hue, lightness, saturation))


# The light ground is not quite the page's white: whoever replaces it in a picture must not meet white that means white.
LIGHT = Theme("light", ink="#1c2430", faint="#6b7585", grid="#e3e6eb", ground="#fefefe", warn="#96650a", contrast=3.0)
DARK = Theme("dark", ink="#e6e9ee", faint="#98a2b3", grid="#2c3442", ground="#12161c", warn="#e3b04b", contrast=4.0)
THEMES = (LIGHT, DARK)


def _contrast(a: str, b: str) -> float:
    high, low = sorted(map(sns.utils.relative_luminance, (a, b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@contextlib.contextmanager
def style(theme: Theme) -> Iterator[None]:
    """Matplotlib settings of a theme; the same figure gives the same bytes every time."""
    settings = {
        "font.family": "sans-serif",
        "font.sans-serif": FONTS,
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.edgecolor": theme.faint,
        "axes.labelcolor": theme.faint,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "grid.color": theme.grid,
        "grid.linewidth": 0.6,
        "hatch.color": theme.faint,
        "hatch.linewidth": 0.6,
        "legend.frameon": False,
        "lines.solid_capstyle": "round",
        "svg.fonttype": "none",
        "svg.hashsalt": "fedatlas",
        "text.color": theme.ink,
        "xtick.color": theme.faint,
        "ytick.color": theme.faint,
        "xtick.major.size": 3,
        "ytick.major.size": 3,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
    }
    with mpl.rc_context(settings):
        yield
