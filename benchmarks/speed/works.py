"""The rounds that are timed side by side, and how. It needs numpy alone, so that every peer can import it.

Every peer sees the same arrays and visits clients in the same order. The atlas draws its own cohorts, and its clients
shuffle their examples in every round; the peers take them in stored order.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

COHORT = 10
BLOCKS = 3


class Work(NamedTuple):
    """A round of ten clients that take one epoch.

    Attributes:
        network: the one that is trained; none for a linear model.
        shape: of an example; classes: None for least squares, those of each position for text.
        examples: of each client; batch: of a local step.
        configurations: pairs of rates, computed at once where a peer can.
        rounds: of one block.
        flops, parameters: of one example in one configuration, forward and back; of the model.
    """

    about: str
    clients: int
    examples: int
    batch: int
    shape: tuple[int, ...]
    classes: int | None
    client_lr: tuple[float, ...]
    server_lr: tuple[float, ...]
    rounds: int
    flops: float
    parameters: int
    network: str | None = None

    @property
    def configurations(self) -> int:
        return len(self.client_lr)

    @property
    def steps(self) -> int:
        return -(-self.examples // self.batch)


def _pairs(client: np.ndarray, server: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    first, second = np.meshgrid(client, server, indexing="ij")
    return tuple(first.ravel()), tuple(second.ravel())


_SQUARES = {
    "clients": 64,
    "examples": 128,
    "batch": 10,
    "shape": (1024,),
    "classes": None,
    "flops": 4 * 1024.0,
    "parameters": 1024,
}
_IMAGES = {"clients": 200, "examples": 100, "batch": 20}
_GRID = _pairs(np.logspace(-4, -2.5, 7), np.logspace(-1, 0, 7))
# Of the network: two convolutions and two dense layers forward, and as much again by inputs and by weights.
_CNN_FLOPS = 2.0 * (26 * 26 * 9 * 32 * 2 + 24 * 24 * 9 * 32 * 64 * 3 + 9216 * 128 * 3 + 128 * 62 * 3)
# Three stages of one block with a stem, on 32², 16² and 8² positions; the two later ones have a shortcut of their own.
_RESNET_FLOPS = 6.0 * (1024 * 9 * (3 + 2 * 8) * 8 + 256 * (9 * (8 + 16) + 8) * 16 + 64 * (9 * (16 + 32) + 16) * 32)
_LSTM_FLOPS = 6.0 * 40 * (4 * 64 * (16 + 64) + 64 * 79)
WORKS = {
    "softmax": Work(
        "Softmax regression, 784 features, 10 classes; 5 local steps of 20 examples",
        **_IMAGES, shape=(784,), classes=10, client_lr=(0.1,), server_lr=(1.0,), rounds=50,
        flops=4.0 * 7840, parameters=7850,
    ),
    "squares": Work(
        "Least squares, 1,024 features, as in LASSO; 13 local steps of 10 examples",
        **_SQUARES, client_lr=(1e-3,), server_lr=(1.0,), rounds=50,
    ),
    "sweep": Work(
        "The same for 49 pairs of rates, per pair",
        **_SQUARES, client_lr=_GRID[0], server_lr=_GRID[1], rounds=20,
    ),
    "cnn": Work(
        "Two convolutions, 1.2 million parameters, 28 x 28 images, 62 classes; 5 local steps of 20 examples",
        **_IMAGES, shape=(28, 28, 1), classes=62, client_lr=(0.1,), server_lr=(1.0,), rounds=6,
        flops=_CNN_FLOPS, parameters=1206590, network="cnn",
    ),
    "resnet": Work(
        "A residual network of three blocks, 20 thousand parameters, 32 x 32 in colour; 5 local steps of 20 examples",
        **_IMAGES, shape=(32, 32, 3), classes=10, client_lr=(0.1,), server_lr=(1.0,), rounds=6,
        flops=_RESNET_FLOPS, parameters=19954, network="resnet",
    ),
    "lstm": Work(
        "An LSTM of 64 units, 27 thousand parameters, text of 40 characters; 5 local steps of 20 examples",
        **_IMAGES, shape=(40,), classes=79, client_lr=(0.1,), server_lr=(1.0,), rounds=6,
        flops=_LSTM_FLOPS, parameters=27135, network="lstm",
    ),
}  # fmt: skip
LINEAR = ("softmax", "squares", "sweep")


def arrays(work: Work) -> tuple[np.ndarray, np.ndarray]:
    """x [clients, examples, ...], y [clients, examples]: about a fifth of the pixels of an image are not zero.

    Of text the characters, and as y the next one of each [clients, examples, positions].
    """
    rng, (m, n) = np.random.default_rng(0), (work.clients, work.examples)
    if work.network == "lstm":
        text = rng.integers(work.classes, size=(m, n, work.shape[0] + 1), dtype=np.int32)
        return text[..., :-1], text[..., 1:]
    d = int(np.prod(work.shape))
    if work.classes is None:
        x = rng.normal(size=(m, n, d)).astype(np.float32)
        w = np.zeros(d, np.float32)
        w[rng.choice(d, 50, replace=False)] = 1
        return x, (x @ w + rng.normal(size=(m, n))).astype(np.float32)
    x = rng.random((m, n, d), dtype=np.float32) * (rng.random((m, n, d), dtype=np.float32) < 0.2)
    logits = (x - x.mean()) @ rng.normal(size=(d, work.classes)).astype(np.float32)
    y = (logits + rng.gumbel(size=logits.shape)).argmax(-1).astype(np.int32)
    return x.reshape(m, n, *work.shape), y


def cohorts(work: Work, rounds: int = 2000) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.choice(work.clients, COHORT, replace=False) for _ in range(rounds)]


def warm_up(rounds: int) -> int:
    """How many rounds come before a block of so many that count."""
    return max(rounds // 10, 2)


def timed(work: Work, step: Callable[[np.ndarray], object], rounds: int | None = None) -> dict[str, Any]:
    """`summary` of rounds that a function runs.

    Args:
        step: runs a round with these clients, and returns when it is finished.
        rounds: of a block; those of the work if not given.
    """
    rounds = rounds or work.rounds

    def run(cohorts: list[np.ndarray]) -> list[float]:
        taken = []
        for cohort in cohorts:
            started = time.perf_counter()
            step(cohort)
            taken.append(time.perf_counter() - started)
        return taken

    drawn = cohorts(work, warm_up(rounds) + BLOCKS * rounds)
    run(drawn[: warm_up(rounds)])
    return summary(work, lambda: run(drawn[warm_up(rounds) :]))


def summary(work: Work, run: Callable[[], list[float]]) -> dict[str, Any]:
    """The median of three blocks of rounds, in milliseconds per round and configuration, and what else went on.

    Args:
        run: runs rounds, and says how many seconds each took; only the last three blocks of them count.
    """
    begun, own, machine = time.perf_counter(), _own(), _machine()
    taken = np.array(run()) * 1e3 / work.configurations
    others = (_machine() - machine - _own() + own) / (time.perf_counter() - begun)
    blocks = [statistics.median(block) for block in np.array_split(taken, BLOCKS)]
    return {"ms": statistics.median(blocks), "blocks": blocks, "other_cores": max(0.0, others)}


def _own() -> float:
    """The processor's seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _machine() -> float:
    """The seconds that the machine's processors have worked since it started."""
    line = Path("/proc/stat").read_text().partition("\n")[0]
    user, nice, system, _, _, irq, soft = (int(value) for value in line.split()[1:8])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")


def say(peer: str, work: str, found: Mapping[str, Any], **versions: str) -> None:
    """Prints a result as a line of JSON, which the caller collects."""
    print(json.dumps({"peer": peer, "work": work, **found, "versions": versions}), flush=True)


def chosen(able: Collection[str] = tuple(WORKS)) -> list[str]:
    """The works that the command line names, or all if it names none, of those that a peer is able to do."""
    return [name for name in sys.argv[1:] or WORKS if name in able]
