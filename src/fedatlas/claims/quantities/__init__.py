"""One file per kind of number that claims speak about. The folder is the registry: the module's name is the kind."""

from __future__ import annotations

from typing import Annotated, Union

from pydantic import Field

from fedatlas.claims.quantities._base import Quantity, RoundMissingError
from fedatlas.registry import Registry

quantities: Registry[Quantity] = Registry(__name__, Quantity, "quantity of a claim")
AnyQuantity = Annotated[Union[tuple(quantities.values())], Field(discriminator="kind")]

__all__ = ["AnyQuantity", "Quantity", "RoundMissingError", "quantities"]
