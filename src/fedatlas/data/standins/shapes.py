"""Coloured shapes in 10 or 100 classes, in the pickled batches of CIFAR-10 and CIFAR-100.

A class is a shape (a number of lobes, filled or hollow) and a range of hues; place, size, turn, background and noise
vary. Of CIFAR-100's classes, those of one coarse label share their hues.
"""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np
from scipy.ndimage import zoom

from fedatlas.data.formats.cifar import COARSE, SIDE, write_batch

NOTE = "Drawn shapes, one per class, on coloured noise; no photographs."
SIZES = {
    "tiny": {"train": 500, "test": 100},
    "quick": {"train": 5000, "test": 1000},
    "full": {"train": 50000, "test": 10000},
}
LOBES = (0, 2, 3, 4, 5)
NOISE, BATCHES = 14.0, 5


def write_ten(folder: Path, rng: np.random.Generator, train: int, test: int) -> None:
    """Writes the five training batches and the test batch of CIFAR-10."""
    names = [*(f"data_batch_{number}" for number in range(1, BATCHES + 1)), "test_batch"]
    for name, size in zip(names, [train // BATCHES] * BATCHES + [test], strict=True):
        labels = rng.permutation(np.arange(size) % 10)
        hues = labels / 10 + rng.normal(0, 0.08, size)
        images = draw(labels % 5, labels >= 5, hues, rng)
        write_batch(folder / "cifar-10-batches-py" / name, images, labels, fine=False)


def write_hundred(folder: Path, rng: np.random.Generator, train: int, test: int) -> None:
    """Writes the training and the test file of CIFAR-100."""
    rank = np.array([(COARSE[:fine] == coarse).sum() for fine, coarse in enumerate(COARSE)])
    for name, size in (("train", train), ("test", test)):
        labels = rng.permutation(np.arange(size) % 100)
        hues = COARSE[labels] / 20 + rng.normal(0, 0.02, size)
        images = draw(rank[labels], COARSE[labels] % 2 == 1, hues, rng)
        write_batch(folder / "cifar-100-python" / name, images, labels, fine=True)


def draw(shapes: np.ndarray, hollow: np.ndarray, hues: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Images, uint8 [num_images, 32, 32, 3].

    Args:
        shapes: indices into LOBES, [num_images].
        hollow: whether only the rim is drawn, [num_images].
        hues: 1 is once around the colour circle, [num_images].
    """
    return np.stack([_draw(LOBES[s], h, hue, rng) for s, h, hue in zip(shapes, hollow, hues, strict=True)])


def _draw(lobes: int, hollow: bool, hue: float, rng: np.random.Generator) -> np.ndarray:
    y, x = np.indices((SIDE, SIDE)) - (SIDE - 1) / 2 - rng.normal(0, 2.5, 2)[:, None, None]
    angle, radius = np.arctan2(y, x) + rng.uniform(0, 2 * np.pi), np.hypot(x, y)
    edge = rng.uniform(8, 12) * (1 + 0.35 * np.cos(lobes * angle) * (lobes > 0))
    inside = (radius < edge) & ~(hollow & (radius < 0.6 * edge))
    ink = 255 * np.array(colorsys.hsv_to_rgb(hue % 1, rng.uniform(0.6, 1), rng.uniform(0.6, 1)))
    paper = zoom(rng.uniform(40, 215, (3, 3, 3)), (SIDE / 3, SIDE / 3, 1), order=1)
    image = np.where(inside[..., None], ink, paper) + rng.normal(0, NOISE, (SIDE, SIDE, 3))
    return np.clip(image, 0, 255).astype(np.uint8)
