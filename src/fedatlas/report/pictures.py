"""Every figure in every layout and theme."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt

from fedatlas.claims.evidence import Evidence
from fedatlas.files import atomic
from fedatlas.report import frames, provenance
from fedatlas.report.figures import curves, scatter, side_by_side, sweep, theme
from fedatlas.report.figures.marks import mark
from fedatlas.report.figures.recolour import dark
from fedatlas.report.papers import Figure

COLUMNS = {"wide": 2, "narrow": 1}
SKETCH = {"wide": 1, "narrow": 1}
SWEEP = {"wide": 4, "narrow": 2}
SIDE_BY_SIDE = {"wide": 3, "narrow": 1}
Draw = Callable[[theme.Theme, int], plt.Figure]  # of a theme and a number of columns


def of_figure(evidence: Evidence, key: str, figure: Figure) -> Draw:
    """What draws one experiment's picture of a figure, curves or a scatter, marked if its data is a stand-in."""
    draw = scatter.draw if figure.scatter else curves.draw
    kind, shown = frames.data_kind(evidence.runs[key]), frames.shown(evidence, key, figure)
    return lambda ground, columns: mark(draw(shown, key, figure, ground, columns), kind, ground)


def of_several(evidence: Evidence, paper: str, figure: Figure) -> Draw:
    """What draws the experiments of a figure side by side."""
    return lambda ground, columns: side_by_side.draw(evidence, paper, figure, ground, columns)


def of_sweep(evidence: Evidence, key: str) -> Draw | None:
    """What draws one experiment's sweep; None if none of its algorithms has a choice."""
    if not sweep.swept(evidence, key):
        return None
    kind = frames.data_kind(evidence.runs[key])
    return lambda ground, columns: mark(sweep.draw(evidence, key, ground, columns), kind, ground)


def of_brain(evidence: Evidence, key: str, figure: Figure, clients: Path) -> Draw | None:
    """What draws the models as maps of the brain; None if the figure has none, or models or voxels are not on disk."""
    shown = frames.shown(evidence, key, figure)
    runs = provenance.all_runs(shown, key)
    there = all((r.folder / "model.npz").is_file() and (clients / r.manifest["dataset"]["id"]).is_dir() for r in runs)
    if not (figure.brain and there and find_spec("fedatlas.report.figures.brain")):
        return None
    from fedatlas.report.figures import brain

    kind = frames.data_kind(evidence.runs[key])
    maps = functools.cache(lambda ground: brain.maps(shown, key, clients, ground))
    return lambda ground, columns: mark(brain.arrange(maps(ground), columns), kind, ground)


def save(out: Path, stem: str, draw: Draw, columns: Mapping[str, int] = COLUMNS, lines: Iterable[str] = ()) -> str:
    """Writes `<stem>-<layout>-<theme>.svg` under `out` in all layouts and themes; returns the stem.

    Only inks and lines may depend on the theme: the dark picture is the light one recoloured. `lines` are the colours
    of its lines; those of the registered algorithms need not be given.
    """
    lines = list(lines)
    with theme.style(theme.LIGHT):
        drawn = {number: theme.svg(draw(theme.LIGHT, number)) for number in {*columns.values()}}
    for layout, number in columns.items():
        light = drawn[number]
        for ground, content in ((theme.LIGHT, light), (theme.DARK, dark(light, lines))):
            with atomic(out / f"{stem}-{layout}-{ground.name}.svg") as partial:
                partial.write_bytes(content)
    return stem


def save_twice(out: Path, stem: str, draw: Draw, columns: Mapping[str, int] = COLUMNS) -> str:
    """The same for pictures that hold more of the theme, such as maps of colours."""
    for ground in theme.THEMES:
        with theme.style(ground):
            for layout, number in columns.items():
                theme.save(draw(ground, number), out / f"{stem}-{layout}-{ground.name}.svg")
    return stem
