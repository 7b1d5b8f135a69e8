"""The two execution engines, chosen by name."""

from __future__ import annotations

import contextlib

import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.errors import AtlasError
from fedatlas.federated.inprocess import InProcessContext
from fedatlas.federated.native import native_context

ENGINES = ("inprocess", "native")


def install(engine: str, threads: int) -> None:
    """Makes an engine the one that runs every federated computation of this process.

    Args:
        threads: how many TFF clients compute side by side. In this process each computes on one thread, as far as
            TensorFlow has not run yet: small products take longer on several.

    Raises:
        AtlasError: if there is no engine of this name.
    """
    if engine not in ENGINES:
        raise AtlasError(f"unknown engine '{engine}'; there are: {', '.join(ENGINES)}.")
    if engine == "native":
        tff.framework.set_default_context(native_context(threads))
        return
    with contextlib.suppress(RuntimeError):  # TensorFlow runs already, with the threads that it has
        asked_before = tf.config.threading.get_inter_op_parallelism_threads()
        tf.config.threading.set_inter_op_parallelism_threads(max(threads, asked_before))
        tf.config.threading.set_intra_op_parallelism_threads(1)
    tff.framework.set_default_context(InProcessContext())


def computes_here() -> bool:
    """Whether federated computations run in this process, and so find what it holds in memory."""
    return isinstance(tff.framework.get_context_stack().current, InProcessContext)
