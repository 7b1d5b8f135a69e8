"""The contract that every algorithm fills.

A round of federated optimisation is the same for all of them; only the roles below differ:

    message            = broadcast(server, coin)                             server -> every client of the cohort
    local, k           = start(message, client, F), 0                        on each client m, with its whole F_m
    local, k           = step(local, k, message, client, f), k + 1           for every batch; f is F_m on that batch
    update, client     = finish(local, k, message, client)                   client -> server
    server             = update_server(server, mean of the updates, participation)
    reported model     = model(server)

Every array carries two leading axes, [configuration, client, ...]: a vector of R^d at a client is [G, C, d], the
same vector at the server [G, 1, d], a scalar [G, 1, 1] or [G, C, 1], and a hyper-parameter [G, 1, 1]. So an update
equation is plain broadcasting arithmetic, and a sweep over hyper-parameters is an axis, not a loop.
States, messages and updates are NamedTuples of such arrays; `()` where an algorithm keeps none.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from fedatlas.prox.base import Penalty

Array = Any  # a tf.Tensor whose leading axes are [configuration, client]


class Objective(Protocol):
    """The objective of each client of the cohort: F over all its examples, f over the batch of the local step."""

    @property
    def examples(self) -> Array:
        """The number of examples of each client, [1, C, 1], in float64."""
        ...

    def value(self, w: Array) -> Array:
        """The mean loss at w [G, C, d]; [G, C, 1]."""
        ...

    def gradient(self, w: Array, where: Array | None = None, otherwise: Array | None = None) -> Array:
        """The gradient of the mean loss at w [G, C, d]; [G, C, d].

        With `where`, a truth value for each [G, C or 1, 1], only there, and `otherwise` elsewhere; where it holds
        nowhere, nothing is computed.
        """
        ...

    def hessian_product(self, w: Array, v: Array) -> Array:
        """The Hessian of the mean loss at w times v, both [G, C, d]; [G, C, d]. Not counted as a cost."""
        ...

    def count(self, gradients: Array) -> None:
        """Adds what has been as much work as so many gradients to the cost of the round, [G, C, 1]."""
        ...

    def component_losses(self, theta: Array) -> Array:
        """The loss of every example for each component of a mixture's parameters [G, C, M d]; [G, C, M, examples]."""
        ...

    def component_gradient(self, theta: Array, q: Array) -> Array:
        """The gradient by theta [G, C, M d] of the mean of sum_m q_m l(theta_m) over the examples, q [G, C, M, B]."""
        ...

    def mean(self, values: Array) -> Array:
        """The mean over the examples of values [G, C, M, examples]; [G, C, M]."""
        ...

    def of_batch(self, values: Array) -> Array:
        """Values [G, C, ..., all examples] of the client's examples, those of the batch; [G, C, ..., examples]."""
        ...

    def into_batch(self, values: Array, new: Array) -> Array:
        """Values [G, C, all examples] of the client's examples with those of the batch new [G, C, examples]."""
        ...

    def signed_inputs(self, dtype: Any) -> Array:
        """s x for every example of a problem whose loss is a function of the margin s x'w; [C, examples, d]."""
        ...

    def minimise(self, start: Array, linear: Array = 0.0, strength: Array = 0.0, centre: Array = 0.0) -> Array:
        """argmin_u F(u) + <linear, u> + strength / 2 ||u - centre||^2, searched from `start`, each [G, C, d].

        Every configuration and client stops on its own, by `training.solver` of the experiment.
        """
        ...


class Server(NamedTuple):
    """The server state of an algorithm that keeps only the model."""

    params: Array


class Population(NamedTuple):
    """How many clients train, and how many examples the largest of them has."""

    clients: int
    most_examples: int


class Update(NamedTuple):
    """The client's answer when it is only the displacement of the model."""

    delta: Array


def positive() -> Any:
    """Declares a hyper-parameter that must be > 0."""
    return bounded(above=0.0)


def bounded(**bounds: float) -> Any:
    """Declares a hyper-parameter with bounds, any of: above, at_least, below, at_most."""
    return field(metadata={"bounds": bounds})


