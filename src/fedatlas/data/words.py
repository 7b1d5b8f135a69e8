"""Data sets and sources in words."""

from __future__ import annotations

import inspect
from typing import Any

from fedatlas.data.datasets.base import Dataset, Fetched
from fedatlas.data.sources import Source


def explain(dataset: type[Dataset]) -> list[str]:
    """Lines for a person: what the data set is, and every option with what it may be."""
    lines = (inspect.getdoc(dataset) or "").splitlines()
    schema = dataset.model_json_schema()
    lines += ["", "Options:"]
    for name, entry in schema["properties"].items():
        default = "" if name in schema.get("required", ()) else f" (if left out: {entry.get('default')})"
        lines.append(f"    {name}: {_words(entry, schema.get('$defs', {}))}{default}")
    if issubclass(dataset, Fetched) and dataset.sources:
        lines += ["", f"Sources: {', '.join(dataset.sources)}"]
    return lines


def _words(entry: dict[str, Any], nested: dict[str, Any]) -> str:
    """What a value may be, from its JSON schema."""
    match entry:
        case {"$ref": reference}:
            return _words(nested[reference.rsplit("/", 1)[-1]], nested)
        case {"oneOf": cases} | {"anyOf": cases}:
            return " | ".join(_words(case, nested) for case in cases)
        case {"enum": values}:
            return " | ".join(map(str, values))
        case {"const": value}:
            return str(value)
        case {"type": "object", "properties": properties}:
            return "{" + ", ".join(_option(name, value, nested) for name, value in properties.items()) + "}"
        case {"type": "array", "items": items}:
            return f"[{_words(items, nested)}, ...]"
        case {"type": kind}:
            return kind + _bounds(entry)
    return "anything"


def _option(name: str, entry: dict[str, Any], nested: dict[str, Any]) -> str:
    return f"{name}: {_words(entry, nested)}" + (f" = {entry['default']}" if "default" in entry else "")


def _bounds(entry: dict[str, Any]) -> str:
    signs = {"exclusiveMinimum": ">", "minimum": ">=", "exclusiveMaximum": "<", "maximum": "<="}
    bounds = [f"{sign} {entry[key]}" for key, sign in signs.items() if key in entry]
    return f" {' and '.join(bounds)}" if bounds else ""


def explain_source(name: str, source: Source) -> list[str]:
    """Lines for a person: what the source is, its licence, and the layouts that a mirror may hold."""
    lines = [f"{name}: {source.title}", f"    {source.citation}", f"    licence: {source.licence}; {source.homepage}"]
    lines += [f"    {source.note}"] if source.note else []
    for layout_name, layout in source.layouts.items():
        where = "public" if all(file.urls for file in layout.files.values()) else "from a mirror alone"
        folders = ", ".join(dict.fromkeys([f"{name}/", *(f"{folder}/" for folder in layout.folders), "./"]))
        lines += [
            f"    layout {layout_name} ({where}; in a mirror's {folders}){': ' + layout.note if layout.note else ''}"
        ]
        lines += [f"        {file_name} ({file.words})" for file_name, file in layout.files.items()]
    return lines
