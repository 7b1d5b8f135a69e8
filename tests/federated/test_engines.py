"""The execution engines: same results as TFF's own context, and nothing left behind."""

from __future__ import annotations

import collections
import gc
import signal
import subprocess
import sys
import threading

import numpy as np
import psutil
import pytest

pytest.importorskip("tensorflow")
import tensorflow as tf
import tensorflow_federated as tff
from waiting import wait_for

from fedatlas.errors import AtlasError
from fedatlas.federated import engines
from fedatlas.federated.cohorts import CACHE_BYTES, fitting_chunk, lay_out, sample
from fedatlas.federated.inprocess import InProcessContext

Pair = collections.namedtuple("Pair", ["a", "b"])
VECTOR = tff.TensorType(np.float32, [3])


@tff.tensorflow.computation(tff.to_type(Pair(VECTOR, np.float32)))
def scaled(pair):
    return Pair(pair.a * pair.b, pair.b)


@tff.tensorflow.computation(VECTOR, VECTOR)
def add(x, y):
    return collections.OrderedDict(total=x + y, twice=2 * x)


@tff.federated_computation(
    tff.FederatedType(VECTOR, tff.SERVER), tff.FederatedType(tff.to_type(Pair(VECTOR, np.float32)), tff.CLIENTS)
)
def computation(server, clients):
    at_clients = tff.federated_map(scaled, clients)
    summed = tff.federated_sum(at_clients.a)
    here = tff.federated_map(add, (tff.federated_broadcast(server), at_clients.a))
    return tff.federated_map(add, (server, summed)), here, tff.federated_value(np.float32(4), tff.SERVER)


def numbers(value):
    """The leaves of a result, as plain arrays in order."""
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in numbers(member)]
    if isinstance(value, (list, tuple)):
        return [leaf for member in value for leaf in numbers(member)]
    return [np.asarray(value)]


def test_the_engines_evaluate_a_computation_alike():
    clients = [Pair(np.arange(3, dtype=np.float32) + i, np.float32(i + 1)) for i in range(4)]
    server = np.ones(3, np.float32)
    engines.install("native", 1)
    expected = numbers(computation(server, clients))
    engines.install("inprocess", 1)
    found = numbers(computation(server, clients))
    assert len(found) == len(expected) == 2 + 4 * 2 + 1
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_clients_compute_at_the_same_time():
    """Two clients of which each waits for the other."""
    both = threading.Barrier(2, timeout=120)

    def wait(x):  # TensorFlow keeps no reference to it
        both.wait()
        return x

    @tff.tensorflow.computation(np.int32)
    def meet(x):
        return tf.ensure_shape(tf.numpy_function(wait, [x], tf.int32), [])

    type_spec = tff.FederatedType(np.int32, tff.CLIENTS)
    total = tff.federated_computation(lambda x: tff.federated_sum(tff.federated_map(meet, x)), type_spec)
    assert int(InProcessContext().invoke(total, [1, 2])) == 3


def test_results_come_in_the_containers_of_their_types():
    engines.install("inprocess", 1)
    at_server, at_clients, _ = computation(np.ones(3, np.float32), [Pair(np.ones(3, np.float32), np.float32(2))])
    assert isinstance(at_server, collections.OrderedDict) and list(at_server) == ["total", "twice"]
    assert isinstance(at_clients, list) and list(at_clients[0]) == ["total", "twice"]


def test_unknown_intrinsics_name_the_other_engine():
    at_clients = tff.FederatedType(np.int32, tff.CLIENTS)
    largest = tff.federated_computation(tff.federated_max, at_clients)
    with pytest.raises(AtlasError, match="engine: native"):
        InProcessContext().invoke(largest, [1, 2])


def test_unknown_engines_are_refused():
    with pytest.raises(AtlasError, match="there are: inprocess, native"):
        engines.install("warp", 1)


def test_cohorts_are_drawn_without_replacement_and_repeat():
    drawn = [sample(20, 7, seed=3, round_number=r) for r in range(200)]
    assert all(len(set(cohort)) == 7 for cohort in drawn)
    np.testing.assert_array_equal(sample(20, 7, seed=3, round_number=5), drawn[5])
    counts = np.bincount(np.concatenate(drawn), minlength=20)
    assert abs(counts - 200 * 7 / 20).max() < 4 * np.sqrt(200 * 0.35 * 0.65)