@dataclass(frozen=True)
class Algorithm:
    """One algorithm; its dataclass fields beside `penalty` and `population` are its hyper-parameters.

    Class attributes:
        name: as it is written in figures.
        citation: authors, venue, year and where in the paper it stands.
        colour: of its curves, as '#rrggbb'.
        data: `cohort`, a sample of clients each round; `pooled`, the examples of all training clients as one client;
            `own`, the first training client alone. The last two are baselines that communicate nothing.
        participation: `full` where the algorithm needs all clients in every round, else `any`.
        solves: whether it minimises a client's whole objective (F.minimise), which no compiler makes faster.
        mixes: whether its parameters are those of a mixture (`problem.components`); its local steps may use what
            `start` found for every example (f.of_batch).
        tunes: whether a client's own model is what local steps make of `start`, when it is evaluated.
        remembers: whether a client's state holds something for every example (f.of_batch, f.into_batch).
        meets: whether the clients' states are changed together after every round (`meet`); needs all clients.
        peers: whether they then only talk along a graph (`training.graph`).
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    colour: ClassVar[str]
    data: ClassVar[Literal["cohort", "pooled", "own"]] = "cohort"
    participation: ClassVar[Literal["any", "full"]] = "any"
    solves: ClassVar[bool] = False
    mixes: ClassVar[bool] = False
    tunes: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    meets: ClassVar[bool] = False
    peers: ClassVar[bool] = False

    penalty: Penalty
    population: Population = field(default=Population(1, 1), kw_only=True)

    @classmethod
    def hyperparameters(cls) -> dict[str, dict[str, float]]:
        """The names of the hyper-parameters, each with its bounds: above, at_least, below, at_most."""
        given = {f.name for f in fields(Algorithm)}
        return {f.name: f.metadata.get("bounds", {}) for f in fields(cls) if f.name not in given}

    def init_server(self, w0: Array) -> Any:
        """The server state before the first round, from the initial model w0 [G, 1, d]."""
        return Server(w0)

    def init_client(self, w0: Array) -> Any:
        """The persistent state of a client before the first round, from w0 [G, 1, d]; `()` if it keeps none."""
        return ()

    def broadcast(self, server: Any, coin: Array) -> Any:
        """What the server sends to every client of the cohort.

        Args:
            coin: [1, 1, 1], uniform on [0, 1), one for each round; the same for all algorithms of a seed.
        """
        return server

    def communicated(self, message: Any) -> Array | float:
        """1 where the round's message travels, [G, 1, 1]; 0 where the clients go on by themselves."""
        return 1.0

    def local_steps(self, message: Any, steps: Array) -> Array:
        """How many local steps a client takes in this round, [G, 1, 1] or []; `steps` is the experiment's number."""
        return steps

    def start(self, message: Any, client: Any, F: Objective) -> Any:
        """The local iterate before the first local step."""
        return message.params

    def step(self, local: Any, k: Array, message: Any, client: Any, f: Objective) -> Any:
        """One local step; k [1, C, 1] counts the local steps that the client has already done in this round."""
        raise NotImplementedError

    def finish(self, local: Any, k: Array, message: Any, client: Any) -> tuple[Any, Any]:
        """The update that the client sends after k local steps, and its new persistent state."""
        return Update(local - message.params), client

    def update_server(self, server: Any, mean: Any, participation: Array) -> Any:
        """The next server state from the mean update; participation is the share of all clients that took part."""
        raise NotImplementedError

    def meet(self, server: Any, clients: Any, graph: Array) -> tuple[Any, Any]:
        """The server's and all clients' states after the clients have met, at the end of a round.

        Args:
            clients: the states of all clients, those of a round in which they all took part.
            graph: the weights of the experiment's graph between the clients, [clients, clients]; () without one.
        """
        return server, clients

    def personal(self, local: Any, message: Any, client: Any, F: Objective) -> Array:
        """The model that a client uses itself [G, C, d], from what `start` (with `tunes`, and the steps) gave it."""
        return message.params

    def server_metrics(self, server: Any) -> dict[str, Array]:
        """What can be said of the server's state beside the model, each [G, 1, 1]; recorded at every evaluation."""
        return {}

    def model(self, server: Any) -> Array:
        """The reported model w [G, 1, d]."""
        return server.params
