"""A federated process with its state: the rounds of one run, over the configurations that are still alive."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from fedatlas.federated.cohorts import lay_out, sample
from fedatlas.federated.computations import Cohort, ModelMetrics, State
from fedatlas.federated.engines import computes_here
from fedatlas.federated.evaluation import Microbatches
from fedatlas.federated.process import Process
from fedatlas.federated.setting import Setting
from fedatlas.federated.worth import dropping_pays, keeping_pays
from fedatlas.structure import absent


class RoundCosts(NamedTuple):
    """What a round cost each configuration, [G]; communication is free for a baseline that sends nothing.

    communications: 0 or 1; bytes_down, bytes_up: of the whole cohort; gradient_evaluations: of single examples.
    """

    communications: np.ndarray
    bytes_down: np.ndarray
    bytes_up: np.ndarray
    gradient_evaluations: np.ndarray


class Simulation:
    """Runs rounds and evaluates. Its whole state is `state`, `clients`, `computed` and `active`.

    Attributes:
        computed: the numbers of the configurations that are computed, [G].
        active: those of them that are told of; the others are no longer of interest, but leaving them out would take
            longer than computing them to the end.
        state: the server's.
        clients: the clients' persistent states, a structure of arrays [num_clients, G, ...], or ().
    """

    def __init__(self, setting: Setting, cohort: int, cohort_seed: int, shards: int, active: np.ndarray):
        self._whole, self._cohort, self._cohort_seed, self._shards = setting, cohort, cohort_seed, shards
        if computes_here() and keeping_pays(setting):
            setting.readers["train"].keep_in_memory()
        self._microbatches = functools.cache(lambda split: Microbatches(setting, setting.readers[split]))
        self.active = np.asarray(active)
        self._compute(self.active)
        self.state = self._process.initialize()
        self.clients = self._initial_clients(setting.readers["train"].num_clients)

    def _compute(self, computed: np.ndarray) -> None:
        """Makes the process for these configurations only."""
        self.computed = computed
        chosen = {name: np.asarray(values)[computed] for name, values in self._whole.hyperparameters.items()}
        self._setting = dataclasses.replace(self._whole, hyperparameters=chosen)
        self._process = Process(self._setting)

    def _initial_clients(self, number: int) -> Any:
        initial = self._process.initial_client_state
        return tf.nest.map_structure(lambda a: np.repeat(a[None, :, 0], number, axis=0), initial)

    @property
    def compiled(self) -> bool:
        """Whether XLA compiles the local work of the configurations that are computed."""
        return self._setting.compiled

    @property
    def round(self) -> int:
        """The number of rounds done."""
        return int(self.state.round)

    def next_cohort(self) -> np.ndarray:
        """The clients of the next round."""
        number = self._setting.readers["train"].num_clients
        match self._setting.algorithm.data:
            case "pooled":
                return np.arange(number, dtype=np.int32)
            case "single":
                return np.zeros(1, np.int32)
            case _:
                return sample(number, min(self._cohort, number), self._cohort_seed, self.round)

    def advance(self) -> RoundCosts:
        """Runs a round; returns what it cost."""
        cohort = self.next_cohort()
        shards = self._laid_out(cohort, "train")
        inputs = [Cohort(numbers, _taken(self.clients, numbers)) for numbers in shards]
        self.state, states, gradients, travels = self._process.next(self.state, inputs)
        if not absent(self.clients):
            for numbers, new in zip(shards, states, strict=True):
                self._put(numbers, new)
        if self._setting.synchronises:
            self._synchronise()
        down, up = self._process.message_bytes
        sent = self._told(travels)[:, 0, 0] * (self._setting.algorithm.data == "cohort")
        return RoundCosts(sent, len(cohort) * down * sent, len(cohort) * up * sent, self._told(gradients)[:, 0, 0])

    def _laid_out(self, clients: np.ndarray, split: str) -> list[np.ndarray]:
        """The clients of a split spread over shards; where chunks have sizes of their own, those of like size meet."""
        if self._setting.narrows:
            by_size = clients[np.argsort(self.sizes(split)[clients], kind="stable")]
            clients = np.concatenate([by_size[shard :: self._shards] for shard in range(self._shards)])
        return lay_out(clients, self._shards, self._setting.chunk)

    def _told(self, values: Any) -> np.ndarray:
        """Of values [computed, ...], those of the active configurations."""
        return np.asarray(values)[np.searchsorted(self.computed, self.active)]

    def _synchronise(self) -> None:
        """Changes the states of all clients together."""
        side_by_side = tf.nest.map_structure(lambda a: np.moveaxis(a, 0, 1), self.clients)
        self.state, clients = self._process.synchronise(self.state, side_by_side)
        self.clients = tf.nest.map_structure(lambda a: np.moveaxis(np.array(a), 1, 0), clients)

    def _put(self, numbers: np.ndarray, new: Any) -> None:
        there = numbers >= 0

        def write(table: np.ndarray, states: Any) -> None:
            table[numbers[there]] = np.moveaxis(np.asarray(states), 1, 2)[there]

        tf.nest.map_structure(write, self.clients, new)

    def retire(self) -> None:
        """Drops the configurations that have diverged, once they are half of those that are active."""
        alive = self._told(self.state.alive)[:, 0, 0]
        if 0 < alive.sum() <= len(alive) / 2:
            self._go_on_with(self.active[alive])

    def keep(self, configuration: int) -> None:
        """Drops all configurations but one."""
        self._go_on_with(self.active[self.active == configuration])

    def _go_on_with(self, active: np.ndarray) -> None:
        self.active = active
        if not dropping_pays(self._setting, len(active), self.round):
            return
        server, alive = (tf.nest.map_structure(self._told, part) for part in (self.state.server, self.state.alive))
        rows = np.searchsorted(self.computed, active)
        self.clients = tf.nest.map_structure(lambda a: np.ascontiguousarray(a[:, rows]), self.clients)
        self._compute(active)
        self.state = State(self.state.round, alive, server)

    def measure(self) -> ModelMetrics:
        """The reported models and what can be said of them alone."""
        return tf.nest.map_structure(self._told, self._process.measure(self.state))

    def evaluate(self, split: str) -> dict[str, np.ndarray]:
        """The mean over the clients of a split of each of the problem's metrics, [G].

        With `problem.stationarity` also ||gradient of the mean loss||^2.
        """
        microbatches = self._microbatches(split)
        together, rest = [], iter(microbatches)
        while some := list(itertools.islice(rest, self._shards)):
            together.append(self._process.evaluate(self.state, some))
        means = {name: sum(self._told(sums[name]) for sums in together) / microbatches.weight for name in together[0]}
        if "gradient" in means:
            means["stationarity_gap"] = (means.pop("gradient") ** 2).sum(-1)
        return means

    def sizes(self, split: str) -> np.ndarray:
        """The numbers of examples of the clients of a split."""
        return self._setting.readers[split].sizes

    def evaluate_own(self, splits: Sequence[str]) -> dict[tuple[str, str], np.ndarray]:
        """Each metric of every client's own model on its own examples, [G, clients], by split and name.

        Clients that never train are in their first state.
        """
        unseen = tuple(split for split in splits if split.startswith("unseen_"))
        groups = {"train": tuple(split for split in splits if split not in unseen), "unseen_train": unseen}
        found: dict[tuple[str, str], np.ndarray] = {}
        for train, own in groups.items():
            if own:
                found |= self._evaluate_own(train, own)
        return found

    def _evaluate_own(self, train: str, splits: tuple[str, ...]) -> dict[tuple[str, str], np.ndarray]:
        number = self._setting.readers[train].num_clients
        shards = self._laid_out(np.arange(number), train)
        states = self.clients if train == "train" else self._initial_clients(number)
        inputs = [Cohort(numbers, _taken(states, numbers)) for numbers in shards]
        results = self._process.evaluate_own(train, splits)(self.state, inputs)
        places = np.concatenate([numbers.ravel() for numbers in shards])
        in_order = np.argsort(places)[np.count_nonzero(places < 0) :]  # those that no client fills come first

        def joined(*parts: tf.Tensor) -> np.ndarray:
            by_client = [np.moveaxis(np.asarray(part), 1, 0).reshape(len(self.computed), -1) for part in parts]
            return self._told(np.concatenate(by_client, 1)[:, in_order])

        table = tf.nest.map_structure(joined, *results)
        return {(split, name): values for split, metrics in table.items() for name, values in metrics.items()}

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that the next rounds depend on, as flat named arrays."""
        leaves = [*tf.nest.flatten(self.state), *tf.nest.flatten(self.clients)]
        named = {f"leaf{i}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        return {"active": self.active, "computed": self.computed} | named

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continues from a snapshot of the same run."""
        self.active = arrays["active"]
        self._compute(arrays["computed"])
        leaves = [arrays[f"leaf{i}"] for i in range(sum(name.startswith("leaf") for name in arrays))]
        self.state, self.clients = tf.nest.pack_sequence_as((self.state, self.clients), leaves)


def _taken(states: Any, numbers: np.ndarray) -> Any:
    """The states [clients, G, ...] of the clients of a shard, [chunks, G, chunk, ...]."""
    if absent(states):
        return states
    return tf.nest.map_structure(lambda a: np.moveaxis(a[np.maximum(numbers, 0)], 2, 1), states)
