"""Pictures of an experiment's results on a page: drawn for it, or kept with what is published."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fedatlas.report.drawing.legend import mark_stand_in
from fedatlas.report.drawing.picture import SCREEN, Draw, Picture, layouts, save
from fedatlas.report.model.figure import Figure
from fedatlas.report.views import brain, sweep, view
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.published import Published


def draw_view(
    out: Path, stem: str, kind: str, results: ExperimentResults, figure: Figure,
    columns: Mapping[str, int] | None = None,
) -> Picture | None:  # fmt: skip
    """Draws one kind of picture of an experiment; None if the results hold nothing to draw.

    Args:
        columns: by layout, the panels side by side; those of the kind if not given.
    """
    chosen, shown = view(kind), results.shown(figure.algorithms)
    if chosen.table(shown, figure).empty:
        return None
    columns = columns or layouts(chosen.columns, chosen.panels(shown, figure))
    alt, caption = words(kind, results, figure)
    return save(out, stem, _marked(kind, shown, figure), alt, caption, columns, chosen.raster)


def words(kind: str, results: ExperimentResults, figure: Figure) -> tuple[str, str]:
    """(alt text, caption) of one kind of picture."""
    chosen, shown = view(kind), results.shown(figure.algorithms)
    return _of_stand_in(chosen.alt(shown, figure), results), chosen.caption(shown, figure)


def _of_stand_in(alt: str, results: ExperimentResults) -> str:
    """The alt text, which says first where data is none of anybody's."""
    return f"Stand-in data. {alt}" if results.is_stand_in else alt


def _marked(kind: str, shown: ExperimentResults, figure: Figure) -> Draw:
    def draw(theme, columns):
        canvas = view(kind).draw(shown, figure, theme, columns)
        return mark_stand_in(canvas, theme) if shown.is_stand_in else canvas

    return draw


def kept_name(figure: Figure, kind: str) -> str:
    """What a published picture is called, without its ending; there is one sweep of each experiment."""
    if kind == "sweep":
        return "sweep"
    return figure.anchor if kind == figure.view else f"{figure.anchor}-{kind}"


def kept_view(pages: Path, published: Published, kind: str, figure: Figure) -> Picture | None:
    """The picture that was drawn when the experiment was published; None if there is none."""
    path = published.folder / f"{kept_name(figure, kind)}.svg"
    if not path.is_file():
        return None
    stem = os.path.relpath(path.with_suffix(""), pages)
    narrow, dark = (path.with_stem(path.stem + ending).is_file() for ending in ("-narrow", "-dark"))
    if kind == "brain":
        alt, caption = _of_stand_in(brain.ALT, published.results), brain.CAPTION
    else:
        alt, caption = words(kind, published.results, figure)
    if kind == "sweep" and ">round<" in path.read_text(encoding="utf-8"):  # the axis of curves that no table holds
        caption += sweep.CURVES
    return Picture(stem, _width(path), alt, caption, narrow, dark)


def _width(path: Path) -> int:
    """Pixels on a wide screen, from the picture's own size in points."""
    with path.open(encoding="utf-8") as file:
        head = file.read(400)
    points = float(head.split('width="', 1)[1].split("pt", 1)[0])
    return round(points / 72 * SCREEN)
