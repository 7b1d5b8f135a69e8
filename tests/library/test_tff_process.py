"""The algorithms as learning processes of TFF: equal to TFF's own, with its aggregators, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
import tensorflow_federated as tff

import fedatlas as fa
from fedatlas.about.abilities import refusal
from fedatlas.about.meanings import default_grid
from fedatlas.algorithms import algorithms
from fedatlas.federated import engines
from fedatlas.federated.learning_process import (
    Parts,
    State,
    answer_of,
    first_state,
    message_of,
    next_state,
    weights_of,
    with_weights,
)

SIZES, FEATURES = (13, 20, 7, 0), 6  # a last batch that is smaller, and a client without examples
AGGREGATORS = {
    "clipped": lambda: tff.aggregators.clipping_factory(1.0, tff.aggregators.MeanFactory()),
    "private": lambda: tff.aggregators.DifferentiallyPrivateFactory.gaussian_fixed(0.05, len(SIZES), 1.0),
    "quantised": lambda: tff.aggregators.MeanFactory(tff.aggregators.EncodedSumFactory.quantize_above_threshold(8, 0)),
}
REFUSED = {
    "scaffold": "SCAFFOLD lets clients keep a state",
    "fedem": "FedEM keeps a value for every example",
    "fedprox_exact": "solves local problems exactly",
    "d_fedem": "no server: its clients talk to each other",
    "clustered_fl": "changes the states of all clients together",
    "centralized": "communicates nothing",
    "fedavg_finetuned": "a model of its own",
}
WRONG = {
    "a rate of another name": (
        {"server_rate": 1.0},
        "'server_lr' is missing: the hyper-parameters of FedAvg are client_lr, server_lr",
    ),
    "a rate too many": ({"server_lr": 1.0, "mu": 1.0}, "'mu' is unknown"),
    "a rate of zero": ({"server_lr": 0.0}, "'server_lr' is 0, but server_lr of FedAvg must be above 0"),
    "a grid": ({"server_lr": [0.1, 1.0]}, "must be one number"),
    "a rate that is no number": ({"server_lr": float("nan")}, "must be one number"),
    "a spec of no batches": ({"server_lr": 1.0, "input_spec": tf.TensorSpec([None])}, "element_spec of a dataset"),
    "too few classes": ({"server_lr": 1.0, "classes": None}, "'classes' is not given"),
    "another weighting": ({"server_lr": 1.0, "weighting": "size"}, "'weighting' is 'size'"),
    "a seed below zero": ({"server_lr": 1.0, "seed": -1}, "'seed' is -1, but must be a whole number from 0"),
    "several algorithms": ({"server_lr": 1.0, "name": ["fedavg"]}, "must be one name of fa.algorithms"),
    "no aggregator": ({"server_lr": 1.0, "aggregator": "mean"}, "must be a factory of tff.aggregators"),
    "a sum": (
        {"server_lr": 1.0, "aggregator": tff.aggregators.SumFactory()},
        "is a SumFactory, but the algorithm needs a mean",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def native():
    """TFF's runtime, whose worker ends with this process."""
    engines.install("native", 1)
    yield
    engines.install("inprocess", 1)


def datasets(batch: int = 5, repeats: int = 2) -> list[tf.data.Dataset]:
    """Clients of two classes that the first feature tells apart, the others are noise."""
    rng = np.random.default_rng(0)
    found = []
    for size in SIZES:
        x = rng.normal(size=(size, FEATURES)).astype("float32")
        found.append(
            tf.data.Dataset.from_tensor_slices((x, (x[:, 0] > 0).astype("int32"))).repeat(repeats).batch(batch)
        )
    return found


DATA = datasets()
SPEC = DATA[0].element_spec


def process(name="fedavg", problem=None, **options):
    options = {"input_spec": SPEC, "classes": 2, **options}
    return fa.tff_process(name, problem or fa.problems.softmax(), **options)


