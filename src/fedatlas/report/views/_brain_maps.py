"""The learned weights of each algorithm on the brain: which voxels its model uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, cast

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, ListedColormap

from fedatlas.data.store import ClientStore
from fedatlas.formatting import number
from fedatlas.report.drawing.theme import DARK, Theme
from fedatlas.report.stores.brain import MASK, MEAN, as_image, nilearn_at_work
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run

# The extent of the brain whose outline nilearn draws, in millimetres of the standard space.
OUTLINE = np.array([[-72.0, 72.0], [-107.0, 74.0], [-65.0, 82.0]])
# From light to dark, for weights below zero and above it: already the smallest can be told from none.
COLD, HOT = ("#9ecae1", "#2171b5", "#08306b"), ("#fdbe85", "#e6550d", "#7f2704")
WIDTH, TITLE = 4.2, 0.4  # of an algorithm's part and of its title, inches


class Part(NamedTuple):
    """What is drawn of one algorithm: two lines of text, and nilearn's displays from top to bottom."""

    texts: tuple[plt.Text, plt.Text]
    displays: list[Any]


class Maps(NamedTuple):
    """All algorithms' maps, to be arranged: drawing them takes long, and moving them nothing."""

    canvas: plt.Figure
    parts: list[Part]
    slice_alone: bool


def maps(results: ExperimentResults, theme: Theme) -> Maps:
    """For each algorithm the model of its sweep; call inside `theme.style`.

    Above, a glass brain: all weights seen from the side, the back and the top, the voxels' extent fitted to the
    outline, as subjects are scanned in spaces of their own. Below, three cuts through the mean scan at the place where
    the models' weights are largest together. A scan that is only a slice is shown from above instead. Warm colours
    speak for class 1, cold ones for class 0; every algorithm has a scale of its own.

    Raises:
        AtlasError: if a model or the store is missing or damaged.
    """
    runs = {name: results.sweep_run(name) for name in results.runs}
    store = _store(results)
    weights = {name: _weights(run, store) for name, run in runs.items()}
    slice_alone = min(np.ptp(np.argwhere(_mask(store)), axis=0)) == 0
    canvas = plt.figure(figsize=(WIDTH, WIDTH))
    place, parts = _common_place(store, weights.values()), []
    for name, run in runs.items():
        cut, image = _cut(run), as_image(store, weights[name])
        look = {"figure": canvas, "axes": _ALL, "threshold": cut, "annotate": False, "colorbar": False, **_look(theme)}
        title = _title(canvas, theme.readable(results.colours[name]), run.name)
        texts = title, _title(canvas, theme.faint, _used(weights[name], cut))
        if slice_alone:
            displays = [_cuts(image, store, "z", place[2:], **look)]
        else:
            displays = [_glass(image, store, **look), _cuts(image, store, "ortho", place, **look)]
        parts.append(Part(texts, displays))
    _clear(canvas)
    return Maps(canvas, parts, slice_alone)


