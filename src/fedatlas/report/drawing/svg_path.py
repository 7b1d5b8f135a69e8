"""The lines of an SVG picture in few letters."""

from __future__ import annotations

import re

_STEP = re.compile(r"([MLCQz])([^MLCQz]*)")
_NEEDLESS = re.compile(r" (?=-)|(?<=\.\d) (?=\.)")  # a sign, or a second point, begins a number
_NUMBERS = {"M": 2, "L": 2, "C": 6, "Q": 4}


def shortened(d: str) -> str:
    """The path to a tenth of a point: each place from the one before, without lines that end where they began.

    Places are whole tenths before they are told from one another, so that nothing adds up along a line.

    Args:
        d: a path of absolute commands, as Matplotlib writes them.
    """
    place, began, steps, last = (0, 0), (0, 0), [], ""
    for command, rest in _STEP.findall(d):
        if command == "z":
            place, last = began, "z"
            steps.append("z")
            continue
        tenths = [int(f"{float(number):.1f}".replace(".", "")) for number in rest.split()]
        for first in range(0, len(tenths), _NUMBERS[command]):
            x, y = place
            own = tenths[first : first + _NUMBERS[command]]
            place = (own[-2], own[-1])
            if command == "L" and place == (x, y):
                continue
            moved = " ".join(_tenths(value - (x, y)[i % 2]) for i, value in enumerate(own))
            steps.append(_joined(command.lower(), moved, last))
            last = command.lower()
        if command == "M":
            began = place
    return _NEEDLESS.sub("", "".join(steps))


def _joined(command: str, numbers: str, last: str) -> str:
    """The step behind a step `last`: a command that goes on is not said again, nor that lines follow a move."""
    goes_on = command == last != "m" or (last, command) == ("m", "l")
    return f" {numbers}" if goes_on else command + numbers


def _tenths(value: int) -> str:
    """'1.2', '3', '-.5'."""
    whole, rest = divmod(abs(value), 10)
    number = f"{whole or ''}.{rest}" if rest else str(whole)
    return f"-{number}" if value < 0 else number
