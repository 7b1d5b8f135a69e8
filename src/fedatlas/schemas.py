"""JSON schemas of the configuration's files, for editors: they complete keys, explain them and mark mistakes.

They describe the files, not the values that are read from them: a file has no key that follows from its name, may leave
out what it takes from another (`extends`), and says apart what differs at smaller scales.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from fedatlas.algorithms import algorithms
from fedatlas.claims.checks import checks
from fedatlas.claims.diagnoses import DiagnosesFile
from fedatlas.claims.quantities import quantities
from fedatlas.claims.schema import Claim
from fedatlas.claims.tables import PrintedTable
from fedatlas.data import catalogue
from fedatlas.data.sources import Catalogue
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import OVERRIDES, Experiment, Variant
from fedatlas.files import write_text
from fedatlas.pipeline import Configuration
from fedatlas.problems import problems
from fedatlas.prox import penalties
from fedatlas.report.model.assumptions import Assumption
from fedatlas.report.model.papers import Paper

Schema = dict[str, Any]
_ATTRIBUTE = re.compile(
    r"^ {4,8}(\w+(?:, \w+)*): (.+?)(?=^ {4,8}\w+(?:, \w+)*: |^ {0,8}\S|\Z)", re.MULTILINE | re.DOTALL
)


def experiment() -> Schema:
    """Of config/experiments/<paper>/<id>.yaml."""
    whole = _of_model(Experiment, without=("id", "scale"))
    properties, definitions = whole["properties"], whole["$defs"]
    definitions["Dataset"]["properties"]["name"]["enum"] = [*catalogue.datasets]
    definitions["ProblemChoice"]["properties"]["name"]["enum"] = [*problems]
    definitions["Named"]["properties"]["name"]["enum"] = [*penalties]
    entry = {key: properties[key] for key in OVERRIDES}
    variant = _of_model(Variant)["properties"]
    variant["algorithm"]["enum"] = [*algorithms]
    properties["algorithms"]["additionalProperties"] = {
        "type": ["object", "null"], "properties": entry | variant, "additionalProperties": False,
    }  # fmt: skip
    part = {"type": ["object", "null"], "properties": copy.deepcopy(properties), "additionalProperties": False}
    for scale in Scale:
        if scale != Scale.PAPER:
            properties[scale.value] = part | {"description": f"What differs at {scale} scale."}
    properties["extends"] = {"type": "string", "description": "The file of the same folder that this one starts from."}
    properties["keeps"] = {
        "type": "array", "items": {"type": "string"},
        "description": "Of the other file's algorithms these alone.",
    }  # fmt: skip
    return _optional(whole)


def claims() -> Schema:
    """Of config/claims/<paper>/<anything>.yaml."""
    claim = _of_model(Claim, without=("paper",))
    definitions = claim.pop("$defs")
    bound = definitions.pop("Bound")["properties"]
    flat = []
    for kind, cls in quantities.items():
        own = _described(cls, definitions[cls.__name__])
        keys = {key: value for key, value in (own["properties"] | bound).items() if key != "quantity"}
        flat.append(own | {"properties": keys | {"kind": {"const": kind}}})
    others = [{"$ref": f"#/$defs/{cls.__name__}"} for name, cls in checks.items() if name != "bound"]
    claim["properties"]["check"] = {"anyOf": [*flat, *others], "description": "What decides the claim."}
    table = _of_model(PrintedTable)
    definitions |= table.pop("$defs")
    shared = {key: one for key, one in claim["properties"].items() if key not in ("experiment", "also")}
    required = {*claim["required"]} & {*shared} | {*table["required"]}
    table |= {"properties": shared | table["properties"], "required": sorted(required)}
    entries = {"type": "array", "items": {"anyOf": [claim, table]}}
    file = {"needs_seeds": claim["properties"]["needs_seeds"], "claims": entries}
    return {"type": "object", "properties": file, "additionalProperties": False, "$defs": definitions}


def paper() -> Schema:
    """Of config/papers/<id>.yaml."""
    return _of_model(Paper, without=("id",))


def assumptions() -> Schema:
    """Of config/assumptions/<paper>.yaml."""
    entry = _of_model(Assumption, without=("paper",))
    definitions = entry.pop("$defs", {})
    file = {"assumptions": {"type": "array", "items": entry}}
    return {"type": "object", "properties": file, "additionalProperties": False, "$defs": definitions}


def diagnoses() -> Schema:
    """Of config/diagnoses/<paper>.yaml."""
    return _of_model(DiagnosesFile)


def sources() -> Schema:
    """Of data/sources.yaml."""
    return Catalogue.model_json_schema()


def configuration() -> Schema:
    """Of config/<scale>.yaml."""
    return _of_model(Configuration)


SCHEMAS: dict[str, Callable[[], Schema]] = {
    function.__name__: function
    for function in (experiment, claims, paper, assumptions, diagnoses, sources, configuration)
}


def write_schemas(folder: Path) -> list[Path]:
    """Writes every schema as `<name>.json`."""
    paths = []
    for name, make in SCHEMAS.items():
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **make()}
        write_text(folder / f"{name}.json", json.dumps(schema, indent=1, ensure_ascii=False) + "\n")
        paths.append(folder / f"{name}.json")
    return paths


def _of_model(model: type[BaseModel], without: tuple[str, ...] = ()) -> Schema:
    """The schema of a file that holds such a value; keys that follow from its name are left out."""
    schema = _described(model, model.model_json_schema())
    for name in without:
        del schema["properties"][name]
    schema["required"] = [name for name in schema.get("required", ()) if name not in without]
    return schema


def _described(model: type[BaseModel], schema: Schema) -> Schema:
    """The schema with what the model's docstring says of its attributes."""
    for base in reversed(model.__mro__):
        for names, words in _ATTRIBUTE.findall((base.__doc__ or "").partition("Attributes:")[2]):
            for name in names.strip().removesuffix(":").split(", "):
                if name in schema["properties"]:
                    schema["properties"][name]["description"] = " ".join(words.split())
    return schema


def _optional(schema: Any) -> Any:
    """The schema of a file that may take everything from another one."""
    if isinstance(schema, dict):
        return {key: _optional(value) for key, value in schema.items() if key != "required"}
    return [_optional(value) for value in schema] if isinstance(schema, list) else schema
