"""All pictures of a client store, and of how much the clients of several differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.data.label_distances import dirichlet_distances, has_classes, label_counts
from fedatlas.data.store import ClientStore
from fedatlas.report.drawing.picture import Picture, save
from fedatlas.report.stores import brain, examples

WIDTH = 6.2  # inches
ALPHAS = np.logspace(-2, 2, 13)
Drawn = tuple[Callable[[float], plt.Figure], str, str]  # a picture of a width, its alt text and its caption
BALANCED, CLIENTS = np.repeat(np.arange(10), 1000), 100


def draw_store(out: Path, stem: str, store: ClientStore) -> list[Picture]:
    """Draws what there is to see of a store."""
    return [_save(out, f"{stem}-{name}", *drawn) for name, drawn in _pictures(store).items()]


def _pictures(store: ClientStore) -> dict[str, Drawn]:
    number = len(store.ids("train"))
    found: dict[str, Drawn] = {}
    if brain.is_brain(store):
        found |= _brains(store)
    elif store.features["x"].dtype == "uint8" and len(store.features["x"].shape) > 1:
        found["samples"] = (
            lambda width: examples.samples(store, width),
            f"Images of {min(examples.SAMPLED, number)} of {number} clients, one client in each row.",
            "The first examples of some clients, one client in each row.",
        )
    if has_classes(store):
        found["labels"] = (
            lambda width: examples.labels_by_client(store, width),
            f"Heat map of the shares of {store.num_classes} classes at {number} clients.",
            "The share of every class among each client's training examples.",
        )
    elif store.features["y"].dtype.startswith("float"):
        found["targets"] = (
            lambda width: examples.targets(store, width),
            f"Median and range of the targets of {number} clients.",
            "Each client's targets: the median, and the range from 10 to 90 %.",
        )
    if any(len(set(store.sizes(split))) > 1 for split in store.splits):
        sizes = store.sizes("train")
        found["sizes"] = (
            lambda width: examples.sizes(store, width),
            f"Histogram of the clients' numbers of examples, {sizes.min()} to {sizes.max()} for training.",
            "How many clients have how many examples.",
        )
    return found


def _brains(store: ClientStore) -> dict[str, Drawn]:
    found: dict[str, Drawn] = {}
    if brain.MEAN in store.attachments:
        found["mean"] = (
            lambda width: brain.mean_image(store, width),
            "Axial slices of the mean scan with the outline of the mask.",
            "The mean scan of the first subject, and the mask whose voxels are the features.",
        )
    found["contrast"] = (
        lambda width: brain.contrast(store, width),
        "Axial slices with the voxels in which the first two classes differ most on average.",
        "Mean of the first class less mean of the second over all training clients; the 5 % largest differences.",
    )
    return found


def draw_heterogeneity(out: Path, stores: Mapping[str, ClientStore]) -> Picture | None:
    """Draws how far the clients of every store with classes are from the pooled law of labels, if there is any."""
    counts = {
        label: label_counts(store, "train")
        for label, store in stores.items()
        if has_classes(store) and len(store.ids("train")) > 1
    }
    if not counts:
        return None
    distances = dirichlet_distances(BALANCED, ALPHAS, CLIENTS, np.random.default_rng(0))
    return _save(
        out,
        "figures/heterogeneity",
        lambda width: examples.heterogeneity(counts, ALPHAS, distances, width),
        "Distances of the clients' label distributions to the pooled one: Dirichlet's over alpha, and of "
        f"{len(counts)} client stores.",
        "",
    )


def _save(out: Path, stem: str, draw: Callable[[float], plt.Figure], alt: str, caption: str) -> Picture:
    """Most are images or have colours of their own on a ground that shows, so they are drawn for both themes."""
    return save(out, stem, lambda ground, columns: draw(WIDTH), alt, caption, {"wide": 1}, raster=True)
