"""The contract of an algorithm: eight roles, which every method has.

A round of federated optimisation is the same for all methods; only the roles differ:

    server, client     = init_server(w0), init_client(w0)                    before the first round
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

What only some methods need (the penalty, personal models, exact local solutions, ...) is in `_traits.py`.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from fedatlas.errors import AtlasError

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

    def gradient(self, w: Array, plus: Array | None = None) -> Array:
        """The gradient of the mean loss at w [G, C, d], plus a correction of the algorithm's own; [G, C, d].

        An experiment may clip them together, as some programs do; what is added outside of here is not clipped.
        """
        ...


ROLES = ("init_server", "init_client", "broadcast", "start", "step", "finish", "update_server", "model")


class Server(NamedTuple):
    """The server state of an algorithm that keeps only the model."""

    params: Array


class Update(NamedTuple):
    """The client's answer when it is only the displacement of the model."""

    delta: Array


class Population(NamedTuple):
    """What an algorithm may know of the run beforehand.

    clients: how many train.
    most_examples: of the largest of them.
    components: the number of models that the problem mixes; 1 where it is no mixture.
    """

    clients: int
    most_examples: int
    components: int = 1


def positive() -> Any:
    """Declares a hyper-parameter that must be > 0."""
    return bounded(above=0.0)


def bounded(**bounds: float) -> Any:
    """Declares a hyper-parameter with bounds, any of: above, at_least, below, at_most."""
    return field(metadata={"bounds": bounds})


def given(**options: Any) -> Any:
    """Declares a field that the engine fills in: no hyper-parameter."""
    return field(kw_only=True, metadata={"given": True}, **options)


@dataclass(frozen=True)
class Algorithm:
    """One algorithm; its dataclass fields are its hyper-parameters, but for `population`, which the engine gives.

    Class attributes:
        name: as it is written in figures.
        citation: authors, venue, year and where in the paper it stands.
        colour: of its curves, as '#rrggbb'.
        data: `cohort`, a sample of clients each round; `pooled`, the examples of all training clients as one client;
            `single`, the first training client alone. The last two are baselines that communicate nothing.
        participation: `full` where the algorithm needs all clients in every round, else `any`.
        steps: `unequal` where its solution is the same however many local steps each client takes; `equal` where
            clients that take more steps count for more.
        weighting: how clients count in its means: as the experiment says (`given`), all `alike`, or by `examples`.
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    colour: ClassVar[str]
    data: ClassVar[Literal["cohort", "pooled", "single"]] = "cohort"
    participation: ClassVar[Literal["any", "full"]] = "any"
    steps: ClassVar[Literal["equal", "unequal"]] = "equal"
    weighting: ClassVar[Literal["given", "alike", "examples"]] = "given"

    population: Population = given(default=Population(1, 1))

    @classmethod
    def hyperparameters(cls) -> dict[str, dict[str, float]]:
        """The names of the hyper-parameters, each with its bounds: above, at_least, below, at_most.

        Raises:
            AtlasError: if the class declares some that Python has not made fields of, for it is no dataclass.
        """
        if declared := [name for name, value in vars(cls).items() if isinstance(value, Field)]:
            raise AtlasError(
                f"{cls.__name__} declares {', '.join(declared)}, but is no dataclass: write `@dataclass(frozen=True)` "
                "above it."
            )
        return {f.name: f.metadata.get("bounds", {}) for f in fields(cls) if "given" not in f.metadata}

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
        """The next server state from the weighted mean of the updates.

        Args:
            participation: [G, 1, 1], the cohort's share of the weights of all clients, so that `participation * mean`
                is the weighted mean over all clients if those that are not in the round change nothing.
        """
        raise NotImplementedError

    def model(self, server: Any) -> Array:
        """The reported model w [G, 1, d]."""
        return server.params
