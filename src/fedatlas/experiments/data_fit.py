"""What an experiment asks of its data: splits, metrics, clients and examples that there can be."""

from __future__ import annotations

from typing import Any

from fedatlas.algorithms import Algorithm
from fedatlas.config import written
from fedatlas.data.outline import Outline
from fedatlas.errors import AtlasError
from fedatlas.experiments.recorded import Recorded, outline_of, problem_of, recorded
from fedatlas.names import instead


def check_data(entry: str, algorithm: type[Algorithm], resolved: Any) -> None:
    """Checks what an algorithm's experiment asks for against what is known of its data before that is made.

    Raises:
        AtlasError: names the key, the value and what there is.
    """
    every, rounds = resolved.evaluation.every, resolved.training.rounds
    if every > rounds:
        raise AtlasError(
            f"'evaluation.every' of {entry} is {every}, but there are {rounds} 'training.rounds': it must not be more.",
            ("evaluation", "every"),
        )
    outline, known = outline_of(resolved), recorded(resolved, entry)
    if outline is None or known is None:
        return
    _check_splits(resolved, outline)
    _check_clients(entry, algorithm, resolved, outline)
    if outline.classes is None and "accuracy" in problem_of(resolved, outline).measured.examples:
        raise AtlasError(
            f"'problem.name' is '{resolved.problem.name}', which needs classes, but the data set "
            f"{resolved.dataset.name} has none: choose another one.",
            ("problem", "name"),
        )
    check_recorded(resolved.select, known, ("select",))
    if resolved.select.ties:
        check_recorded(resolved.select.ties, known, ("select", "ties"))


def check_recorded(metric: Any, known: Recorded, key: tuple[str | int, ...]) -> None:
    """Checks that runs record a metric on a split.

    Args:
        metric: has a `metric` and a `split`.
        key: the keys that lead to it.

    Raises:
        AtlasError: names the metric or the split, and the nearest that there is.
    """
    if (metric.split, metric.metric) in known:
        return
    where = written(key)
    of_split = {name for split, name in known if split == metric.split}
    if not of_split and metric.split == "model":
        raise AtlasError(
            f"'{where}.metric' is '{metric.metric}' of the model itself, of which the runs record nothing: "
            "give a 'split' with examples, such as 'train', and a metric of that.",
            (*key, "metric"),
        )
    if not of_split:
        splits = sorted({split for split, _ in known} - {"cost"})
        raise AtlasError(
            f"'{where}.split' is '{metric.split}', which the runs do not evaluate; "
            f"{instead(metric.split, splits, 'they evaluate')}",
            (*key, "split"),
        )
    raise AtlasError(
        f"'{where}.metric' is '{metric.metric}', which the runs do not record on '{metric.split}'; "
        f"{instead(metric.metric, sorted(of_split), 'they record')}",
        (*key, "metric"),
    )


def _check_splits(resolved: Any, outline: Outline) -> None:
    for place, split in enumerate(resolved.evaluation.splits):
        if split not in outline.splits:
            raise AtlasError(
                f"'evaluation.splits' holds '{split}', which the data set {resolved.dataset.name} does not have; "
                f"{instead(split, outline.splits, 'it has')}",
                ("evaluation", "splits", place),
            )


def _check_clients(entry: str, algorithm: type[Algorithm], resolved: Any, outline: Outline) -> None:
    """Checks the sizes of the cohort and of the batches."""
    training, name = resolved.training, resolved.dataset.name
    if training.cohort != "all" and outline.clients is not None and training.cohort > outline.clients:
        raise AtlasError(
            f"'training.cohort' of {entry} is {training.cohort}, but {name} has {outline.clients} clients that train: "
            "give fewer, or 'all'.",
            ("training", "cohort"),
        )
    examples = outline.examples
    if examples is not None and algorithm.data == "pooled":
        examples *= outline.clients or 1
    if training.batch_size != "full" and examples is not None and training.batch_size > examples:
        raise AtlasError(
            f"'training.batch_size' of {entry} is {training.batch_size}, but no client of {name} has more than "
            f"{examples} examples: give fewer, or 'full'.",
            ("training", "batch_size"),
        )
