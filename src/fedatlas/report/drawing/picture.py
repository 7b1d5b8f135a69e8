"""Pictures as files: which layouts there are, and what a page needs to show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt

from fedatlas.files import atomic
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.svg import svg

Draw = Callable[[theme.Theme, int], plt.Figure]  # of a theme and a number of columns
SCREEN = 115  # pixels of an inch on a wide screen
LAYOUTS: Mapping[str, int] = {"wide": 2, "narrow": 1}


@dataclass(frozen=True)
class Picture:
    """A picture of a page.

    Attributes:
        stem: its path from the page, without the ending of the layout and of the format.
        width: pixels that it may take on a wide screen.
        alt: the picture in words.
        caption: what stands under it.
        narrow: whether a layout for narrow screens lies beside it.
        dark: whether dark pages have a file of their own, as for images.
    """

    stem: str
    width: int
    alt: str
    caption: str = ""
    narrow: bool = False
    dark: bool = False

    def files(self, pages: Path) -> list[Path]:
        """Every file of it, under the folder of the pages."""
        layouts, themes = ("", "-narrow") if self.narrow else ("",), ("", "-dark") if self.dark else ("",)
        return [pages / f"{self.stem}{layout}{theme}.svg" for layout in layouts for theme in themes]


def save(
    out: Path, stem: str, draw: Draw, alt: str, caption: str = "", columns: Mapping[str, int] = LAYOUTS,
    raster: bool = False,
) -> Picture:  # fmt: skip
    """Writes `<stem>.svg` under `out` and, if `columns` has it, `<stem>-narrow.svg`.

    Colours follow the theme by the file's own style. A raster picture is drawn for each theme: `<stem>-dark.svg` ...
    """
    width = 0.0
    for ground in theme.THEMES if raster else (theme.LIGHT,):
        dark = "-dark" if ground is theme.DARK else ""
        with theme.style(ground):
            for layout, number in columns.items():
                figure = draw(ground, number)
                width = max(width, figure.get_size_inches()[0])
                with atomic(out / f"{stem}{'' if layout == 'wide' else '-narrow'}{dark}.svg") as partial:
                    partial.write_bytes(svg(figure))
    return Picture(stem, round(width * SCREEN), alt, caption, "narrow" in columns, raster)


def layouts(columns: Mapping[str, int], panels: int) -> Mapping[str, int]:
    """The layouts that a picture of so many panels needs: a single one reads well at any width."""
    return columns if panels > 1 else {"wide": columns["wide"]}
