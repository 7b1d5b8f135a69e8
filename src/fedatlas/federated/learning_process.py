"""An algorithm and a problem as a `tff.learning.templates.LearningProcess` on clients that are `tf.data` datasets.

    initialize        : ( -> State@SERVER)
    next              : (<State@SERVER, {batches*}@CLIENTS> -> LearningProcessOutput<State, metrics>@SERVER)
    get_model_weights : (State -> ModelWeights)
    set_model_weights : (<State, ModelWeights> -> State)

As in `tff.learning`, a client's dataset gives batches, and each of them is a local step. Here a TFF client is one
client, and there is one configuration: the leading axes [configuration, client] of all arrays are 1, and are left out
of states and of what is sent, so that an aggregator sees vectors [d].
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from fedatlas.algorithms import Algorithm, Composite
from fedatlas.errors import AtlasError
from fedatlas.federated.dataset_batches import joined, read_batches
from fedatlas.federated.local_options import LocalOptions
from fedatlas.federated.objectives import Objective
from fedatlas.federated.roles import speaking
from fedatlas.federated.tracing import computation, structure_of
from fedatlas.federated.training import Steps, train_chunk
from fedatlas.problems import OnKernels, Problem
from fedatlas.problems.base import Batch
from fedatlas.prox.base import Penalty
from fedatlas.structure import absent

DTYPE = "float32"
SUMS = (tff.aggregators.SumFactory, tff.aggregators.SecureSumFactory, tff.aggregators.EncodedSumFactory)


class ServerState(NamedTuple):
    """The rounds done [], and the algorithm's state."""

    round: Any
    algorithm: Any


class State(NamedTuple):
    """Of the process: the server's, and the aggregator's."""

    server: Any
    aggregator: Any


class Message(NamedTuple):
    """What the server sends: the reported model [d], which metrics are of, and what the algorithm sends."""

    model: Any
    content: Any


class Answer(NamedTuple):
    """What a client sends: the algorithm's update, its weight in a weighted mean [], and sums over its examples."""

    update: Any
    weight: Any
    sums: Any


@dataclass(frozen=True)
class Parts:
    """What the process is made from.

    Attributes:
        hyperparameters: of the algorithm, by name.
        input_spec: of a batch, (x, y) or {x, y} of tensor specs whose first axis is that of the examples.
        by_examples: whether clients count by their examples in a weighted mean, or all the same.
        aggregator: a factory of `tff.aggregators`, weighted or not; None for the mean.
        initial: the initial parameters [d].
        seed: of the server's coins.
    """

    algorithm: type[Algorithm]
    hyperparameters: Mapping[str, float]
    problem: Problem
    penalty: Penalty
    input_spec: Any
    by_examples: bool
    aggregator: Any
    initial: np.ndarray
    seed: int

    def instance(self) -> Algorithm:
        """The algorithm with its hyper-parameters; to be called where a graph is being built."""
        values = {name: tf.constant(value, DTYPE, [1, 1, 1]) for name, value in self.hyperparameters.items()}
        given: dict[str, Any] = {"penalty": self.on_kernels} if issubclass(self.algorithm, Composite) else {}
        return speaking(self.algorithm(**given, **values))

    @property
    def on_kernels(self) -> OnKernels:
        """The penalty on the parameter vector."""
        return OnKernels(self.penalty, self.problem.blocks)

    def start(self) -> tf.Tensor:
        """w0 [1, 1, d]; where the penalty is a set, the point of it that is nearest to the problem's."""
        w0 = tf.constant(self.initial, DTYPE)[None, None]
        return self.on_kernels.prox(w0, tf.ones([1, 1, 1], DTYPE)) if self.penalty.indicator else w0


