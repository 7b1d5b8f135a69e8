"""A class of a user's own as an algorithm of a comparison, with what it does not say of itself."""

from __future__ import annotations

import re

from fedatlas.algorithms import Algorithm, algorithms
from fedatlas.errors import AtlasError

PALETTE = ("#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e", "#e6ab02")  # no algorithm of the atlas has these
_colours: dict[str, str] = {}  # by the names of the classes that were described


def register(name: str, cls: type[Algorithm]) -> None:
    """Makes a class findable by a name, and describes it.

    Raises:
        AtlasError: if the atlas has an algorithm of that name, or it is no subclass of `fa.Algorithm`; as `describe`.
    """
    algorithms.register(name, cls)
    describe(cls)


def describe(cls: type[Algorithm]) -> None:
    """Gives a class of a user's own the `name`, `citation` and `colour` that it does not say itself.

    What it inherits does not count, for then figures could not tell it from its base: it is called by its class's name.

    Raises:
        AtlasError: if one of the three is not what it must be.
    """
    if cls.__module__.startswith("fedatlas.algorithms."):
        return
    colour = _colours.setdefault(cls.__name__, PALETTE[len(_colours) % len(PALETTE)])
    for attribute, usual in {"name": cls.__name__, "citation": "ours", "colour": colour}.items():
        if attribute not in vars(cls):
            setattr(cls, attribute, usual)
        found = getattr(cls, attribute)
        if not isinstance(found, str) or not found:
            raise AtlasError(f"the {attribute} of {cls.__name__} is {found!r}, but must be text, such as '{usual}'.")
    if not re.fullmatch("#[0-9a-fA-F]{6}", cls.colour):
        raise AtlasError(f"the colour of {cls.__name__} is '{cls.colour}', but must be one such as '{colour}'.")
