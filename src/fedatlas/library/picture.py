"""A figure of a study, drawn as the atlas draws its own."""

from __future__ import annotations

import base64
import contextlib
import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib

from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.results.axes import Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric


@dataclass(frozen=True)
class Drawing:
    """A picture: notebooks show it, `save` writes it.

    Attributes:
        svg: the picture.
        words: the same in words.
    """

    svg: str
    words: str

    def save(self, path: str | Path) -> Path:
        """Writes an SVG file.

        Raises:
            AtlasError: if the path has another ending.
        """
        if Path(path).suffix.lower() not in ("", ".svg"):
            raise AtlasError(f"{path}: pictures are written as SVG: give a path that ends in .svg.")
        write_text(path, self.svg)
        return Path(path)

    def _repr_html_(self) -> str:
        """As an image, whose style is its own: those of two pictures would mix in one page."""
        content = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{html.escape(self.words)}" src="data:image/svg+xml;base64,{content}">'

    def __repr__(self) -> str:
        return self.words


def draw(results: ExperimentResults, metric: Metric, against: Axis) -> Drawing:
    """The curves of one metric, in the light theme on white."""
    with own_backend():
        return _drawn(results, metric, against)


@contextlib.contextmanager
def own_backend() -> Iterator[None]:
    """Leaves Matplotlib's backend as it is: the atlas draws without a screen, a notebook with one."""
    backend = matplotlib.get_backend()
    try:
        yield
    finally:
        matplotlib.use(backend)


def _drawn(results: ExperimentResults, metric: Metric, against: Axis) -> Drawing:
    from fedatlas.report.drawing import theme
    from fedatlas.report.model.figure import Figure, Panel
    from fedatlas.report.standalone import on_white
    from fedatlas.report.views import view

    panel = Panel(metric=metric.metric, split=metric.split)
    figure = Figure(id=results.experiment.figure, about=results.experiment.title, panels=(panel,), against=against)
    kind = view(figure.view)
    with theme.style(theme.LIGHT):
        return Drawing(on_white(kind.draw(results, figure, theme.LIGHT, 2)), kind.alt(results, figure))
