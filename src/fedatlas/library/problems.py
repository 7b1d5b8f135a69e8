"""`fa.problems` and `fa.prox`: a model with its loss and penalty, chosen in one call."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.experiments.components import check_component
from fedatlas.lazy import tf
from fedatlas.library.clients import Clients
from fedatlas.library.input_shapes import check_inputs_of, check_layers
from fedatlas.problems import problems as registered
from fedatlas.problems.base import Batch, Data, Problem
from fedatlas.prox import penalties
from fedatlas.prox.base import Penalty

Task = Literal["classes", "two classes", "numbers", "no labels"]


@dataclass(frozen=True)
class PenaltyChoice:
    """A penalty psi on the kernels of a model; biases are free.

    Attributes:
        name: of a file in `fedatlas.prox`.
        options: such as its strength.
    """

    name: str
    options: Mapping[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        """The `penalty` of an experiment."""
        return {"name": self.name, **self.options}

    @property
    def is_zero(self) -> bool:
        return self.name == "zero"

    def make(self) -> Penalty:
        """The function psi and its proximal operator."""
        return penalties[self.name](**self.options)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.options.items())})"


NO_PENALTY = PenaltyChoice("zero", {})


@dataclass(frozen=True)
class ProblemChoice:
    """A model and its loss, and the penalty on its kernels.

    Attributes:
        name: of a file in `fedatlas.problems`, or of a Keras model.
        options: its options.
        task: what y must be.
        components: of how many such models a mixture is made, for algorithms that mix some (FedEM).
    """

    name: str
    options: Mapping[str, Any]
    task: Task
    penalty: PenaltyChoice = NO_PENALTY
    components: int | None = None

    @property
    def about(self) -> dict[str, Any]:
        """The `problem` of an experiment."""
        return {"name": self.name, **self.options, "penalty": self.penalty.about}

    def make(self, shape: tuple[int, ...], num_classes: int | None, truth: Mapping[str, Any] | None = None) -> Problem:
        """The problem as a function of one flat vector, on inputs of this shape."""
        return registered[self.name](data=Data(shape, num_classes, truth or {}), **self.options)

    def metrics(self, clients: Clients) -> set[tuple[str, str]]:
        """The (split, metric) pairs that runs on these clients record, found out on one example."""
        problem, first = self.make(clients.shape, clients.num_classes), clients.splits["train"][0]
        w = np.zeros((1, 1, problem.num_params), np.float32)
        batch = Batch(first.x[None, :1], first.y[None, :1], np.ones((1, 1), np.float32))
        names = {*problem.example_metrics(tf.constant(w), Batch(*map(tf.constant, batch[:3]))), "objective"}
        of_model = problem.model_metrics(tf.constant(w[0]))
        return {(split, name) for split in clients.splits for name in names} | {("model", name) for name in of_model}

    def check(self, clients: Clients) -> None:
        """Checks that the clients have what it learns from.

        Raises:
            AtlasError: on labels that it cannot learn, or inputs that it cannot take.
        """
        if clients.label_shape and not self.learns_shape(clients):
            raise AtlasError(self._of_another_shape(clients.label_shape))
        if self.task in ("classes", "two classes"):
            self._check_classes(clients)
        check_inputs_of(self.name, clients)
        check_layers(self.name, self.make(clients.shape, clients.num_classes), clients.shape)

    def _of_another_shape(self, shape: tuple[int, ...]) -> str:
        number = self.task == "numbers"
        mend = "give one column of y" if number else "give y.argmax(1) if they are one-hot"
        return (
            f"the labels have the shape {list(shape)}, but {self.name} needs one {'number' if number else 'label'} for "
            f"each example: {'give y.ravel()' if math.prod(shape) == 1 else mend}."
        )

    def _check_classes(self, clients: Clients) -> None:
        if clients.num_classes is None:
            labels = (client.y for own in clients.splits.values() for client in own)
            whole = all((y == np.round(y)).all() for y in labels)
            mend = "give y.astype(int)" if whole else "number the classes, as whole numbers from 0 on"
            raise AtlasError(
                f"{self.name} learns classes, but the labels of {clients.fractional} are of a type with fractions: "
                f"{mend}."
            )
        if clients.counted:
            _check_numbering(clients)
        if self.task == "two classes" and clients.num_classes != 2:
            raise AtlasError(f"{self.name} tells two classes apart, but there are {clients.num_classes} of them.")

    def learns_shape(self, clients: Clients) -> bool:
        """Whether it learns labels with axes of their own."""
        return self.task == "no labels" or (self.name in OF_SEQUENCES and clients.label_shape == clients.shape)

    def __repr__(self) -> str:
        shown = {k: v if len(str(v)) < 40 else "..." for k, v in self.options.items()} | {"penalty": self.penalty}
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in shown.items())})"


TASKS: dict[str, Task] = {
    "binary_logistic": "two classes", "chain": "no labels", "cnn": "classes", "hinge": "two classes",
    "leaf_cnn": "classes", "least_squares": "numbers", "linear_regression": "numbers", "lstm": "classes",
    "matrix_regression": "numbers", "mlp": "classes", "mobilenet": "classes", "multinomial_logistic": "classes",
    "nearest_point": "no labels", "penalised_logistic": "two classes", "quadratic": "numbers", "resnet": "classes",
    "vit": "classes",
}  # fmt: skip
OF_SEQUENCES = {"lstm"}  # may have a label at every position
SHORT = {"softmax": "multinomial_logistic", "logistic": "binary_logistic", "linear": "linear_regression"}
USUAL: dict[str, dict[str, Any]] = {  # options that a file of an experiment would have to give
    "binary_logistic": {"nonzero_above": 0.01},
    "linear_regression": {"nonzero_above": 0.01},
    "matrix_regression": {"rank_above": 0.01},
}


class _Makers:
    """Functions by name, as attributes that an editor can complete."""

    _names: tuple[str, ...]
    _kind: str

    def __dir__(self) -> list[str]:
        return [*self._names]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._names:
            raise AttributeError(f"there is no {self._kind} '{name}'; there are: {', '.join(self._names)}.")
        return self._maker(name)

    def _maker(self, name: str) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{self._kind}: {', '.join(self._names)}"


class Problems(_Makers):
    """The models of the atlas: `fa.problems.softmax(penalty=fa.prox.l1(0.01))`.

    `softmax`, `logistic` and `linear` are short names of `multinomial_logistic`, `binary_logistic` and
    `linear_regression`. Inputs of bytes (uint8) count as fractions of 255 in `softmax`, `mlp` and the networks.

    >>> import fedatlas as fa
    >>> fa.problems.softmax(penalty=fa.prox.l1(0.01))
    multinomial_logistic(penalty=l1(strength=0.01))
    """

    _kind = "problem"
    _names = (*SHORT, *TASKS)

    def _maker(self, name: str) -> Any:
        full = SHORT.get(name, name)
        cls = registered[full]

        def make(
            *, penalty: PenaltyChoice = NO_PENALTY, components: int | None = None, **options: Any
        ) -> ProblemChoice:
            options = USUAL.get(full, {}) | options
            check_component(f"problems.{name}", cls, options, skip=("data",))
            return ProblemChoice(full, options, TASKS[full], checked(penalty), components)

        return _named(make, name, cls)


class Penalties(_Makers):
    """The penalties and constraints of the atlas.

    >>> import fedatlas as fa
    >>> fa.prox.l1(0.01)
    l1(strength=0.01)
    """

    _kind = "penalty"

    @property
    def _names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(penalties)

    def _maker(self, name: str) -> Any:
        cls = penalties[name]
        fields = [field.name for field in dataclasses.fields(cls)]

        def make(*values: Any, **options: Any) -> PenaltyChoice:
            if len(values) > len(fields):
                most = f"{len(fields)} ({', '.join(fields)})" if fields else "none"
                raise AtlasError(f"prox.{name} has {len(values)} values, but takes {most}.")
            options = dict(zip(fields, values, strict=False)) | options
            check_component(f"prox.{name}", cls, options)
            return PenaltyChoice(name, options)

        return _named(make, name, cls)


def check_problem(given: Any) -> ProblemChoice:
    if not isinstance(given, ProblemChoice):
        raise AtlasError(f"'problem' is {given!r}, but must be one of fa.problems or fa.keras_problem.")
    return given


def checked(penalty: Any) -> PenaltyChoice:
    if not isinstance(penalty, PenaltyChoice):
        raise AtlasError(f"'penalty' is {penalty!r}, but must be one of fa.prox, such as fa.prox.l1(0.01).")
    return penalty


def _named(make: Any, name: str, cls: type) -> Any:
    make.__name__ = make.__qualname__ = name
    make.__doc__ = inspect.getdoc(cls)
    return make


problems = Problems()
prox = Penalties()


def _check_numbering(clients: Clients) -> None:
    """Checks that the labels that occur are most of 0 .. num_classes - 1, with 0 among them."""
    number = clients.num_classes or 0
    found = np.unique(np.concatenate([client.y.ravel() for own in clients.splits.values() for client in own]))
    if found[0] == 0 and 2 * len(found) >= number:
        return
    what = f"only {len(found)} of the labels 0 to {number - 1} occur" if found[0] == 0 else "no label is 0"
    raise AtlasError(f"{what}: number the classes from 0 on, or give classes={number} to fa.clients.")
