"""The lines of an SVG picture in few letters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_COMMAND = re.compile(r"([MLCQz])([^MLCQz]*)")
_NUMBERS = {"M": 2, "L": 2, "C": 6, "Q": 4}
_NEEDLESS = re.compile(r" (?=-)|(?<=\.\d) (?=\.)")  # a sign, or a second point, begins a number
Step = tuple[str, list[int]]  # a command, and how far it goes from where it starts, x and y in tenths of a point


def shortened(d: str) -> str:
    """The path to a tenth of a point: each place from the one before, without places on the way of a straight line.

    Places are whole tenths before they are told from one another, so that nothing adds up along a line.

    Args:
        d: a path of absolute commands, as Matplotlib writes them.
    """
    steps: list[Step] = []
    for command, moved in _steps(d):
        if command == "l" and steps and steps[-1][0] == "l" and _goes_on(steps[-1][1], moved):
            steps[-1] = ("l", [a + b for a, b in zip(steps[-1][1], moved, strict=True)])
        else:
            steps.append((command, moved))
    lasts = ["", *(command for command, _ in steps)]
    return _NEEDLESS.sub("", "".join(itertools.starmap(_written, zip(lasts, steps, strict=False))))


def _steps(d: str) -> Iterator[Step]:
    """The steps of a path, but for lines that end where they began."""
    here = began = (0, 0)
    for command, rest in _COMMAND.findall(d):
        if command == "z":
            here = began
            yield "z", []
            continue
        tenths = [int(f"{float(number):.1f}".replace(".", "")) for number in rest.split()]
        for places in zip(*[iter(tenths)] * _NUMBERS[command], strict=True):
            moved = [place - here[i % 2] for i, place in enumerate(places)]
            here = (places[-2], places[-1])
            if command != "L" or any(moved):
                yield command.lower(), moved
        began = here if command == "M" else began


def _goes_on(line: list[int], other: list[int]) -> bool:
    """Whether the second of two lines leads on in the direction of the first."""
    return line[0] * other[1] == line[1] * other[0] and line[0] * other[0] + line[1] * other[1] > 0


def _written(last: str, step: Step) -> str:
    """A step behind a command: one that goes on is not said again, nor that lines follow a move."""
    command, moved = step
    numbers = " ".join(map(_tenths, moved))
    goes_on = command == last != "m" or (last, command) == ("m", "l")
    return f" {numbers}" if goes_on and command != "z" else command + numbers


def _tenths(value: int) -> str:
    """'1.2', '3', '-.5'."""
    whole, rest = divmod(abs(value), 10)
    number = f"{whole or ''}.{rest}" if rest else str(whole)
    return f"-{number}" if value < 0 else number
