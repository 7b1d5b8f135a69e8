"""`fa.tff_process`: an algorithm of the atlas as a learning process of TensorFlow Federated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from fedatlas.algorithms import (
    Algorithm,
    Decentralised,
    ExactLocal,
    PerExample,
    Personal,
    Synchronised,
    algorithms,
)
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import broken_bound
from fedatlas.library.problems import ProblemChoice
from fedatlas.problems.base import Problem

if TYPE_CHECKING:
    import tensorflow_federated as tff

NOT_ONE = "fa.compare runs it"


def tff_process(
    algorithm: str | type[Algorithm],
    problem: ProblemChoice,
    *,
    input_spec: Any,
    classes: int | None = None,
    weighting: str = "examples",
    aggregator: Any = None,
    seed: int = 0,
    **hyperparameters: float,
) -> tff.learning.templates.LearningProcess:
    """An algorithm as a `tff.learning.templates.LearningProcess`, for a program, loop and data of one's own.

        process = fa.tff_process(
            "feddualavg", fa.problems.logistic(penalty=fa.prox.l1(0.01)),
            input_spec=datasets[0].element_spec, client_lr=0.03, server_lr=1.0,
        )
        state = process.initialize()
        state, metrics = process.next(state, datasets)
        weights = process.get_model_weights(state)

    A client is a `tf.data` dataset of batches, as in `tff.learning`: each of them is a local step, so epochs, shuffling
    and batch sizes are made with `repeat`, `shuffle` and `batch`. It runs in whatever execution context of TFF is set,
    but for the atlas's in-process engine.

    The server needs the mean of what clients send. What that is depends on the algorithm, and is the type of the
    update in `process.next`: FedAvg sends its displacement [d], FedDualAvg also the time [1] that it has gone on for.
    The aggregator gets all of it: a norm to clip is that of all parts together, and noise is added to each of them.

    Metrics are `client_work/train`, plain sums over all clients (no aggregator protects them): the loss of the model
    that the server sent, its other metrics, and the number of examples; and the measurements of the `aggregator`.
    A client whose update is not finite counts for nothing, and a round whose mean is not finite changes nothing.

    Args:
        algorithm: a name of `fa.algorithms`, or a class of your own (a subclass of `fa.Algorithm`).
        problem: of `fa.problems` or `fa.keras_problem`; for a Keras model, the weights are in its order.
        input_spec: the `element_spec` of a client's dataset: (x, y), or a mapping with x and y, in batches.
        classes: how many there are, where the problem does not say so itself.
        weighting: of clients in a weighted mean, by their `examples` or `uniform`.
        aggregator: a factory of `tff.aggregators` that makes a mean: clipping, differential privacy, quantisation,
            secure sums; the plain mean if not given. An unweighted one counts every client the same.
        seed: of the initial model.
        hyperparameters: of the algorithm, one number each.

    Raises:
        AtlasError: in one sentence, if something does not fit, or if the algorithm cannot be such a process.
    """
    cls = algorithm if isinstance(algorithm, type) else algorithms[getattr(algorithm, "id", algorithm)]
    _check_algorithm(cls)
    _check_hyperparameters(cls, hyperparameters)
    if not isinstance(problem, ProblemChoice):
        raise AtlasError(f"'problem' is {problem!r}, but must be one of fa.problems or fa.keras_problem.")
    if weighting not in ("examples", "uniform"):
        raise AtlasError(f"'weighting' is {weighting!r}, but must be 'examples' or 'uniform'.")
    from fedatlas.federated.learning_process import Parts, learning_process  # imports TensorFlow Federated

    made = _made(problem, input_spec, classes)
    by_examples = weighting == "examples"
    parts = Parts(
        cls, hyperparameters, made, problem.penalty.make(), input_spec, by_examples, aggregator, seed
    )
    return learning_process(parts)


def _check_algorithm(cls: type[Algorithm]) -> None:
    """Checks that an algorithm is what a LearningProcess can be: a server, and clients that keep nothing."""
    reasons = {
        "has no server: its clients talk to each other": issubclass(cls, Decentralised),
        "solves local problems exactly, on all examples of a client at once": issubclass(cls, ExactLocal),
        "communicates nothing: it trains on one pool of examples": cls.data != "cohort",
        "changes the states of all clients together after a round": issubclass(cls, Synchronised),
        "keeps a value for every example of a client": issubclass(cls, PerExample),
        "lets clients keep a state from round to round": cls.init_client is not Algorithm.init_client,
        "gives every client a model of its own": issubclass(cls, Personal),
    }
    for reason, applies in reasons.items():
        if applies:
            raise AtlasError(
                f"{cls.name} {reason}, but a LearningProcess passes nothing but data to clients and keeps nothing but "
                "one model at the server: use fa.compare."
            )


def _check_hyperparameters(cls: type[Algorithm], given: dict[str, float]) -> None:
    known = cls.hyperparameters()
    for name in (*known, *given):
        if name not in known or name not in given:
            wrong = "is unknown" if name not in known else "is missing"
            raise AtlasError(f"'{name}' {wrong}: the hyper-parameters of {cls.name} are {', '.join(known)}.")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise AtlasError(f"'{name}' is {value!r}, but must be one number: a process has one configuration.")
        if bound := broken_bound(known[name], value):
            raise AtlasError(f"'{name}' is {value:g}, but {name} of {cls.name} must be {bound}.")


def _made(choice: ProblemChoice, input_spec: Any, classes: int | None) -> Problem:
    """The problem on inputs of this shape.

    Raises:
        AtlasError: if they are not batches of (x, y), or not what the problem learns from.
    """
    x, y = _pair(input_spec)
    if x.shape.rank is None or x.shape.rank < 1 or None in x.shape[1:].as_list() or None in y.shape[1:].as_list():
        raise AtlasError(f"'input_spec' has x of shape {x.shape}, but must be batches of examples of one known shape.")
    learns = choice.task in ("classes", "two classes")
    if learns and not y.dtype.is_integer:
        raise AtlasError(f"'input_spec' has y of {y.dtype.name}, but {choice.name} learns classes: cast y to tf.int32.")
    number = _classes(choice, classes) if learns else None
    return choice.make(tuple(x.shape[1:].as_list()), number)


def _pair(input_spec: Any) -> tuple[Any, Any]:
    from fedatlas.federated.dataset_batches import pair

    try:
        x, y = pair(input_spec)
        assert len(input_spec) == 2 and x.shape[:1] == y.shape[:1]
    except (AssertionError, AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise AtlasError(
            f"'input_spec' is {input_spec!r}, but must be the element_spec of a dataset of batches (x, y), or {{x, y}}."
        ) from error
    return x, y


def _classes(choice: ProblemChoice, classes: int | None) -> int:
    """How many classes a problem has; it says so itself where there are two, or where it is a Keras model."""
    own = 2 if choice.task == "two classes" else getattr(choice, "outputs", None)
    if own is None and classes is None:
        raise AtlasError(f"'classes' is not given, but {choice.name} does not know how many classes there are.")
    if own is not None and classes not in (None, own):
        raise AtlasError(f"'classes' is {classes}, but {choice.name} has {own}.")
    return own or classes
