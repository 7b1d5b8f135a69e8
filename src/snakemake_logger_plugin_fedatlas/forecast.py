"""How long the jobs that are left will take, from what was foretold and what the jobs so far have taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

UNKNOWN = 5.0  # seconds of a job that nothing was foretold of
# Seconds of work, or a share of all of it, after which what is seen counts as much as what was foretold: fifty small
# files that take four seconds instead of one say little about hours of training.
TRUST, SHARE = 60.0, 0.05


class Forecast:
    """The jobs of a workflow by number: what they were to take, when they started, what they took.

    Args:
        expected: the seconds that each job was foretold to take.
        at_once: how many jobs run side by side.
    """

    def __init__(self, expected: Mapping[int, float], at_once: int, clock: Callable[[], float] = time.monotonic):
        self._expected, self._at_once, self._clock = dict(expected), max(at_once, 1), clock
        self._started: dict[int, float] = {}
        self._took: dict[int, float] = {}

    def start(self, job: int) -> None:
        self._expected.setdefault(job, UNKNOWN)
        self._started[job] = self._clock()

    def finish(self, job: int) -> None:
        if job in self._started:
            self._took[job] = self._clock() - self._started.pop(job)

    @property
    def pace(self) -> float:
        """How many times as long as foretold the jobs take here."""
        foretold = sum(self._expected[job] for job in self._took)
        trust = max(TRUST, SHARE * sum(self._expected.values()))
        return (sum(self._took.values()) + trust) / (foretold + trust)

    @property
    def seconds_left(self) -> float:
        """Until all jobs are done, which cannot be before the longest of them is."""
        now, pace = self._clock(), self.pace
        waiting = [e * pace for job, e in self._expected.items() if job not in self._took and job not in self._started]
        running = [max(self._expected[job] * pace - (now - begun), 0.0) for job, begun in self._started.items()]
        return max(sum(waiting + running) / self._at_once, *waiting, *running, 0.0)


def in_words(seconds: float) -> str:
    """'40 s', '12 min', '3.5 h'."""
    if seconds < 55:
        return f"{max(5 * round(seconds / 5), 5)} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
