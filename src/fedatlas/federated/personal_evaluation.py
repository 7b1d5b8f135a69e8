"""The metrics of every client's own model on its own examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from fedatlas.algorithms import Personal
from fedatlas.federated.batches import whole
from fedatlas.federated.computations import round_of_batches
from fedatlas.federated.microbatches import in_microbatches
from fedatlas.federated.objectives import Objective, mean_over_examples, widened
from fedatlas.federated.setting import Setting
from fedatlas.federated.tracing import computation, structure_of
from fedatlas.federated.training import Steps, begin, one_after_another, take_steps, without_momentum
from fedatlas.problems.base import Batch


def personal_computation(setting: Setting, train: str, splits: Sequence[str]) -> Any:
    """(Message, Cohort) -> {split: {metric: [chunks, G, chunk]}} for the splits of the clients that train on `train`.

    Where a client has no examples, its metrics there are 0.
    """
    reader, problem = setting.readers[train], setting.problem
    groups, finetunes = setting.groups, setting.finetunes

    @tf.function(jit_compile=setting.compiled and not problem.one_by_one, autograph=False)  # as in_microbatches says
    def measure(message, states, examples, batches, of_splits):
        steps = Steps(batches, setting.work.most_steps(reader.most), setting.local)

        def measure_group(values, content, states):
            F = Objective.of_all(problem, examples, setting.dtype, setting.solver)
            algorithm = setting.instance(0 if finetunes else message.round, values)  # not at a late round's rate
            own = without_momentum(states)
            progress = begin(algorithm, content, own, F, setting.dtype)
            if finetunes:
                progress = take_steps(algorithm, content, own, F, steps, progress)
            w = content.params
            if isinstance(algorithm, Personal):
                w = algorithm.personal_model(progress.local, content, own, F)
            w = widened(w, F.clients)
            found = {split: _means(problem, w, of_splits[split]) for split in splits}
            found[train] = found.get(train, {}) | problem.client_metrics(w)
            return found

        if groups == 1:
            return measure_group(setting.values(), message.content, states)
        return one_after_another(measure_group, groups, (setting.values(), message.content, states))

    @tf.function(autograph=False)
    def one_chunk(message, clients, states):
        examples = setting.read(reader, clients)
        batches = round_of_batches(setting, reader, examples, clients, message.round) if finetunes else None
        of_splits = {split: whole(setting.read(setting.readers[split], clients)) for split in splits}
        return measure(message, states, whole(examples), batches, of_splits)

    def work(message, cohort):
        signature = structure_of(one_chunk, message, *tf.nest.map_structure(lambda a: a[0], tuple(cohort)))
        return tf.map_fn(lambda each: one_chunk(message, *each), tuple(cohort), fn_output_signature=signature)

    return lambda *types: computation(work, *types)


def _means(problem: Any, w: tf.Tensor, batch: Batch) -> dict[str, tf.Tensor]:
    """The mean of each metric over each client's examples, at its own w [G, C, d]; [G, C]."""

    def metrics_of(batch: Batch) -> dict[str, Any]:
        return problem.example_metrics(w, batch)

    metrics = in_microbatches(metrics_of, batch) if problem.one_by_one else metrics_of(batch)
    return {name: mean_over_examples(values, batch.mask) for name, values in metrics.items()}
