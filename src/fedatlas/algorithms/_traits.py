"""What only some algorithms are or do. One that does says so by its base classes: `class APFL(Personal, FedAvg)`.

| base class | what is special | what it adds to the contract |
|---|---|---|
| `Composite` | minimises F + psi | `penalty` |
| `ExactLocal` | works on the client's whole objective, once a round | `F.minimise`, `F.hessian_product`, `F.count` |
| `PlainSteps` | is right for plain gradient steps alone: no `training.local.momentum` | |
| `RecursiveGradient` | changes a gradient of all examples from step to step: nor `weight_decay` and `clip_norm` | |
| `OwnSteps` | says itself how many local steps a round has | `local_steps` |
| `SkipsCommunication` | lets clients go on by themselves in some rounds | `communicated` |
| `ServerMetrics` | has more to tell of the server than the model | `server_metrics` |
| `Personal` | each client uses a model of its own | `personal_model` |
| `FineTuned` | that model is what a round's local steps make | |
| `Synchronised` | changes all clients' states together | `synchronise` |
| `Decentralised` | lets clients talk along a graph | `gossip` |
| `PerExample` | keeps a value for every example | `f.of_batch`, `f.into_batch` |
| `MixtureLearner` | learns a mixture of models | `components`, `F.component_losses`, `f.component_gradient` |

An algorithm without them ignores the penalty, takes the experiment's number of local steps, communicates in every
round, and its clients use the model that the server sends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from fedatlas.algorithms.base import Algorithm, Array, Objective, given
from fedatlas.prox.base import Penalty


@dataclass(frozen=True)
class Composite(Algorithm):
    """Minimises F + psi, smooth or not: by its proximal operator or its subgradients."""

    penalty: Penalty = given()


class ExactLocal(Algorithm):
    """Does all local work in `start`, on the client's whole objective: `step` is never called.

    An experiment gives it `local_steps: 0` and a `solver`. XLA does not compile it, which would make nothing faster.
    What `F.minimise` and `F.hessian_product` are is said in `federated/objectives.py`.

    Class attributes:
        adds_curvature: what it adds to F makes that strongly convex; else its hyper-parameter `strength` says so, if it
            has one.
    """

    adds_curvature: ClassVar[bool] = True


class MeteredObjective(Objective, Protocol):
    """F or f of an algorithm that calls `gradient` in a loop or a branch of its own, where calls cannot be counted."""

    def gradient_where(self, w: Array, where: Array, otherwise: Array) -> Array:
        """The gradient at w [G, C, d] where the truth value `where` [G, C or 1, 1] holds, `otherwise` elsewhere.

        Where it holds nowhere, nothing is computed.
        """
        ...

    def count(self, gradients: Array) -> None:
        """Adds the equivalent of this many gradients of each client, [G, C, 1], to the round's cost."""
        ...


class PlainSteps(Algorithm):
    """Is right for plain gradient steps alone, so an experiment may not give it `training.local.momentum`.

    It counts the gradients of an update by its steps, adds a correction that momentum would have to build up again in
    every round (so that its fixed point would move), or needs more than one gradient in a step.

    Class attributes:
        unchanged: why it cannot have `weight_decay` and `clip_norm` either; nothing where it can.
    """

    unchanged: ClassVar[str] = ""


class RecursiveGradient(PlainSteps):
    """Adds changes of the gradient of a batch to one over all of the client's examples.

    Local options change gradients of batches alone, so an experiment may not give it `weight_decay` and `clip_norm`.
    """

    unchanged = "would not apply it to the full gradient that it starts from"


class OwnSteps(Algorithm):
    """Says itself how many local steps a round has."""

    def local_steps(self, message: Any, steps: Array) -> Array:
        """How many local steps a client takes in this round, [G, 1, 1] or []; `steps` is the experiment's number."""
        raise NotImplementedError


class SkipsCommunication(Algorithm):
    """Has rounds in which nothing is sent, which then cost no communication."""

    def communicated(self, message: Any) -> Array | float:
        """1 where the round's message is sent, [G, 1, 1]; 0 where the clients go on by themselves."""
        raise NotImplementedError


class ServerMetrics(Algorithm):
    """Has something to record of the server's state beside the model, such as its learning rate.

    Class attributes:
        server_names: the names of its `server_metrics`.
    """

    server_names: ClassVar[tuple[str, ...]]

    def server_metrics(self, server: Any) -> dict[str, Array]:
        """By name, each [G, 1, 1]; recorded at every evaluation."""
        raise NotImplementedError


class Personal(Algorithm):
    """Each client uses a model of its own, also one that never trains."""

    def personal_model(self, local: Any, message: Any, client: Any, F: Objective) -> Array:
        """The model that a client uses, [G, C, d]; `local` is what `start` returned."""
        raise NotImplementedError


class FineTuned(Personal):
    """The model that a client uses is what a round's local steps make of `start`; its states stay as they are."""

    def personal_model(self, local: Any, message: Any, client: Any, F: Objective) -> Array:
        """`local` is what the steps returned."""
        return local


class Synchronised(Algorithm):
    """All clients take part in every round, and after it their states are changed together."""

    participation = "full"

    def synchronise(self, server: Any, clients: Any) -> tuple[Any, Any]:
        """The server's and all clients' states at the end of a round; arrays of clients are [G, T, ...]."""
        raise NotImplementedError


class Decentralised(Algorithm):
    """All clients take part in every round, and after it each talks to its neighbours in `training.graph`."""

    participation = "full"

    def gossip(self, server: Any, clients: Any, graph: Array) -> tuple[Any, Any]:
        """The server's and all clients' states at the end of a round; arrays of clients are [G, T, ...].

        Args:
            graph: the weight that client t gives to what client s holds, [T, T].
        """
        raise NotImplementedError


class PerExample(Algorithm):
    """Keeps a value for every example of a client, so that a batch must know which examples it holds."""


class ExampleObjective(Objective, Protocol):
    """F or f of an algorithm that is `PerExample`; f is over the examples of the batch."""

    def of_batch(self, values: Array) -> Array:
        """Values [G, C, ..., all examples] of the client's examples, those of the batch; [G, C, ..., examples]."""
        ...

    def into_batch(self, values: Array, new: Array) -> Array:
        """Values [G, C, all examples] of the client's examples with those of the batch new [G, C, examples]."""
        ...

    def signed_inputs(self, dtype: Any) -> Array:
        """s x for every example of the hinge loss max(0, 1 - s x'w); [C, examples, d]."""
        ...


class MixtureLearner(PerExample):
    """Its parameters are those of a mixture, (theta_1, ..., theta_M, pi), see `problems/_mixture.py`."""

    @property
    def components(self) -> int:
        """M."""
        return self.population.components

    def split(self, params: Array) -> tuple[Array, Array]:
        """theta [G, C, M d] and pi [G, C, M] of the parameters of a mixture [G, C, M d + M]."""
        return params[..., : -self.components], params[..., -self.components :]


class MixtureObjective(ExampleObjective, Protocol):
    """F or f of a `MixtureLearner`."""

    def component_losses(self, theta: Array) -> Array:
        """The loss of every example for each component of a mixture's parameters [G, C, M d]; [G, C, M, examples]."""
        ...

    def component_gradient(self, theta: Array, q: Array) -> Array:
        """The gradient by theta [G, C, M d] of the mean of sum_m q_m l(theta_m) over the examples, q [G, C, M, B]."""
        ...

    def mean(self, values: Array) -> Array:
        """The mean over the examples of values [G, C, M, examples]; [G, C, M]."""
        ...
