"""From the content of a file to a validated, frozen value."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fedatlas.config.mistakes import first_of
from fedatlas.config.places import Place
from fedatlas.errors import AtlasError


class Strict(BaseModel):
    """A frozen model that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


def validate(content: Any, model: type[Model], source: Path | Place | str) -> Model:
    """`content` as a `model`.

    Raises:
        AtlasError: one sentence that names the source, the key with its line where the source is a file, the value
            found and what is allowed.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        mistake = first_of(error.errors(), content, model)
        place = Place(source) if isinstance(source, Path) else source
        where = place.naming(mistake.key) if isinstance(place, Place) else place
        raise AtlasError(f"{where}: {mistake.sentence}", mistake.key) from error