def learning_process(parts: Parts) -> tff.learning.templates.LearningProcess:
    """The process.

    Raises:
        AtlasError: if the aggregator is none, or does not take what the algorithm sends.
    """
    create = computation(lambda: first_state(parts))
    server_type, data_type = create.type_signature.result, _data_type(parts.input_spec)
    prepare = computation(lambda state: message_of(parts, state), server_type)
    work = computation(lambda message, data: answer_of(parts, message, data), prepare.type_signature.result, data_type)
    answer_type = work.type_signature.result
    aggregation = _aggregation(parts.aggregator, answer_type)
    mean_type = aggregation.next.type_signature.result.result.member
    update = computation(lambda state, mean: next_state(parts, state, mean), server_type, mean_type)
    means = computation(_means, answer_type.sums)

    @tff.federated_computation
    def initialize():
        return tff.federated_zip(State(tff.federated_eval(create, tff.SERVER), aggregation.initialize()))

    state_type = initialize.type_signature.result

    @tff.federated_computation(state_type, tff.FederatedType(data_type, tff.CLIENTS))
    def next_round(state, data):
        message = tff.federated_broadcast(tff.federated_map(prepare, state.server))
        answers = tff.federated_map(work, (message, data))
        weights = [answers.weight] if aggregation.is_weighted else []
        mean = aggregation.next(state.aggregator, answers.update, *weights)
        server = tff.federated_map(update, (state.server, mean.result))
        train = tff.federated_map(means, tff.federated_sum(answers.sums))
        client_work = tff.federated_zip(OrderedDict(train=train))
        metrics = tff.federated_zip(OrderedDict(client_work=client_work, aggregator=mean.measurements))
        return tff.learning.templates.LearningProcessOutput(tff.federated_zip(State(server, mean.state)), metrics)

    get = computation(lambda state: weights_of(parts, state), state_type.member)
    put = computation(
        lambda state, weights: with_weights(parts, state, weights), state_type.member, get.type_signature.result
    )
    return tff.learning.templates.LearningProcess(initialize, next_round, get, put)


def _data_type(input_spec: Any) -> Any:
    def of_tensor(spec: tf.TensorSpec) -> Any:
        return tff.TensorType(spec.dtype.as_numpy_dtype, spec.shape.as_list())

    return tff.SequenceType(tf.nest.map_structure(of_tensor, input_spec))


def _aggregation(factory: Any, answer_type: Any) -> Any:
    factory = tff.aggregators.MeanFactory(no_nan_division=True) if factory is None else factory
    weighted = isinstance(factory, tff.aggregators.WeightedAggregationFactory)
    if not weighted and not isinstance(factory, tff.aggregators.UnweightedAggregationFactory):
        raise AtlasError(
            f"'aggregator' is {factory!r}, but must be a factory of tff.aggregators, such as MeanFactory()."
        )
    if isinstance(factory, SUMS):
        raise AtlasError(
            f"'aggregator' is a {type(factory).__name__}, but the algorithm needs a mean: give "
            f"tff.aggregators.MeanFactory({type(factory).__name__}(...))."
        )
    try:
        found = factory.create(answer_type.update, *([answer_type.weight] if weighted else []))
    except (TypeError, ValueError) as error:
        raise AtlasError(
            f"'aggregator' ({type(factory).__name__}) does not take what the algorithm sends, {answer_type.update}: "
            f"{str(error).splitlines()[0]}"
        ) from error
    result = found.next.type_signature.result.result.member
    if not answer_type.update.is_assignable_from(result):
        raise AtlasError(
            f"'aggregator' ({type(factory).__name__}) gives {result}, but the algorithm needs a mean of what it sends, "
            f"{answer_type.update}."
        )
    return found


def first_state(parts: Parts) -> ServerState:
    """Before the first round."""
    return ServerState(tf.constant(0), _inner(parts.instance().init_server(parts.start())))


def message_of(parts: Parts, state: Any) -> Message:
    """What the server sends in a round."""
    algorithm, server = parts.instance(), _outer(state.algorithm)
    coin = tf.random.stateless_uniform([1, 1, 1], tf.stack([parts.seed, state.round]))
    return Message(algorithm.model(server)[0, 0], _inner(algorithm.broadcast(server, tf.cast(coin, DTYPE))))


