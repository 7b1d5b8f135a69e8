"""Handwriting by writers, in the archive of TensorFlow Federated's EMNIST, and digits in the files of MNIST.

Digits are scikit-learn's (8 x 8, of 43 real writers), letters are glyphs of matplotlib's fonts; both are drawn anew on
28 x 28 in a style that every writer has of its own: size, slant, turn, place, thickness, contrast, and a font.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import affine_transform, gaussian_filter
from sklearn.datasets import load_digits

from fedatlas.data.formats.idx import write_idx
from fedatlas.data.formats.tff_sqlite import write_archive

NOTE = "Made of scikit-learn's digits and of letters from fonts, drawn anew in a style per writer; nobody wrote them."
SIZES = {
    "tiny": {"writers": 12, "examples": 20},
    "quick": {"writers": 120, "examples": 80},
    "full": {"writers": 3400, "examples": 197},
}
SIDE = 28
DIGIT_SIZES = {
    "tiny": {"train": 200, "test": 100},
    "quick": {"train": 6000, "test": 1000},
    "full": {"train": 60000, "test": 10000},
}
KINDS = {"all": 62, "digits_only": 10}  # classes of each kind of split
LETTERS = string.ascii_uppercase + string.ascii_lowercase
FONTS = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "STIXGeneral", "STIXGeneralItalic", "cmr10", "cmtt10", "cmss10")
DIGIT_SHARE = 0.55  # about that of the real archive
TEST_SHARE = 0.1


@dataclass(frozen=True)
class Style:
    """How one writer writes: geometry in pixels and radians, `bold` and `ink` of the stroke."""

    scale: float
    aspect: float
    slant: float
    turn: float
    shift: np.ndarray
    bold: float
    ink: float
    font: str

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Style:
        return cls(
            scale=rng.uniform(0.75, 1.1),
            aspect=rng.uniform(0.8, 1.15),
            slant=rng.normal(0, 0.25),
            turn=rng.normal(0, 0.12),
            shift=rng.normal(0, 1.2, 2),
            bold=rng.uniform(0.25, 0.6),
            ink=rng.uniform(0.55, 1),
            font=str(rng.choice(FONTS)),
        )


def write(folder: Path, rng: np.random.Generator, writers: int, examples: int) -> None:
    """Writes `emnist_all.sqlite`: about `examples` per writer for training, a tenth of them more for testing."""
    sizes = np.maximum(10, rng.normal(examples, examples / 4, writers)).astype(int)
    splits: dict[str, dict[str, _Pages]] = {f"{kind}_{split}": {} for kind in KINDS for split in ("train", "test")}
    for number, size in enumerate(sizes):
        client, style = f"f{number:04d}_{rng.integers(100):02d}", Style.draw(rng)
        for split, share in (("train", 1), ("test", TEST_SHARE)):
            pages = _Pages(style, max(4, int(size * share)), split, int(rng.integers(2**31)))
            for kind, classes in KINDS.items():
                splits[f"{kind}_{split}"][client] = replace(pages, classes=classes)
    write_archive(folder / "emnist_all.sqlite", splits)


@dataclass(frozen=True)
class _Pages:
    """A writer's examples of one split, of the first `classes` classes; drawn, each time alike, when asked for."""

    style: Style
    number: int
    split: str
    seed: int
    classes: int = 62

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        rng = np.random.default_rng(self.seed)
        labels = [_label(rng) for _ in range(self.number - 1)]
        for label in [int(rng.integers(10)), *labels]:  # one digit at least
            image = draw(_glyph(label, self.style.font, self.split, rng), self.style, rng)
            if label < self.classes:
                # the archive has dark ink on a background of 1
                yield {"label": np.array([label]), "pixels": 1 - image.ravel().astype(np.float32)}


def write_digits(folder: Path, rng: np.random.Generator, train: int, test: int) -> None:
    """Writes the four files of MNIST: digits of many styles, bright ink on 0."""
    for prefix, split, size in (("train", "train", train), ("t10k", "test", test)):
        labels = rng.integers(10, size=size)
        styles = [Style.draw(rng) for _ in range(100)]
        images = [draw(_glyph(label, "", split, rng), styles[rng.integers(100)], rng) for label in labels]
        write_idx(folder / f"{prefix}-images-idx3-ubyte.gz", np.rint(255 * np.array(images)).astype(np.uint8))
        write_idx(folder / f"{prefix}-labels-idx1-ubyte.gz", labels.astype(np.uint8))


def _label(rng: np.random.Generator) -> int:
    return int(rng.integers(10) if rng.random() < DIGIT_SHARE else 10 + rng.integers(len(LETTERS)))


def draw(glyph: np.ndarray, style: Style, rng: np.random.Generator) -> np.ndarray:
    """A glyph [side, side] with ink in [0, 1] as the writer would draw it this time, [28, 28]."""
    turn, slant = style.turn + rng.normal(0, 0.05), style.slant + rng.normal(0, 0.05)
    cos, sin = np.cos(turn), np.sin(turn)
    shape = np.diag([1 / style.scale, 1 / (style.scale * style.aspect)]) * len(glyph) / SIDE
    inverse = shape @ np.array([[1, 0], [slant, 1]]) @ np.array([[cos, sin], [-sin, cos]])
    centre = (np.array([SIDE, SIDE]) - 1) / 2 + style.shift + rng.normal(0, 0.5, 2)
    offset = (len(glyph) - 1) / 2 - inverse @ centre
    image = affine_transform(glyph, inverse, offset, (SIDE, SIDE), order=1)
    sharp = 1 / (1 + np.exp(-14 * (gaussian_filter(image, 0.7) - (0.62 - style.bold * 0.6))))
    return style.ink * np.where(sharp > 0.08, sharp, 0)


def _glyph(label: int, font: str, split: str, rng: np.random.Generator) -> np.ndarray:
    if label >= 10:
        return _letter(LETTERS[label - 10], font)
    pool = _digits()[label]
    kept_for_test = len(pool) // 7  # no digit is in both splits
    return pool[rng.integers(kept_for_test) if split == "test" else rng.integers(kept_for_test, len(pool))]


@cache
def _digits() -> list[np.ndarray]:
    """scikit-learn's images of each digit, with a blank border, [num_images, 10, 10] in [0, 1]."""
    digits = load_digits()
    images = np.pad(digits.images / 16, ((0, 0), (1, 1), (1, 1)))
    return [images[digits.target == label] for label in range(10)]


@cache
def _letter(letter: str, font: str) -> np.ndarray:
    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf"
    image = Image.new("L", (40, 40))
    ImageDraw.Draw(image).text((20, 20), letter, fill=255, font=ImageFont.truetype(str(file), 30), anchor="mm")
    return np.asarray(image, float) / 255