def arrange(maps: Maps, columns: int) -> plt.Figure:
    """The maps' figure with the algorithms in so many columns, twice as many of slices; other texts are taken away."""
    columns, width = (2 * columns, WIDTH / 2) if maps.slice_alone else (columns, WIDTH)
    rows, height = -(-len(maps.parts) // columns), TITLE + width * (0.62 if maps.slice_alone else 0.6)
    maps.canvas.set_size_inches(columns * width, rows * height)
    for text in {*maps.canvas.texts}.difference(*(part.texts for part in maps.parts)):
        text.remove()
    for position, part in enumerate(maps.parts):
        row, column = divmod(position, columns)
        top, title = 1 - row / rows, TITLE / height / rows
        for line, text in enumerate(part.texts):
            text.set_position((column / columns + 0.01, top - line * title / 2 - title / 4))
        box = _Box(column / columns, 1 - (row + 1) / rows, 1 / columns, 1 / rows - title)
        for display, place in zip(part.displays, [box] if maps.slice_alone else [box.upper, box.lower], strict=True):
            display.frame_axes.set_position(place)
            display.rect = (place.left, place.bottom, place.left + place.width, place.bottom + place.height)
    return maps.canvas


class _Box(NamedTuple):
    """A part of the figure, in fractions of it."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def upper(self) -> _Box:
        return self._replace(bottom=self.bottom + self.height / 2, height=self.height / 2)

    @property
    def lower(self) -> _Box:
        return self._replace(height=self.height / 2)


_ALL = _Box(0, 0, 1, 1)


def _title(canvas: plt.Figure, colour: str, text: str) -> plt.Text:
    return canvas.text(0, 1, text, color=colour, va="center", fontsize=9)


def _glass(image: Any, store: ClientStore, **look: Any) -> Any:
    from nilearn import plotting

    with nilearn_at_work():
        return plotting.plot_glass_brain(_fitted(image, store), display_mode="ortho", plot_abs=False, **look)


def _cuts(image: Any, store: ClientStore, mode: str, place: list[float], **look: Any) -> Any:
    from nilearn import plotting

    with nilearn_at_work():
        return plotting.plot_stat_map(
            image,
            bg_img=str(store.attachments[MEAN]),
            display_mode=mode,
            cut_coords=place,
            draw_cross=False,
            **look,
        )


def _look(theme: Theme) -> dict[str, Any]:
    """Large weights stand out most, dark on light and light on dark; blue is below zero, orange above."""
    dark = theme is DARK
    ramps = [list(COLD)[:: 1 if dark else -1], list(HOT)[:: -1 if dark else 1]]
    halves = [LinearSegmentedColormap.from_list("half", ramp, 128)(np.arange(128)) for ramp in ramps]
    return {"cmap": ListedColormap(np.concatenate(halves)), "black_bg": dark}


def _clear(canvas: plt.Figure) -> None:
    """Takes away the black sheets that nilearn lays behind a dark picture: the page has a ground of its own."""
    for axis in canvas.axes:
        for image in [image for image in axis.images if image.get_zorder() < -100]:
            image.remove()


def shares_used(results: ExperimentResults) -> dict[str, float]:
    """By algorithm, the share of the voxels that count as used, which the maps count too."""
    runs = {name: results.sweep_run(name) for name in results.runs}
    store = _store(results)
    return {name: float(np.mean(np.abs(_weights(run, store)) > _cut(run))) for name, run in runs.items()}


def _store(results: ExperimentResults) -> ClientStore:
    run = results.sweep_run(next(iter(results.runs)))
    return ClientStore.open(cast(Path, results.stores) / run.manifest.dataset.id)


def _weights(run: Run, store: ClientStore) -> np.ndarray:
    """Of the voxels; what the model has besides is no voxel's."""
    return run.model.params[: store.features["x"].shape[0]]


def _cut(run: Run) -> float:
    """Above which absolute value a weight counts as non-zero."""
    return run.manifest.spec["problem"].get("nonzero_above", 0.0)


def _used(weights: np.ndarray, cut: float) -> str:
    return f"{number(np.count_nonzero(np.abs(weights) > cut))} of {number(len(weights))} voxels"


def _mask(store: ClientStore) -> np.ndarray:
    import nibabel

    return np.asarray(nibabel.load(store.attachments[MASK]).dataobj) != 0


def _common_place(store: ClientStore, weights: Any) -> list[float]:
    """Where the models' absolute weights, each relative to its largest, add up to most; in millimetres."""
    total = sum(np.abs(w) / max(np.abs(w).max(), np.finfo(float).tiny) for w in weights)
    voxel = np.argwhere(_mask(store))[int(np.argmax(total))]
    return [float(x) for x in as_image(store, total).affine[:3] @ [*voxel, 1]]


def _fitted(image: Any, store: ClientStore) -> Any:
    """The image moved and stretched, axis by axis, so that the mask's extent is that of the outline."""
    import nibabel

    corners = np.argwhere(_mask(store)) @ image.affine[:3, :3].T + image.affine[:3, 3]
    low, high = corners.min(0), corners.max(0)
    stretch = np.diag([*((OUTLINE[:, 1] - OUTLINE[:, 0]) / (high - low)), 1.0])
    stretch[:3, 3] = OUTLINE[:, 0] - stretch[:3, :3] @ low
    return nibabel.Nifti1Image(image.get_fdata(), stretch @ image.affine)
