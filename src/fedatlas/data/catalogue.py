"""Which data sets there are, how a choice of options is named, and how its store is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedatlas.config import validate
from fedatlas.data.datasets.base import Dataset
from fedatlas.data.store import ClientStore
from fedatlas.registry import Registry

datasets: Registry[Dataset] = Registry("fedatlas.data.datasets", Dataset, "dataset")


def names() -> list[str]:
    """The names of all data sets."""
    return list(datasets)


def choose(name: str, options: Mapping[str, Any]) -> Dataset:
    """The data set with these options.

    Raises:
        AtlasError: if there is none of this name, or an option is unknown, missing or not allowed.
    """
    return validate(dict(options), datasets[name], f"dataset '{name}'")


def dataset_id(name: str, options: Mapping[str, Any], seed: int) -> str:
    """The name of a store's folder: letters, digits, '-', '_' and '.' alone, the same for the same choice.

    Raises:
        AtlasError: as `choose`.
    """
    choose(name, options)
    parts = [name, *(f"{key}-{_words(value)}" for key, value in sorted(options.items())), f"seed-{seed}"]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "_".join(parts))


def _words(value: Any) -> str:
    """An option's value; of a mapping its name first, then the rest by key."""
    if isinstance(value, list | tuple):
        return "-".join(map(_words, value))
    if not isinstance(value, Mapping):
        return str(value)
    rest = (f"{key}-{_words(entry)}" for key, entry in sorted(value.items()) if key != "name")
    return "-".join([str(value.get("name", "")), *rest]).strip("-")


def needs_raw(name: str, options: Mapping[str, Any]) -> list[str]:
    """The sources that must have been fetched before the store can be made."""
    return list(choose(name, options).raw)


def build(name: str, options: Mapping[str, Any], seed: int, raw: Path, out: Path) -> ClientStore:
    """Makes the client store at `out` from the fetched files under `raw`.

    Raises:
        AtlasError: as `choose`, or if a raw file is missing or damaged, or the disk cannot be written.
    """
    return choose(name, options).write(out, raw, seed, name, dict(options))
