"""Pictures of client stores: what the examples look like, and how they lie with the clients.

Every function returns a new matplotlib figure of the given width in inches, drawn in the style that is set.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import Colormap, LinearSegmentedColormap, PowerNorm, to_rgba

from fedatlas.data.label_distances import label_counts, total_variation
from fedatlas.data.store import ClientStore

ACCENT = "#3b82c4"  # readable on white and on black
NARROW = 6  # inches
LETTERS = 40  # of a line beside an axis
SAMPLED = 8  # clients whose images are shown
MOST_CLIENTS = 120  # drawn one by one


def samples(store: ClientStore, width: float = 7.2, split: str = "train") -> plt.Figure:
    """Images of some clients, a row each. For stores of images, x of the shape [h, w] or [h, w, 3]."""
    height = store.features["x"].shape[0]
    columns = int(width * 2)
    chosen = _spread(len(store.ids(split)), SAMPLED)
    rows = [_row(store.read(split, client)["x"][:columns], columns) for client in chosen]
    figure, axes = plt.subplots(figsize=(width, width * len(rows) / columns * 1.02 + 0.1), layout="constrained")
    axes.imshow(np.concatenate(rows), cmap="gray", interpolation="nearest", aspect="equal")
    centres = (np.arange(len(rows)) + 0.5) * (height + 1)
    axes.set(xticks=[], yticks=centres, yticklabels=[_short(store.ids(split)[client]) for client in chosen])
    axes.tick_params(length=0, labelsize=7)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    return figure


def labels_by_client(store: ClientStore, width: float = 7.2, split: str = "train") -> plt.Figure:
    """The share of every class among each client's examples, as a heat map."""
    counts = label_counts(store, split)
    chosen = _spread(len(counts), MOST_CLIENTS)
    shares = (counts / counts.sum(1, keepdims=True))[chosen]
    classes = shares.shape[1]
    figure, axes = plt.subplots(figsize=(width, float(np.clip(0.9 + 0.08 * classes, 1.5, 3.6))), layout="constrained")
    image = axes.imshow(
        shares.T,
        aspect="auto",
        cmap=_ramp(),
        norm=PowerNorm(0.5, 0, min(1, max(shares.max(), 2 / classes))),
        interpolation="nearest",
    )
    axes.set(xlabel=_counted("client", len(counts), len(chosen)), ylabel="class")
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.grid(False)
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03)
    bar.outline.set_visible(False)
    bar.set_label("share")
    return figure


def sizes(store: ClientStore, width: float = 7.2) -> plt.Figure:
    """A histogram of the clients' numbers of examples, for each split of more than one client."""
    shown = [split for split in store.splits if len(store.ids(split)) > 1]
    figure, grid = plt.subplots(
        1, len(shown), figsize=(width, 1.9), layout="constrained", squeeze=False, sharey=len(shown) > 1
    )
    for axes, split in zip(grid[0], shown, strict=True):
        numbers = store.sizes(split)
        axes.hist(numbers, bins=min(30, max(5, len(np.unique(numbers)))), color=ACCENT)
        axes.set(title=split, xlabel="examples")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.xaxis.get_major_locator().set_params(nbins=4)
    grid[0][0].set_ylabel("clients")
    return figure


def targets(store: ClientStore, width: float = 7.2, split: str = "train") -> plt.Figure:
    """Median and 10 to 90 % range of each client's y, for regression."""
    chosen = _spread(len(store.ids(split)), MOST_CLIENTS)
    low, middle, high = np.array([np.quantile(store.read(split, i)["y"], (0.1, 0.5, 0.9)) for i in chosen]).T
    figure, axes = plt.subplots(figsize=(width, 2), layout="constrained")
    place = np.arange(len(chosen))
    axes.vlines(place, low, high, color=ACCENT, alpha=0.45, linewidth=max(1, 1.6 * width * 20 / len(chosen) / 7.2))
    axes.plot(place, middle, "o", color=ACCENT, markersize=2.5)
    axes.set(xlabel=_counted("client", len(store.ids(split)), len(chosen)), ylabel="y")
    axes.grid(axis="x", visible=False)
    return figure


def heterogeneity(
    stores: Mapping[str, np.ndarray], alphas: np.ndarray, distances: np.ndarray, width: float = 7.2
) -> plt.Figure:
    """The clients' distances to the pooled label law: Dirichlet's over alpha, beside those of stores.

    Args:
        stores: by name, the examples of each class at each client, [num_clients, num_classes].
        alphas, distances: as `label_distances.dirichlet_distances` has them, [num_alphas] and
            [num_alphas, num_clients].
    """
    names = [textwrap.fill(name, LETTERS) for name in stores]
    lines = sum(name.count("\n") + 1 for name in names)
    beside, height = width > NARROW, 1.2 + max(1.4, 0.24 * len(names), 0.14 * lines)
    figure, (left, right) = plt.subplots(
        *(1, 2) if beside else (2, 1),
        figsize=(width, height if beside else height + 2.4),
        height_ratios=None if beside else (2.4, height),
        layout="constrained",
        sharex=True,
    )
    low, middle, high = np.quantile(distances, (0.1, 0.5, 0.9), axis=1)
    left.fill_betweenx(alphas, low, high, color=ACCENT, alpha=0.25, linewidth=0)
    left.plot(middle, alphas, color=ACCENT)
    left.set(yscale="log", xlim=(0, 1), ylabel="alpha", title="Dirichlet(alpha)")
    for row, counts in enumerate(stores.values()):
        low, middle, high = np.quantile(total_variation(counts), (0.1, 0.5, 0.9))
        right.plot([low, high], [row, row], color=ACCENT, alpha=0.45, linewidth=4, solid_capstyle="butt")
        right.plot(middle, row, "o", color=ACCENT, markersize=4)
    right.set(yticks=range(len(names)), yticklabels=names, title="client stores", ylim=(len(names) - 0.5, -0.5))
    right.tick_params(labelsize=7)
    for axes in (left, right):
        axes.set_xlabel("total variation")
    return figure


def _spread(number: int, most: int) -> np.ndarray:
    """At most so many indices below `number`, evenly spread."""
    return np.unique(np.linspace(0, number - 1, min(number, most)).astype(int))


def _counted(word: str, number: int, shown: int) -> str:
    return word if shown == number else f"{word} ({shown} of {number})"


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"


def _row(images: np.ndarray, columns: int) -> np.ndarray:
    """Images side by side with a thin gap, as RGBA; the rest of the row is clear."""
    height, side = images.shape[1:3]
    row = np.zeros((height + 1, columns * (side + 1), 4), np.uint8)
    for column, image in enumerate(images):
        place = row[:height, column * (side + 1) : column * (side + 1) + side]
        place[..., :3] = image if image.ndim == 3 else image[..., None]
        place[..., 3] = 255
    return row


def _ramp() -> Colormap:
    """From nothing to the ink, for any ground."""
    ink = mpl.rcParams["text.color"]
    return LinearSegmentedColormap.from_list("ramp", [(*to_rgba(ACCENT)[:3], 0.0), ACCENT, ink])
