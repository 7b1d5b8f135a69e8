"""The product of selected hyper-parameters."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from fedatlas.claims.quantities._base import Quantity
from fedatlas.config import ONCE
from fedatlas.formatting import hyperparameter_name
from fedatlas.results.run import Run


class Product(Quantity):
    """The product of hyper-parameters of the selected configuration."""

    sweep_only: ClassVar[bool] = True
    about_settings: ClassVar[bool] = True

    kind: Literal["product"]
    of: Annotated[tuple[str, ...], Field(min_length=1), ONCE]

    @property
    def settings(self) -> tuple[str, ...]:
        return self.of

    def measure(self, run: Run) -> float:
        return float(np.prod([run.configuration[name] for name in self.of]))

    def describe(self) -> str:
        return f"selected {' × '.join(map(hyperparameter_name, self.of))}"
