"""By hand in JAX: one compiled function for a round, clients and configurations vectorised, steps scanned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from works import LINEAR, WORKS, Work, arrays, chosen, say, timed


def batches(work: Work) -> tuple[jax.Array, jax.Array, jax.Array]:
    """x [clients, steps, batch, ...], y and a mask of what is there; the last batch is filled up with zeros."""
    missing = work.steps * work.batch - work.examples

    def cut(array: np.ndarray) -> jax.Array:
        filled = np.pad(array, [(0, 0), (0, missing)] + [(0, 0)] * (array.ndim - 2))
        return jnp.asarray(filled.reshape(work.clients, work.steps, work.batch, *array.shape[2:]))

    x, y = arrays(work)
    return cut(x), cut(y), cut(np.ones(y.shape, np.float32))


def cross_entropy(params: Any, x: jax.Array, y: jax.Array, mask: jax.Array) -> jax.Array:
    z = jax.nn.log_softmax(x @ params["w"] + params["b"])
    return -jnp.take_along_axis(z, y[:, None], 1).mean()


def squared_error(params: Any, x: jax.Array, y: jax.Array, mask: jax.Array) -> jax.Array:
    return (mask * (x @ params["w"] - y) ** 2).sum() / mask.sum()


def a_round(loss: Callable[..., jax.Array], data: Any) -> Callable[..., Any]:
    gradient = jax.grad(loss)

    def once(params: Any, cohort: jax.Array, client_lr: Any, server_lr: Any) -> Any:
        def client(examples: Any) -> Any:
            def step(local: Any, batch: Any) -> tuple[Any, None]:
                return jax.tree.map(lambda w, g: w - client_lr * g, local, gradient(local, *batch)), None

            return jax.tree.map(lambda new, old: new - old, lax.scan(step, params, examples)[0], params)

        moved = jax.vmap(client)(jax.tree.map(lambda a: a[cohort], data))
        return jax.tree.map(lambda w, m: w + server_lr * m.mean(0), params, moved)

    return once


def stepping(work: Work) -> Callable[[np.ndarray], None]:
    d, g = int(np.prod(work.shape)), work.configurations
    if work.classes is None:
        params, loss = {"w": jnp.zeros((g, d))}, squared_error
    else:
        params, loss = {"w": jnp.zeros((g, d, work.classes)), "b": jnp.zeros((g, work.classes))}, cross_entropy
    once = jax.jit(jax.vmap(a_round(loss, batches(work)), (0, None, 0, 0)))
    rates = jnp.asarray(work.client_lr), jnp.asarray(work.server_lr)

    def step(cohort: np.ndarray) -> None:
        nonlocal params
        params = jax.block_until_ready(once(params, cohort, *rates))

    return step


if __name__ == "__main__":
    for name in chosen(LINEAR):  # XLA's convolutions are slow on a processor
        say("JAX by hand", name, timed(WORKS[name], stepping(WORKS[name])), jax=jax.__version__)
