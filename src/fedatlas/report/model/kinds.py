"""The kinds of figures and tables that files may ask for: a kind is there because its file is."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal

ROOMS = Path(__file__).parents[1]


def kinds(room: str, prefix: str = "") -> tuple[str, ...]:
    """The names of the kinds in a room of the report that begin with the prefix, without it; imports none of them."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(ROOMS / room)]))
    return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix) and not name.startswith("_"))


if TYPE_CHECKING:
    ViewKind = str
    OverviewKind = str
    TableKind = str
    ClientsKind = str
else:
    ViewKind = Literal[kinds("views")]
    OverviewKind = Literal[kinds("overviews")]
    TableKind = Literal[kinds("tables")]
    ClientsKind = Literal[kinds("views", "client_")]
