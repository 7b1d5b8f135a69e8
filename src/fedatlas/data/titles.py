"""What data sets are called on pages, as the first lines of their files say."""

from __future__ import annotations

import inspect

from fedatlas.data.catalogue import datasets


def title(name: str) -> str:
    """'MNIST by writer' for mnist_writers; the name itself for data that is no file of the atlas."""
    return about(name).split(":")[0] or name.replace("_", " ")


def about(name: str) -> str:
    """The first line of the data set's file; empty for data that is no file of the atlas."""
    module = inspect.getmodule(datasets[name]) if name in datasets else None
    lines = (inspect.getdoc(module) or "").splitlines() if module else []
    return lines[0].rstrip(".") if lines else ""
