"""Mixtures of linear classifiers: binary labels whose clients mix a few in proportions of their own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from fedatlas.config import MOST, REAL, Count, Whole
from fedatlas.data.datasets.base import Dataset
from fedatlas.data.generated import write_generated
from fedatlas.data.outline import Outline, seen, with_unseen
from fedatlas.data.partitioners.held_out import held_out
from fedatlas.data.partitioners.splits import splits
from fedatlas.data.store import ClientStore
from fedatlas.seeds import generator

DIMENSION, ALPHA, CODE_NOISE, CODE_TEST_EXAMPLES, MOST_EXAMPLES = 150, 0.4, 0.1, 5000, 1000
Arrays = dict[str, np.ndarray]


class MixtureOfLinearClassifiers(Dataset):
    """Marfoq et al., FedEM, NeurIPS 2021, appendix I.1.5, with the constants of the authors' program.

    n_t = min(50 + floor(lognormal(4, 2)), 1000) examples; theta_m ~ U[-1, 1]^150; x ~ U[-1, 1]^150; z ~ pi_t.

    Attributes:
        variant: `paper`: P(y = 1) = sigmoid(<x, theta_z> + eps), eps ~ N(0, 1), and every client is cut 60/20/20 into
            train, validation and test. `code`: y = 1 where <x, theta_z> + 0.1 N(0, 1) > 0, all n_t examples train and
            5000 fresh ones test. `code-as-run`: as `code`, but as the published program really does it: the labels of
            every component are written over the first ones, and what no component reaches has y = 0.
        test_examples: with `paper`, how many fresh examples test each client; those that the cut has for it are left
            out. 0 for the cut's own, a fifth of n_t. The paper's Table 1 counts 5000, as its program draws.
        mixture: `dirichlet`: pi_t ~ Dirichlet(0.4). `one-hot`: one component per client, uniform (appendix J.4).
        components: M; the paper has 3, and 2 and 3 in appendix J.4.
        clients: T; the paper has 300.
        unseen: the fraction of the clients that training never sees (section 4.2: 0.2); their splits are
            `unseen_train` and so on.
        labelled: the share of their training examples, rounded up, that the unseen clients have (appendix J.3).
    """

    variant: Literal["paper", "code", "code-as-run"]
    mixture: Literal["dirichlet", "one-hot"] = "dirichlet"
    components: Count = 3
    clients: Annotated[int, Field(strict=True, gt=1, lt=MOST)] = 300
    test_examples: Whole = 0
    unseen: Annotated[float, Field(ge=0, lt=1), REAL] = 0
    labelled: Annotated[float, Field(ge=0, le=1), REAL] = 1

    @model_validator(mode="after")
    def _fresh_tests_of_the_paper(self) -> MixtureOfLinearClassifiers:
        if self.test_examples and self.variant != "paper":
            raise ValueError(f"'test_examples' is for the variant 'paper'; '{self.variant}' always has 5000")
        return self

    @model_validator(mode="after")
    def _labelled_of_unseen(self) -> MixtureOfLinearClassifiers:
        if self.labelled != 1 and not self.unseen:
            raise ValueError("'labelled' is of the clients that training never sees: give 'unseen' too")
        return self

    @property
    def outline(self) -> Outline:
        splits = ("train", "validation", "test") if self.variant == "paper" else ("train", "test")
        return Outline(
            with_unseen(splits, self.unseen),
            seen(self.clients, self.unseen),
            MOST_EXAMPLES,
            2,
            {"theta": (self.components, DIMENSION), "pi": (self.clients, self.components)},
        )

    def write(self, path: Path, raw: Path, seed: int, name: str, options: dict[str, Any]) -> ClientStore:
        rng = generator(seed, "data")
        sizes = np.minimum(50 + rng.lognormal(4, 2, self.clients).astype(np.int64), MOST_EXAMPLES)
        pi, theta = self._weights(rng), rng.uniform(-1, 1, (self.components, DIMENSION))
        data = [self._client(size, weights, theta, rng) for size, weights in zip(sizes, pi, strict=True)]
        return write_generated(
            path,
            name=name,
            options=options,
            seed=seed,
            shape=(DIMENSION,),
            splits=self._by_seen(data, seed),
            truth={"theta": theta, "pi": pi},
            citation="Marfoq et al., Federated Multi-Task Learning under a Mixture of Distributions, NeurIPS 2021, "
            "appendix I.1.5",
            num_classes=2,
        )

    def _weights(self, rng: np.random.Generator) -> np.ndarray:
        """pi, [clients, components]."""
        if self.mixture == "one-hot":
            return np.eye(self.components)[rng.integers(self.components, size=self.clients)]
        return rng.dirichlet(np.full(self.components, ALPHA), self.clients)

    def _client(self, size: int, weights: np.ndarray, theta: np.ndarray, rng: np.random.Generator) -> dict[str, Arrays]:
        """The client's examples by split."""
        if self.variant != "paper":
            numbers = {"train": size, "test": CODE_TEST_EXAMPLES}
            return {split: self._draw(number, weights, theta, rng) for split, number in numbers.items()}
        examples = self._draw(size, weights, theta, rng)
        parts = splits([np.arange(size)], rng)
        cut = {split: {key: a[part[0]] for key, a in examples.items()} for split, part in parts.items()}
        return cut | ({"test": self._draw(self.test_examples, weights, theta, rng)} if self.test_examples else {})

    def _draw(self, size: int, weights: np.ndarray, theta: np.ndarray, rng: np.random.Generator) -> Arrays:
        x = rng.uniform(-1, 1, (size, DIMENSION))
        z = rng.choice(self.components, size, p=weights)
        if self.variant == "code-as-run":
            return _shuffled(x, _overwritten(x, np.bincount(z, minlength=self.components), theta, rng), rng)
        values = np.einsum("nd,nd->n", x, theta[z])
        if self.variant == "paper":
            y = rng.random(size) < 1 / (1 + np.exp(-values - rng.normal(size=size)))
        else:
            y = values + CODE_NOISE * rng.normal(size=size) > 0
        return {"x": x.astype(np.float32), "y": y.astype(np.int32)}

    def _by_seen(self, data: list[dict[str, Arrays]], seed: int) -> dict[str, list[tuple[str, Arrays]]]:
        groups = {"": range(self.clients)}
        if self.unseen:
            seen, unseen = held_out(self.clients, generator(seed, "partition"), fraction=self.unseen)
            groups = {"": seen, "unseen_": unseen}
            for t in unseen:
                kept = math.ceil(self.labelled * len(data[t]["train"]["y"]))
                data[t]["train"] = {key: array[:kept] for key, array in data[t]["train"].items()}
        return {
            prefix + split: [(str(t), data[t][split]) for t in clients]
            for prefix, clients in groups.items()
            for split in data[0]
        }


def _overwritten(x: np.ndarray, counts: np.ndarray, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Labels of the program as published: its offset never moves, so each component starts at the first example."""
    y = np.zeros(len(x), bool)
    for count, classifier in zip(counts, theta, strict=True):
        y[:count] = x[:count] @ classifier + CODE_NOISE * rng.normal(size=count) > 0
    return y


def _shuffled(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Arrays:
    order = rng.permutation(len(x))
    return {"x": x[order].astype(np.float32), "y": y[order].astype(np.int32)}
