"""The `partition:` option of data sets: which partitioner, with which options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fedatlas.config import REAL, Count, Strict
from fedatlas.data.partitioners.by_group import by_group
from fedatlas.data.partitioners.dirichlet import dirichlet, dirichlet_equal
from fedatlas.data.partitioners.equal import equal
from fedatlas.data.partitioners.pachinko import pachinko
from fedatlas.data.partitioners.pathological import pathological
from fedatlas.errors import AtlasError

Concentration = Annotated[float, Field(gt=0), REAL]


@dataclass(frozen=True)
class Examples:
    """Labelled examples: x [num_examples, ...], y [num_examples], and what else a partition may go by.

    Attributes:
        ids: whom each example comes from, [num_examples].
        coarse: the coarse label of each, [num_examples].
    """

    x: np.ndarray
    y: np.ndarray
    ids: np.ndarray | None = None
    coarse: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def take(self, indices: np.ndarray) -> Examples:
        """Some of the examples."""
        ids, coarse = (None if a is None else a[indices] for a in (self.ids, self.coarse))
        return Examples(self.x[indices], self.y[indices], ids, coarse)

    def features(self, indices: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays of a client in the store: x, and y as int32."""
        return {"x": self.x[indices], "y": self.y[indices].astype(np.int32)}

    def owner(self, indices: np.ndarray) -> str:
        """Whom some examples come from, all from the same."""
        assert self.ids is not None, "these examples come from nobody"
        return str(self.ids[indices[0]])

    def __add__(self, other: Examples | None) -> Examples:
        if other is None:
            return self
        pairs = ((self.ids, other.ids), (self.coarse, other.coarse))
        ids, coarse = (None if a is None or b is None else np.concatenate([a, b]) for a, b in pairs)
        return Examples(np.concatenate([self.x, other.x]), np.concatenate([self.y, other.y]), ids, coarse)


class _Law(Strict):
    """What the laws share.

    Attributes:
        clients: None for as many as there are.
    """

    clients: Count | None = None

    @property
    def least(self) -> int:
        """The examples that every client has at least."""
        return 1

    def check(self, classes: int, examples: int | None) -> None:
        """Checks against the data what can be known before that is fetched.

        Args:
            examples: how many there are, None if only the data tells.

        Raises:
            ValueError: names the option.
        """
        if self.clients and examples and self.clients * self.least > examples:
            of = f" of at least {self.least} examples each" if self.least > 1 else ""
            raise ValueError(f"'partition.clients' is {self.clients}{of}, but there are {examples} examples")


class _Equal(_Law):
    """See `partitioners.equal`."""

    name: Literal["equal"]
    clients: Count
    shuffle: bool = True

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        return equal(examples.y, rng, num_clients=self.clients, shuffle=self.shuffle)


class _Dirichlet(_Law):
    """See `partitioners.dirichlet`: clients of different sizes."""

    name: Literal["dirichlet"]
    clients: Count
    alpha: Concentration
    label_groups: Count | None = None
    minimum: Count = 1

    @property
    def least(self) -> int:
        return self.minimum

    def check(self, classes: int, examples: int | None) -> None:
        super().check(classes, examples)
        if self.label_groups and self.label_groups > classes:
            raise ValueError(f"'partition.label_groups' is {self.label_groups}, but there are {classes} classes")

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        return dirichlet(
            examples.y,
            rng,
            num_clients=self.clients,
            alpha=self.alpha,
            label_groups=self.label_groups,
            minimum=self.minimum,
        )


class _DirichletEqual(_Law):
    """See `partitioners.dirichlet_equal`."""

    name: Literal["dirichlet_equal"]
    clients: Count
    alpha: Concentration

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        return dirichlet_equal(examples.y, rng, num_clients=self.clients, alpha=self.alpha)


class _Pachinko(_Law):
    """See `partitioners.pachinko`."""

    name: Literal["pachinko"]
    clients: Count
    alpha: Concentration
    beta: Concentration

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        if examples.coarse is None:
            raise AtlasError(
                "partition 'pachinko' needs coarse labels, which this data set does not have: use CIFAR-100."
            )
        return pachinko(
            examples.y, rng, coarse=examples.coarse, num_clients=self.clients, alpha=self.alpha, beta=self.beta
        )


class _Pathological(_Law):
    """See `partitioners.pathological`."""

    name: Literal["pathological"]
    clients: Count
    labels_per_client: Count

    @property
    def least(self) -> int:
        return self.labels_per_client

    def check(self, classes: int, examples: int | None) -> None:
        super().check(classes, examples)
        if self.clients * self.labels_per_client < classes:
            raise ValueError(
                f"'partition.labels_per_client' is {self.labels_per_client}, but {self.clients} clients with so many "
                f"cannot hold {classes} classes"
            )

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        return pathological(examples.y, rng, num_clients=self.clients, labels_per_client=self.labels_per_client)


class _ByGroup(_Law):
    """See `partitioners.by_group`: one client for each id, or for `clients` of them."""

    name: Literal["by_group"]
    minimum: Count = 1

    @property
    def least(self) -> int:
        return self.minimum

    def parts(self, examples: Examples, rng: np.random.Generator) -> list[np.ndarray]:
        if examples.ids is None:
            raise AtlasError(
                "partition 'by_group' needs to know whom examples come from, which this data set does not say."
            )
        return by_group(examples.ids, rng, num_clients=self.clients, minimum=self.minimum)


Law = Annotated[
    _Equal | _Dirichlet | _DirichletEqual | _Pachinko | _Pathological | _ByGroup, Field(discriminator="name")
]
