"""FedJAX's federated averaging, with its compiled loop over clients."""

from __future__ import annotations

from collections.abc import Callable

import fedjax
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
from fedjax.algorithms import fed_avg
from works import LINEAR, WORKS, Work, arrays, chosen, say, timed

fedjax.set_for_each_client_backend("jit")


def outputs(work: Work) -> Callable[[dict], jax.Array]:
    def network(batch: dict) -> jax.Array:
        x = jax.nn.relu(hk.Conv2D(32, 3, padding="VALID")(batch["x"]))
        x = hk.max_pool(jax.nn.relu(hk.Conv2D(64, 3, padding="VALID")(x)), 2, 2, "VALID")
        return hk.Linear(work.classes)(jax.nn.relu(hk.Linear(128)(hk.Flatten()(x))))

    if work.network:
        return network
    if work.classes is None:
        return lambda batch: hk.Linear(1, with_bias=False)(batch["x"])[:, 0]
    return lambda batch: hk.Linear(work.classes)(batch["x"])


def loss_of(work: Work) -> Callable[[dict, jax.Array], jax.Array]:
    if work.classes is None:
        return lambda batch, z: (z - batch["y"]) ** 2
    return lambda batch, z: -jnp.take_along_axis(jax.nn.log_softmax(z), batch["y"][:, None], 1)[:, 0]


def stepping(work: Work) -> Callable[[np.ndarray], None]:
    x, y = arrays(work)
    model = fedjax.create_model_from_haiku(
        hk.transform(outputs(work)), {"x": x[0, :2], "y": y[0, :2]}, loss_of(work), {}
    )
    algorithm = fed_avg.federated_averaging(
        fedjax.model_grad(model), fedjax.optimizers.sgd(work.client_lr[0]), fedjax.optimizers.sgd(work.server_lr[0]),
        fedjax.ShuffleRepeatBatchHParams(batch_size=work.batch, num_epochs=1, skip_shuffle=True),
    )  # fmt: skip
    clients = [fedjax.ClientDataset({"x": x[c], "y": y[c]}) for c in range(work.clients)]
    keys = list(jax.random.split(jax.random.PRNGKey(1), 10))
    state = algorithm.init(model.init(jax.random.PRNGKey(0)))

    def step(cohort: np.ndarray) -> None:
        nonlocal state
        state, _ = algorithm.apply(state, [(c, clients[c], key) for c, key in zip(cohort, keys, strict=True)])
        jax.block_until_ready(state.params)

    return step


if __name__ == "__main__":
    for name in chosen((*LINEAR, "cnn")):
        work = WORKS[name]._replace(client_lr=WORKS[name].client_lr[:1], server_lr=WORKS[name].server_lr[:1])
        say("FedJAX", name, timed(work, stepping(work)), fedjax="0.0.17", jax=jax.__version__)
