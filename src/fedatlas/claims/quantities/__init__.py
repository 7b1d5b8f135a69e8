"""One file per kind of number that claims speak about. The folder is the registry: the module's name is the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from fedatlas.claims.quantities._base import Quantity, RoundMissingError
from fedatlas.registry import Registry

quantities: Registry[Quantity] = Registry(__name__, Quantity, "quantity of a claim")
if TYPE_CHECKING:
    AnyQuantity = Quantity  # the union of those in the folder, which no type checker can know
else:
    AnyQuantity = Annotated[Union[tuple(quantities.values())], Field(discriminator="kind")]

__all__ = ["AnyQuantity", "Quantity", "RoundMissingError", "quantities"]
