"""Reading a YAML file into a validated, frozen value, with errors that a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from fedatlas.errors import AtlasError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same files, ten times as fast where libyaml is there


class Strict(BaseModel):
    """A frozen model that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds.

    Raises:
        AtlasError: if the file is missing, is not YAML or does not hold a mapping.
    """
    try:
        content = _parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise AtlasError(f"{path} does not exist: check the name, or restore the file from git.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise AtlasError(f"{path}{line} is not valid YAML: {getattr(error, 'problem', error)}.") from error
    if not isinstance(content, dict):
        raise AtlasError(f"{path} must hold a mapping of keys to values, but holds {type(content).__name__}.")
    return content


def _parsed(text: str) -> Any:
    """What YAML says; a mistake is told by PyYAML's own parser, which knows its line."""
    try:
        return yaml.load(text, Loader=_LOADER)
    except yaml.YAMLError:
        return yaml.safe_load(text)


def validate(content: Any, model: type[Model], source: Path | str) -> Model:
    """`content` as a `model`.

    Raises:
        AtlasError: one sentence that names the source, the key, the value found and what is allowed.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        problems = error.errors()
        more = f" ({len(problems) - 1} more like this in the file)" if len(problems) > 1 else ""
        raise AtlasError(f"{source}: {_sentence(problems[0], model)}{more}.") from error


def _sentence(problem: ErrorDetails, model: type[BaseModel]) -> str:
    location = [str(part) for part in problem["loc"] if "[" not in str(part)]  # such as 'literal[...]', of a union
    key = ".".join(location) or "the file"
    match problem["type"]:
        case "extra_forbidden":
            allowed = ", ".join(sorted(_fields_at(model, location[:-1])))
            return f"unknown key '{key}' (value {problem['input']!r}); allowed here: {allowed}"
        case "missing":
            return f"the key '{key}' is missing"
        case "value_error":
            return f"'{key}': {problem['ctx']['error']}" if location else str(problem["ctx"]["error"])
        case _:
            message = problem["msg"][0].lower() + problem["msg"][1:]
            return f"'{key}' is {problem['input']!r}, but {message}"


def _fields_at(model: type[BaseModel], location: list[str]) -> list[str]:
    """The keys that the model nested at `location` knows; a location also names the tag of a tagged union."""
    choices = [model]
    for part in location:
        tagged = [choice for choice in choices if any(part in get_args(f.annotation) for f in _fields(choice))]
        field = choices[0].model_fields.get(part)
        if tagged:
            choices = tagged
        elif field is not None:
            choices = _models_in(field.annotation) or choices
    return [field.alias or name for name, field in choices[0].model_fields.items()]


def _fields(model: type[BaseModel]) -> list[FieldInfo]:
    return list(model.model_fields.values())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in get_args(annotation) for found in _models_in(argument)]
