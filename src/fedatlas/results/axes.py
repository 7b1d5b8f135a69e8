"""What a curve can be drawn against: the rounds, or a cost."""

from __future__ import annotations

from typing import Literal, NamedTuple

Axis = Literal["rounds", "communications", "bytes", "gradients", "seconds"]


class About(NamedTuple):
    """An axis: what it is called, the costs of the metrics table that add up to it, and the factor to its unit."""

    title: str
    costs: tuple[str, ...] = ()
    factor: float = 1.0


AXES: dict[Axis, About] = {
    "rounds": About("round"),
    "communications": About("communications", ("communications",)),
    "bytes": About("megabytes sent", ("bytes_down", "bytes_up"), 1e-6),
    "gradients": About("gradient evaluations", ("gradient_evaluations",)),
    "seconds": About("seconds", ("seconds",)),
}
