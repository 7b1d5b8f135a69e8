"""Stand-ins: made-up files in the real formats, for where a source cannot be had.

A stand-in of the source `haxby` is the fetched folder `haxby-stand-in`, with the files that the source's loaders read
and a receipt of the kind `stand-in`; the mark goes from there into every store and page that is made of it. The name
may say its size, as in `haxby-stand-in-full`.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from fedatlas.data.kinds import DataKind
from fedatlas.data.raw import Raw, write_receipt
from fedatlas.data.standins import brains, handwriting, roles, shapes
from fedatlas.errors import AtlasError
from fedatlas.files import atomic

SUFFIX = "-stand-in"
Size = Literal["tiny", "quick", "full"]


@dataclass(frozen=True)
class StandIn:
    """How the files of one source are made up.

    Attributes:
        layout: the layout of the source (data/sources.yaml) that the files have.
        note: what they really hold.
        sizes: by size, the arguments of `write`; `full` is as large as the real data, `tiny` for tests.
    """

    layout: str
    note: str
    write: Callable[..., None]
    sizes: Mapping[str, Mapping[str, Any]]


STANDINS = {
    "haxby": StandIn("extracted", brains.NOTE, brains.write, brains.SIZES),
    "femnist": StandIn("archive", handwriting.NOTE, handwriting.write, handwriting.SIZES),
    "mnist": StandIn("original", handwriting.NOTE, handwriting.write_digits, handwriting.DIGIT_SIZES),
    "cifar10": StandIn("extracted", shapes.NOTE, shapes.write_ten, shapes.SIZES),
    "cifar100": StandIn("extracted", shapes.NOTE, shapes.write_hundred, shapes.SIZES),
    "shakespeare": StandIn("extracted", roles.NOTE, roles.write, roles.SIZES),
}


def is_standin(name: str) -> bool:
    """Whether a source's name is that of a stand-in."""
    return SUFFIX in name


def write(source: str, folder: Path, seed: int = 0, size: Size = "quick") -> Raw:
    """Makes up the files of a source, atomically, and returns the folder opened.

    Args:
        source: the source's name, with or without `-stand-in`; a size in the name goes before `size`.

    Raises:
        AtlasError: if this source has no stand-in, its name ends in an unknown size, or the disk cannot be written.
    """
    name, _, named = source.partition(SUFFIX)
    chosen_size = named.removeprefix("-") or size
    if chosen_size not in get_args(Size):
        raise AtlasError(f"a stand-in of '{name}' has no size '{chosen_size}'; there are: {', '.join(get_args(Size))}.")
    if name not in STANDINS:
        raise AtlasError(f"source '{name}' has no stand-in; these have one: {', '.join(STANDINS)}.")
    chosen = STANDINS[name]
    with atomic(folder) as partial:
        partial.mkdir(parents=True)
        chosen.write(partial, np.random.default_rng(seed), **chosen.sizes[chosen_size])
        files = sorted(path.relative_to(partial).as_posix() for path in partial.rglob("*") if path.is_file())
        facts = {"source": source if is_standin(source) else name + SUFFIX, **_facts(name, chosen, seed, chosen_size)}
        write_receipt(partial, facts, [(file, "made up") for file in files])
    return Raw.open(folder.parent, folder.name)


def _facts(name: str, standin: StandIn, seed: int, size: str) -> dict[str, str]:
    return {
        "kind": DataKind.STAND_IN,
        "title": f"Stand-in for {name}",
        "citation": "none: made up by fedatlas",
        "licence": "Apache-2.0, as fedatlas",
        "homepage": "none",
        "note": f"{standin.note} Seed {seed}, {size} size.",
        "layout": standin.layout,
        "fetched": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