def losses(made, rounds: int, next_round=None) -> tuple[list[float], object]:
    """The training losses before each round and after the last, and the state then."""
    state, found = made.initialize(), []
    for _ in range(rounds + 1):
        last = state
        state, metrics = (next_round or made.next)(state, DATA)
        found.append(float(metrics["client_work"]["train"]["loss"]))
    return found, last


def small_model() -> tf.keras.Model:
    layers = tf.keras.layers
    return tf.keras.Sequential([tf.keras.Input((FEATURES,)), layers.Dense(3, "tanh"), layers.Dense(2)])


def test_federated_averaging_is_that_of_tff():
    """Three rounds on the same batches from the same weights; float32 rounds differently in two orders of sums."""
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model = tff.learning.models.functional_model_from_keras(small_model, loss, SPEC)
    sgd = tff.learning.optimizers.build_sgdm
    theirs = tff.learning.algorithms.build_weighted_fed_avg(model, sgd(0.1), sgd(0.7))
    ours = process(
        problem=fa.keras_problem(small_model, "sparse_categorical_crossentropy"), client_lr=0.1, server_lr=0.7
    )
    state, stock = ours.initialize(), theirs.initialize()
    start = ours.get_model_weights(state)
    stock = theirs.set_model_weights(stock, tff.learning.models.ModelWeights(tuple(start.trainable), ()))
    for _ in range(3):
        state, stock = ours.next(state, DATA).state, theirs.next(stock, DATA).state
    found, expected = ours.get_model_weights(state).trainable, theirs.get_model_weights(stock).trainable
    assert max(np.abs(a - b).max() for a, b in zip(start.trainable, expected, strict=True)) > 0.01
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=0, atol=1e-5)


def test_weights_are_those_of_the_keras_model():
    """What the process calls its loss is what Keras computes with the weights that it gives."""
    ours = process(
        problem=fa.keras_problem(small_model, "sparse_categorical_crossentropy"), client_lr=0.1, server_lr=1.0
    )
    state = ours.next(ours.initialize(), DATA).state
    keras = small_model()
    ours.get_model_weights(state).assign_weights_to(keras)
    x, y = (np.concatenate(arrays) for arrays in zip(*(b for d in DATA for b in d.as_numpy_iterator()), strict=True))
    loss = tf.keras.losses.sparse_categorical_crossentropy(y, keras(x), from_logits=True).numpy().mean()
    train = ours.next(state, DATA).metrics["client_work"]["train"]
    assert train["loss"] == pytest.approx(loss, abs=1e-6) and train["num_examples"] == len(y) == 2 * sum(SIZES)


def test_dual_averaging_learns_with_a_penalty():
    problem = fa.problems.logistic(penalty=fa.prox.l1(0.05))
    made = process("feddualavg", problem, classes=None, client_lr=0.1, server_lr=1.0)
    found, state = losses(made, 8)
    assert found == sorted(found, reverse=True)
    kernel = made.get_model_weights(state).trainable[0].ravel()[:FEATURES]
    assert abs(kernel).argmax() == 0 and (kernel == 0).any()  # exact zeros, which no mean of models has


def test_the_step_of_feduadagrad_learns():
    found, _ = losses(process("fedduadagrad", client_lr=0.03, eps_g=0.01, epsilon=1e-9), 5)
    assert found[-1] < 0.8 * found[0]


@pytest.mark.parametrize("name", AGGREGATORS)
def test_aggregators_of_tff_fit(name):
    found, _ = losses(process(client_lr=0.1, server_lr=1.0, aggregator=AGGREGATORS[name]()), 4)
    assert found[-1] < 0.8 * found[0]


def test_secure_sums_fit():
    """TFF's runtime for one machine has none, so that they are replaced by plain ones, as TFF's own tests do."""
    made = process(client_lr=0.1, server_lr=1.0, aggregator=tff.learning.secure_aggregator(zeroing=False))
    replaced = tff.backends.test.replace_secure_intrinsics_with_bodies(made.next)  # gives dicts
    found, _ = losses(made, 4, lambda *arguments: replaced(*arguments).values())
    assert found[-1] < 0.8 * found[0]


