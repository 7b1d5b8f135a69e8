"""Pictures of client stores in every layout and theme."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fedatlas.data import brain_pictures, pictures
from fedatlas.data.heterogeneity import dirichlet_distances, has_classes, label_counts
from fedatlas.data.store import ClientStore
from fedatlas.report.figures import theme

WIDTHS = {"wide": 10.0, "narrow": 4.6}  # inches
ALPHAS = np.logspace(-2, 2, 13)
BALANCED, CLIENTS = np.repeat(np.arange(10), 1000), 100
Picture = dict[str, str]


def draw_store(out: Path, stem: str, store: ClientStore) -> list[Picture]:
    """Draws what there is to see of a store; returns stem, alt and caption of each picture."""
    drawn = []
    for name, (draw, alt, caption) in _pictures(store).items():
        _save(out, f"{stem}-{name}", draw)
        drawn.append({"stem": f"{stem}-{name}", "alt": alt, "caption": caption})
    return drawn


def _pictures(store: ClientStore) -> dict[str, tuple[Callable[[float], plt.Figure], str, str]]:
    """What to draw: (picture of a width, alt text, caption) by name."""
    number = len(store.ids("train"))
    found = {}
    if brain_pictures.is_brain(store):
        found |= _brains(store)
    elif store.features["x"].dtype == "uint8" and len(store.features["x"].shape) > 1:
        found["samples"] = (
            lambda width: pictures.samples(store, width),
            f"Images of {min(8, number)} of {number} clients, one client in each row.",
            "The first examples of some clients, one client in each row.",
        )
    if has_classes(store):
        found["labels"] = (
            lambda width: pictures.labels_by_client(store, width),
            f"Heat map of the shares of {store.num_classes} classes at {number} clients.",
            "The share of every class among each client's training examples.",
        )
    elif store.features["y"].dtype.startswith("float"):
        found["targets"] = (
            lambda width: pictures.targets(store, width),
            f"Median and range of the targets of {number} clients.",
            "Each client's targets: the median, and the range from 10 to 90 %.",
        )
    if any(len(set(store.sizes(split))) > 1 for split in store.splits):
        sizes = store.sizes("train")
        found["sizes"] = (
            lambda width: pictures.sizes(store, width),
            f"Histogram of the clients' numbers of examples, {sizes.min()} to {sizes.max()} for training.",
            "How many clients have how many examples.",
        )
    return found


def _brains(store: ClientStore) -> dict[str, tuple[Callable[[float], plt.Figure], str, str]]:
    found = {}
    if brain_pictures.MEAN in store.attachments:
        found["mean"] = (
            lambda width: brain_pictures.mean_image(store, width),
            "Axial slices of the mean scan with the outline of the mask.",
            "The mean scan of the first subject, and the mask whose voxels are the features.",
        )
    found["contrast"] = (
        lambda width: brain_pictures.contrast(store, width),
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
    _save(out, "figures/heterogeneity", lambda width: pictures.heterogeneity(counts, ALPHAS, distances, width))
    return {
        "stem": "figures/heterogeneity",
        "alt": f"Distances of the clients' label laws to the pooled one: Dirichlet's over alpha, and of {len(counts)} "
        "client stores.",
    }


def _save(out: Path, stem: str, draw: Callable[[float], plt.Figure]) -> None:
    for ground in theme.THEMES:
        with theme.style(ground):
            for layout, width in WIDTHS.items():
                theme.save(draw(width), out / f"{stem}-{layout}-{ground.name}.svg")