@pytest.mark.parametrize(("shards", "chunk"), [(1, 7), (3, 2), (10, 1), (2, 100)])
def test_a_layout_holds_every_client_once(shards, chunk):
    clients = np.arange(7) + 3
    laid = lay_out(clients, shards, chunk)
    assert all(part.shape[1] == chunk for part in laid)
    flat = np.concatenate([part.ravel() for part in laid])
    np.testing.assert_array_equal(flat[flat >= 0], clients)


@pytest.mark.parametrize(
    ("clients", "share", "chunk"),
    [(10, 1, 1), (10, 4, 2), (10, 6, 5), (9, 4, 3), (7, 3, 3), (11, 8, 6), (10, 99, 10)],
)
def test_chunks_fit_the_cache_and_are_of_one_size(clients, share, chunk):
    assert fitting_chunk(clients, CACHE_BYTES // share) == chunk
    assert fitting_chunk(clients, 100 * CACHE_BYTES) == 1


RUNS = "THE WORKER RUNS"
# Forks, for every program that it is told of, a process that has imported all; told are an ending and a file.
IMPORTED = """
import os, signal, sys, time
import numpy as np, tensorflow_federated as tff
from fedatlas.federated import engines
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets a child that has ended
for line in iter(sys.stdin.readline, ""):
    pid = os.fork()
    if not pid:
        break
    print(pid, flush=True)
else:
    sys.exit()
then, out = line.rstrip().split("|")
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell passes on that it is ignored
for stream in (1, 2):
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
engines.install("native", 1)
double = tff.tensorflow.computation(lambda x: x * 2, np.int32)
assert double(4) == 8
print("THE WORKER RUNS", flush=True)
exec(then)
"""
ENDINGS = {
    "success": ("", None),
    "failure": ("raise RuntimeError", None),
    "Ctrl-C": ("time.sleep(600)", signal.SIGINT),
    "termination": ("time.sleep(600)", signal.SIGTERM),
    "kill": ("time.sleep(600)", signal.SIGKILL),
}


@pytest.fixture(scope="module")
def imported():
    """A process that forks those of these tests: to import TFF takes each of them eight seconds."""
    command = [sys.executable, "-c", IMPORTED]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.stdin.close()


@pytest.mark.worker
@pytest.mark.parametrize("ending", ENDINGS)
def test_no_worker_is_left_behind(ending, imported, tmp_path):
    (then, number), out = ENDINGS[ending], tmp_path / "out"
    out.touch()
    print(then, out, sep="|", file=imported.stdin, flush=True)
    process = psutil.Process(int(imported.stdout.readline()))
    wait_for(lambda: RUNS in out.read_text() or not process.is_running(), seconds=300)
    workers = [child for child in _children(process.pid) if _is_worker(child)]
    if number is not None:
        assert workers, out.read_text()
        process.send_signal(number)
    process.wait(timeout=300)
    assert RUNS in out.read_text()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
    assert not _workers_of(process.pid)


def _children(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _is_worker(process):
    try:
        return "worker_binary" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it has just ended
        return False


def _workers_of(pid):
    """Workers whose launcher was told that this process is its parent."""
    return [p for p in psutil.process_iter(["cmdline"]) if str(pid) in (p.info["cmdline"] or [])]


def test_a_computation_outlives_the_graphs_it_was_traced_from():
    """TensorFlow forgets functions by name when what it traced is collected; ours must not go with them."""
    engines.install("inprocess", 1)
    vector = tff.TensorType(np.float32, [None])

    def fourth_power(v):
        return tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * v), (0, v))[1]

    def loop(x):
        return tf.reduce_sum(tf.map_fn(fourth_power, x))

    def at_server(inner):
        return tff.federated_computation(lambda x: tff.federated_map(inner, x), tff.FederatedType(vector, tff.SERVER))

    values = np.arange(4, dtype=np.float32)
    computations = [at_server(tff.tensorflow.computation(loop, vector)) for _ in range(3)]
    for _ in range(2):
        assert [float(computation(values)) for computation in computations] == [98.0] * 3
        gc.collect()
