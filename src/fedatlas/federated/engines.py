"""The two execution engines, chosen by name."""

from __future__ import annotations

import tensorflow_federated as tff

from fedatlas.errors import AtlasError
from fedatlas.federated.inprocess import InProcessContext
from fedatlas.federated.native import native_context

ENGINES = ("inprocess", "native")


def install(engine: str, threads: int) -> None:
    """Makes an engine the one that runs every federated computation of this process.

    Raises:
        AtlasError: if there is no engine of this name.
    """
    if engine not in ENGINES:
        raise AtlasError(f"unknown engine '{engine}'; there are: {', '.join(ENGINES)}.")
    context = InProcessContext(threads) if engine == "inprocess" else native_context(threads)
    tff.framework.set_default_context(context)


def computes_here() -> bool:
    """Whether federated computations run in this process, and so find what it holds in memory."""
    return isinstance(tff.framework.get_context_stack().current, InProcessContext)
