"""What the inputs of a problem's examples must be, in `fa.compare` and `fa.tff_process`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.library.clients import Clients
from fedatlas.problems.base import Problem


@dataclass(frozen=True)
class Kind:
    """One kind of inputs: how a sentence names them, the numbers of axes that they may have, and the mend."""

    name: str
    axes: tuple[int, ...]
    mend: str


NUMBERS = Kind("one number in each input", (1,), "give x[:, None]")
VECTORS = Kind("vectors", (1,), "flatten them")
MATRICES = Kind("matrices", (2,), "give them rows and columns")
IMAGES = Kind("images", (2, 3), "give them rows, columns and, in colour, channels")
TEXTS = Kind("sequences of tokens", (1,), "give each example its tokens in one row")
KINDS = {
    "binary_logistic": VECTORS, "chain": VECTORS, "cnn": IMAGES, "hinge": VECTORS, "leaf_cnn": IMAGES,
    "least_squares": VECTORS, "linear_regression": VECTORS, "lstm": TEXTS, "matrix_regression": MATRICES,
    "mobilenet": IMAGES, "nearest_point": VECTORS, "penalised_logistic": VECTORS, "quadratic": NUMBERS,
    "resnet": IMAGES, "vit": IMAGES,
}  # fmt: skip


def check_inputs_of(problem: str, clients: Clients) -> None:
    """Checks that the inputs have the axes and the type that a problem takes, and tokens the range of its classes.

    Raises:
        AtlasError: they do not.
    """
    kind, shape = KINDS.get(problem), clients.shape
    if kind is None:
        return
    if len(shape) not in kind.axes or (kind is NUMBERS and shape != (1,)):
        mend = kind.mend if shape else "give x[:, None]"
        raise AtlasError(f"{problem} takes {kind.name}, but inputs have the shape {list(shape)}: {mend}.")
    if kind is IMAGES and clients.dtype != "uint8":
        raise AtlasError(
            f"{problem} takes images of bytes, 0 to 255, but the inputs are {clients.dtype}: give them as uint8."
        )
    if kind is TEXTS:
        _check_tokens(problem, clients)


def check_layers(name: str, problem: Problem, shape: tuple[int, ...]) -> None:
    """Checks that a network's layers fit the images.

    Raises:
        AtlasError: an image is too small for them.
    """
    if KINDS.get(name) is not IMAGES:
        return
    try:
        problem.blocks  # noqa: B018, made by its layers
    except ValueError as error:
        raise AtlasError(f"{name} cannot take images of the shape {list(shape)}: they are too small for it.") from error


def _check_tokens(problem: str, clients: Clients) -> None:
    if clients.dtype == "float32":
        raise AtlasError(f"{problem} takes whole numbers, one for each token, but the inputs have fractions.")
    number = clients.num_classes or 0
    for split, own in clients.splits.items():
        for client in own:
            odd = client.x[(client.x < 0) | (client.x >= number)]
            if odd.size:
                raise AtlasError(
                    f"{split} client '{client.id}' has the token {int(np.ravel(odd)[0])}, but {problem} reads and "
                    f"predicts the same {number} tokens, 0 to {number - 1}: give classes= to fa.clients."
                )
