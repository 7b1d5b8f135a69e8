"""The contract that every algorithm fills.

A round of federated optimisation is the same for all of them; only the seven roles below differ:

    message            = broadcast(server)                                   server -> every client of the cohort
    local, k           = start(message, client), 0                           on each client m
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
    """f: the objective F_m of each client of the cohort, on the batch of the current local step."""

    def gradient(self, w: Array) -> Array:
        """The gradient of the mean loss over the batch at w [G, C, d]; [G, C, d]."""
        ...


class Server(NamedTuple):
    """The server state of an algorithm that keeps only the model."""

    params: Array


class Update(NamedTuple):
    """The client's answer when it is only the displacement of the model."""

    delta: Array


def positive() -> Any:
    """Declares a hyper-parameter that must be > 0."""
    return field(metadata={"above": 0.0})


@dataclass(frozen=True)
class Algorithm:
    """One algorithm; its dataclass fields after `penalty` are its hyper-parameters.

    Class attributes:
        name: as it is written in figures.
        citation: authors, venue, year and where in the paper it stands.
        colour: of its curves, as '#rrggbb'.
        data: `cohort`, a sample of clients each round; `pooled`, the examples of all training clients as one client;
            `own`, the first training client alone. The last two are baselines that communicate nothing.
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    colour: ClassVar[str]
    data: ClassVar[Literal["cohort", "pooled", "own"]] = "cohort"

    penalty: Penalty

    @classmethod
    def hyperparameters(cls) -> dict[str, float | None]:
        """The names of the hyper-parameters, each with the bound that it must lie above (None: any number)."""
        return {f.name: f.metadata.get("above") for f in fields(cls) if f.name != "penalty"}

    def init_server(self, w0: Array) -> Any:
        """The server state before the first round, from the initial model w0 [G, 1, d]."""
        return Server(w0)

    def init_client(self, w0: Array) -> Any:
        """The persistent state of a client before the first round, from w0 [G, 1, d]; `()` if it keeps none."""
        return ()

    def broadcast(self, server: Any) -> Any:
        """What the server sends to every client of the cohort."""
        return server

    def start(self, message: Any, client: Any) -> Any:
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

    def model(self, server: Any) -> Array:
        """The reported model w [G, 1, d]."""
        return server.params