def answer_of(parts: Parts, message: Any, dataset: Any) -> Answer:
    """The work of a client in a round."""
    batches, examples = read_batches(dataset)
    F = Objective.of_all(parts.problem, joined(batches), DTYPE, None)
    steps = Steps(batches, 1, LocalOptions())  # as many as there are batches
    trained, _ = train_chunk(parts.instance(), _outer(message.content), (), F, steps, tf.ones([1], DTYPE))
    weight = tf.cast(examples if parts.by_examples else tf.minimum(examples, 1), DTYPE)
    sums = _sums(parts.problem, message.model, batches) | {"num_examples": examples}
    return Answer(_inner(trained.update), weight * trained.weight[0, 0, 0], OrderedDict(sorted(sums.items())))


def _sums(problem: Problem, model: tf.Tensor, batches: Batch) -> dict[str, tf.Tensor]:
    """Sums over the examples of the metrics of a model [d], batch by batch, as all at once may not fit memory."""

    @tf.function(autograph=False)
    def of_batch(i: tf.Tensor) -> dict[str, tf.Tensor]:
        batch = Batch(*(tf.gather(array, i) for array in batches[:3]))
        metrics = problem.example_metrics(model[None, None], batch)
        return {k: tf.reduce_sum(tf.where(batch.mask, tf.cast(v, DTYPE), 0)) for k, v in metrics.items()}

    signature = structure_of(of_batch, tf.constant(0))
    each = tf.map_fn(of_batch, tf.range(tf.shape(batches.mask)[0]), fn_output_signature=signature)
    return {name: tf.reduce_sum(values) for name, values in each.items()}


def _means(sums: Any) -> Any:
    count = sums["num_examples"]
    return OrderedDict(
        (name, value if name == "num_examples" else tf.math.divide_no_nan(value, tf.cast(count, DTYPE)))
        for name, value in sums.items()
    )


def next_state(parts: Parts, state: Any, mean: Any) -> ServerState:
    """The server after a round; one whose mean or new state is not finite changes nothing."""
    old = _outer(state.algorithm)
    new = parts.instance().update_server(old, _outer(mean), tf.ones([1, 1, 1], DTYPE))
    finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(leaf)) for leaf in tf.nest.flatten(new)])
    kept = tf.nest.map_structure(lambda a, b: tf.where(finite, a, b), new, old)
    return ServerState(state.round + 1, _inner(kept))


def weights_of(parts: Parts, state: Any) -> tff.learning.models.ModelWeights:
    """The reported model as its kernels and biases, in the order of the problem: that of a Keras model's weights."""
    w, blocks = parts.instance().model(_outer(state.server.algorithm))[0, 0], parts.problem.blocks
    pieces = tf.split(w, [block.size for block in blocks])
    shaped = [tf.reshape(piece, block.shape) for piece, block in zip(pieces, blocks, strict=True)]
    return tff.learning.models.ModelWeights(trainable=shaped, non_trainable=[])


def with_weights(parts: Parts, state: Any, weights: Any) -> State:
    """The state with another model.

    What else the server keeps, such as a momentum, stays. An algorithm whose model follows from something else than
    `params`, such as a dual, begins anew from the given one.
    """
    w = tf.concat([tf.reshape(piece, [-1]) for piece in weights.trainable], 0)[None, None]
    server = _outer(state.server.algorithm)
    if "params" in server._fields:
        models = {"params", "previous"} & {name for name in server._fields if not absent(getattr(server, name))}
        new = server._replace(**dict.fromkeys(models, w))  # a reported mean of the last two models is w as well
    else:
        new = parts.instance().init_server(w)
    return State(ServerState(state.server.round, _inner(new)), state.aggregator)


def _inner(structure: Any) -> Any:
    """Arrays [1, 1, ...] without their leading axes."""
    return tf.nest.map_structure(lambda array: tf.ensure_shape(array, [1, 1, *array.shape[2:]])[0, 0], structure)


def _outer(structure: Any) -> Any:
    """Arrays with the leading axes [1, 1]."""
    return tf.nest.map_structure(lambda array: array[None, None], structure)
