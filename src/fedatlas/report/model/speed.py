"""How fast a round is beside other simulators, as `make speed` measured it."""

from __future__ import annotations

import json
from pathlib import Path

from fedatlas.config import Strict, validate
from fedatlas.errors import AtlasError

US = "fedatlas"


class Machine(Strict):
    """What the times were taken on: `bandwidth` in bytes a second, `peak` in floating-point operations a second."""

    processor: str
    cores: int
    bandwidth: float
    peak: float


class Work(Strict):
    """A round that is timed, of `configurations` at once.

    Attributes:
        flops, least_bytes: of a round in one configuration: what cannot be left out. Each example is read once, and
            each local step reads and writes the parameters of each client.
    """

    about: str
    configurations: int
    flops: float
    least_bytes: float


class Time(Strict):
    """The median of three blocks, in milliseconds per round and configuration.

    Attributes:
        other_cores: what everything else on the machine used meanwhile.
    """

    peer: str
    work: str
    ms: float
    blocks: tuple[float, ...]
    other_cores: float
    first_round_seconds: float | None = None
    peak_memory_mb: float | None = None
    versions: dict[str, str] = {}


class Speed(Strict):
    """One call of `make speed`.

    Attributes:
        scaling: by what is made larger, (its size, milliseconds of a round).
        memory: (clients, megabytes at the peak).
    """

    measured: str
    commit: str
    machine: Machine
    works: dict[str, Work]
    times: tuple[Time, ...]
    scaling: dict[str, tuple[tuple[int, float], ...]]
    memory: tuple[tuple[int, float], ...]

    def of(self, work: str) -> dict[str, Time]:
        """The times of a work by peer, the fastest first."""
        return {time.peer: time for time in sorted(self.times, key=lambda time: time.ms) if time.work == work}

    def shares(self, time: Time) -> tuple[float, float]:
        """Of the machine's peak of products and of its bandwidth, what a round reaches of each."""
        work, seconds = self.works[time.work], time.ms / 1e3
        return work.flops / seconds / self.machine.peak, work.least_bytes / seconds / self.machine.bandwidth


def load_speed(path: Path) -> Speed | None:
    """What is kept of the last measurement; None if there is none.

    Raises:
        AtlasError: if the file is damaged.
    """
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AtlasError(f"{path} is damaged ({error}): run `make speed` again.") from error
    return validate(content, Speed, path)