def test_clients_of_client_data_and_mappings():
    """A tff ClientData whose elements are mappings, and clients that all count the same."""
    arrays = {str(i): {"x": x, "y": y} for i, (x, y) in enumerate(next(iter(d.as_numpy_iterator())) for d in DATA[:3])}
    data = tff.simulation.datasets.TestClientData(arrays)
    batched = [data.create_tf_dataset_for_client(i).batch(2) for i in data.client_ids]
    made = process(input_spec=batched[0].element_spec, weighting="uniform", client_lr=0.5, server_lr=1.0)
    state, before = made.next(made.initialize(), batched)
    after = made.next(state, batched).metrics
    assert after["client_work"]["train"]["loss"] < before["client_work"]["train"]["loss"]


@pytest.mark.parametrize("name", [name for name, cls in algorithms.items() if not refusal(cls)])
def test_every_algorithm_learns_and_takes_weights(name):
    """Its parts, operation by operation: a round lowers the loss, and a model that is set is the model."""
    cls, grid = algorithms[name], default_grid(name)
    values = {key: grid[key][len(grid[key]) // 2] for key in grid} | {"client_lr": 0.05}
    choice = fa.problems.softmax(penalty=fa.prox.l1(1e-3))
    problem = choice.make((FEATURES,), 2)
    parts = Parts(cls, values, problem, choice.penalty.make(), SPEC, True, None, problem.initial(0), 0)
    state, found = first_state(parts), []
    for _ in range(2):
        answer = answer_of(parts, message_of(parts, state), DATA[2])
        found.append(float(answer.sums["loss"]))
        state = next_state(parts, state, answer.update)
    assert found[-1] < found[0]
    wanted = tf.reshape(tf.linspace(-1.0, 1.0, 2 * FEATURES + 2), [2, -1])
    given = with_weights(parts, State(state, ()), tff.learning.models.ModelWeights([wanted], []))
    np.testing.assert_allclose(weights_of(parts, given).trainable[0], wanted, rtol=1e-6)


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_learning_process_can_be_is_refused(name):
    with pytest.raises(fa.AtlasError, match=REFUSED[name]):
        process(name)


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told(case):
    options, message = WRONG[case]
    with pytest.raises(fa.AtlasError, match=message):
        process(**{"client_lr": 0.1, **options})


def test_a_penalty_that_is_ignored_is_told():
    with pytest.warns(fa.StudyWarning, match="FedAvg ignores the penalty l1"):
        process(problem=fa.problems.softmax(penalty=fa.prox.l1(0.01)), client_lr=0.1, server_lr=1.0)


def test_inputs_that_a_problem_does_not_take_are_told():
    problem = fa.keras_problem(small_model, "sparse_categorical_crossentropy")
    spec = (tf.TensorSpec([None, 5]), tf.TensorSpec([None], tf.int32))
    with pytest.raises(fa.AtlasError, match="takes inputs of shape"):
        process(problem=problem, input_spec=spec, client_lr=0.1, server_lr=1.0)


def test_the_notebook_runs_and_is_committed_without_outputs():
    """Its cells in this process, with two rounds."""
    path = Path(__file__).parents[2] / "notebooks" / "tff_process.ipynb"
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names: dict = {}
    for cell in cells:
        assert not cell["outputs"] and cell["execution_count"] is None and len(cell["source"]) <= 15
        exec(compile("".join(cell["source"]), path.name, "exec"), names)
        if "parameters" in cell["metadata"].get("tags", []):
            names["rounds"] = 2
    losses = {name: losses for name, (_, losses) in names["trained"].items()}
    assert losses["plain mean"][1] < losses["plain mean"][0] == losses["private mean"][0]
    assert losses["plain mean"][1] != losses["private mean"][1]
