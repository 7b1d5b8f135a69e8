"""`fa.tff_process`: an algorithm of the atlas as a learning process of TensorFlow Federated."""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fedatlas.about.abilities import abilities, refusal
from fedatlas.algorithms import Algorithm, algorithms
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import broken_bound
from fedatlas.lazy import need_tensorflow
from fedatlas.library.clients import clients
from fedatlas.library.compare import StudyWarning
from fedatlas.library.own_class import describe
from fedatlas.library.problems import ProblemChoice, check_problem
from fedatlas.problems.base import Problem

if TYPE_CHECKING:
    import tensorflow_federated as tff


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
    but for the atlas's in-process engine; secure sums need a context that has them.

    The server needs the mean of what clients send. What that is depends on the algorithm, and is the type of the
    update in `process.next`: FedAvg sends its displacement [d], FedDualAvg also the time [1] that it has gone on for.
    The aggregator gets all of it: a norm to clip is that of all parts together, and noise is added to each of them.

    Metrics are `client_work/train`, plain sums over all clients (no aggregator protects them): the loss of the model
    that the server sent, its other metrics, and the number of examples; and the measurements of the `aggregator`.
    A penalty that the algorithm ignores is a `fa.StudyWarning`.
    A client whose update is not finite counts for nothing, and a round whose mean is not finite changes nothing.

    Args:
        algorithm: a name of `fa.algorithms`, or a class of your own (a subclass of `fa.Algorithm`).
        problem: of `fa.problems` or `fa.keras_problem`; for a Keras model, the weights are in its order.
        input_spec: the `element_spec` of a client's dataset: (x, y), or a mapping with x and y, in batches.
        classes: how many there are, where the problem does not say so itself.
        weighting: of clients in a weighted mean, by their `examples` or `uniform`.
        aggregator: a factory of `tff.aggregators` that makes a mean: clipping, differential privacy, quantisation,
            secure sums; the plain mean if not given. An unweighted one counts every client the same.
        seed: of the initial model and of the server's coins.
        hyperparameters: of the algorithm, one number each.

    Raises:
        AtlasError: in one sentence, if something does not fit, or if the algorithm cannot be such a process.

    >>> import tensorflow as tf
    >>> import fedatlas as fa
    >>> spec = tf.TensorSpec((None, 5), tf.float32), tf.TensorSpec((None,), tf.int32)
    >>> rates = {"client_lr": 0.1, "server_lr": 1.0}
    >>> process = tff_process("fedavg", fa.problems.softmax(), input_spec=spec, classes=3, **rates)
    >>> type(process).__name__
    'LearningProcess'
    """
    cls = algorithm if isinstance(algorithm, type) else algorithms[_id_of(algorithm)]
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise AtlasError(f"'seed' is {seed!r}, but must be a whole number from 0 to {2**31 - 1}.")
    _check_algorithm(cls)
    describe(cls)
    _check_hyperparameters(cls, hyperparameters)
    check_problem(problem)
    if weighting not in ("examples", "uniform"):
        raise AtlasError(f"'weighting' is {weighting!r}, but must be 'examples' or 'uniform'.")
    if not problem.penalty.is_zero and not abilities(cls).penalty:
        note = f"{cls.name} ignores the penalty {problem.penalty.name} and minimises the loss alone."
        warnings.warn(note, StudyWarning, stacklevel=2)
    need_tensorflow()
    from fedatlas.federated.learning_process import Parts, learning_process  # imports TensorFlow Federated

    made = _made(problem, input_spec, classes)
    penalty, by_examples, initial = problem.penalty.make(), weighting == "examples", made.initial(seed)
    parts = Parts(cls, hyperparameters, made, penalty, input_spec, by_examples, aggregator, initial, seed)
    return learning_process(parts)


def _id_of(algorithm: Any) -> str:
    name = getattr(algorithm, "id", algorithm)
    if not isinstance(name, str):
        raise AtlasError(f"'algorithm' is {name!r}, but must be one name of fa.algorithms, or a class of your own.")
    return name


def tff_runtime(threads: int = 1) -> None:
    """Lets TFF's own runtime run all computations of this program, in a worker that ends when the program does.

    What TFF starts by itself where no context is set leaves its worker behind.

    Args:
        threads: how many clients it computes at once.

    Raises:
        AtlasError: if it is not there, or does not start.
    """
    need_tensorflow()
    from fedatlas.federated import engines

    engines.install("native", threads)


def _check_algorithm(cls: type[Algorithm]) -> None:
    if not issubclass(cls, Algorithm):
        raise AtlasError(f"'algorithm' is {cls!r}, but must be a name or a subclass of fa.Algorithm.")
    if reason := refusal(cls):
        raise AtlasError(
            f"{cls.name} {reason}, but a LearningProcess gives clients nothing but data and keeps one model at the "
            "server: use fa.compare."
        )


def _check_hyperparameters(cls: type[Algorithm], given: dict[str, Any]) -> None:
    known = cls.hyperparameters()
    for name in (*known, *given):
        if name not in known or name not in given:
            wrong = "unknown" if name not in known else "missing"
            raise AtlasError(f"'{name}' is {wrong}: the hyper-parameters of {cls.name} are {', '.join(known)}.")
    for name, value in given.items():
        if not isinstance(value, Real) or not math.isfinite(value):
            raise AtlasError(f"'{name}' is {value!r}, but must be one number: a process has one configuration.")
        if bound := broken_bound(known[name], float(value)):
            raise AtlasError(f"'{name}' is {value:g}, but {name} of {cls.name} must be {bound}.")


def _made(choice: ProblemChoice, input_spec: Any, classes: int | None) -> Problem:
    """The problem on such inputs, checked on an example of them as the clients of `fa.compare` are."""
    x, y = _pair(input_spec)
    if None in x.shape[1:] or None in y.shape[1:]:
        raise AtlasError(
            f"'input_spec' has x {x.shape} and y {y.shape}, but only the axis of the batch may be of any length."
        )
    number = _classes(choice, classes) if choice.task in ("classes", "two classes") else None
    example = tuple(np.zeros((1, *spec.shape[1:]), spec.dtype.as_numpy_dtype) for spec in (x, y))
    like = clients({"example": example}, classes=number)
    choice.check(like)
    return choice.make(like.shape, number)


def _pair(input_spec: Any) -> tuple[Any, Any]:
    """The specs of x and y."""
    from fedatlas.federated.dataset_batches import pair

    try:
        x, y = pair(input_spec)
        fits = len(input_spec) == 2 and min(x.shape.rank, y.shape.rank) >= 1
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        fits = False
    if not fits:
        raise AtlasError(
            f"'input_spec' is {input_spec!r}, but must be the element_spec of a dataset of batches (x, y), or {{x, y}}."
        )
    return x, y


def _classes(choice: ProblemChoice, classes: int | None) -> int:
    """How many classes a problem has; it says so itself where there are two, or where it is a Keras model."""
    own: int | None = 2 if choice.task == "two classes" else getattr(choice, "outputs", None)
    if own is not None and classes not in (None, own):
        raise AtlasError(f"'classes' is {classes}, but {choice.name} has {own}.")
    number = classes if own is None else own
    if number is None:
        raise AtlasError(f"'classes' is not given, but {choice.name} does not know how many classes there are.")
    return number
