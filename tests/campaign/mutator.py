"""Mistakes in the files of the configuration, derived from their JSON schemas.

A schema says what may stand where; every rule of it gives the mistakes that break it. Every place of a schema that a
file fills is mutated once with every kind of mistake that its rules allow, so that a new key of a schema brings its
mutations with it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import yaml

Keys = tuple[str | int, ...]
Schema = dict[str, Any]
NEW_NAME = "zzqx"


@dataclass(frozen=True)
class Mutation:
    """One mistake.

    Attributes:
        kind: of mistake, such as `misspell`.
        place: the keys that lead to what is wrong, with `*` for places of lists and names: `panels.*.metric`.
        make: gives the whole file with the mistake.
        names: what a sentence about it must hold, any of these.
        right: what it must name as what was meant, if anything.
        old: what stood there; a sentence about another file that misses it names this.
    """

    kind: str
    place: str
    make: Callable[[], bytes]
    names: tuple[str, ...]
    right: str = ""
    old: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return f"{self.kind} {self.place}"


def mutations(schema: Schema, content: Any) -> Iterator[Mutation]:
    """The mistakes that a schema makes of the content of a file, each kind once at each place of the schema."""
    found: set[str] = set()
    for mutation in (*_of_the_whole(content), *_below(_Value(schema, schema, content, content))):
        if mutation.id not in found:
            found.add(mutation.id)
            yield mutation


@dataclass(frozen=True)
class _Value:
    """A value of a file.

    Attributes:
        root: the whole schema.
        schema: that of the value.
        whole: the content of the file.
        at: the keys that lead to the value.
        place: the same with `*` for places of lists and names.
    """

    root: Schema
    schema: Schema
    whole: Any
    value: Any
    at: Keys = ()
    place: tuple[str, ...] = ()

    def below(self, schema: Schema, part: str | int, known: bool = False) -> _Value:
        """A part of the value; `known` if its key is one of the schema."""
        place = (*self.place, str(part) if known else "*")
        return _Value(self.root, schema, self.whole, self.value[part], (*self.at, part), place)

    def mistake(self, kind: str, value: Any) -> Mutation:
        """The file with another value there."""
        new = (NEW_NAME,) if NEW_NAME in str(value) else ()
        return self._mutation(kind, lambda: _with(self.whole, self.at, value), (*_named(self.at), *new))

    def without(self, kind: str, key: str) -> Mutation:
        def changed() -> Any:
            copied = copy.deepcopy(self.whole)
            del _at(copied, self.at)[key]
            return copied

        return replace(self.below({}, key)._mutation(kind, changed, (key, *_named(self.at))), place=self._place(key))

    def misspelt(self, key: str) -> Mutation:
        wrong = key[:-2] + key[-1] + key[-2] if key[-1] != key[-2] else key + "s"
        found = self._mutation("misspell", lambda: _renamed(self.whole, self.at, key, wrong), (wrong,))
        return replace(found, place=self._place(key), right=key)

    def unknown(self) -> Mutation:
        return self._mutation("unknown key", lambda: _with(self.whole, (*self.at, NEW_NAME), 1), (NEW_NAME,))

    def itself(self) -> Mutation:
        return self._mutation("contains itself", lambda: _cyclic(self.whole, self.at), _named(self.at))

    def twice(self, key: str) -> Mutation:
        """The key written twice, which no mapping in memory can hold."""

        def text() -> bytes:
            doubled = _dumped(_with(self.whole, (*self.at, NEW_NAME), self.value[key]))
            return doubled.replace(f"{NEW_NAME}:".encode(), f"{json.dumps(key)}:".encode())

        return Mutation("key twice", self._place("*"), text, (key,))

    def _mutation(self, kind: str, changed: Callable[[], Any], names: tuple[str, ...]) -> Mutation:
        value = self.value if isinstance(self.value, list) else [self.value]
        old = tuple(str(one) for one in value if isinstance(one, str))
        return Mutation(kind, ".".join(self.place), lambda: _dumped(changed()), names, old=old)

    def _place(self, key: str) -> str:
        known = key in _option(self.root, self.schema, self.value).get("properties", {})
        return ".".join((*self.place, key if known else "*"))


def _option(root: Schema, schema: Schema, value: Any) -> Schema:
    """The alternative of a schema that a value follows."""
    options = [option for option in _options(root, schema) if _fits(root, option, value)]
    return max(options, key=lambda one: len(_overlap(one, value)), default={})


def _below(here: _Value) -> Iterator[Mutation]:
    """The mistakes at a value and at all that it holds."""
    option = _option(here.root, here.schema, here.value)
    if here.at:
        yield from _of_value(here)
    if isinstance(here.value, dict):
        yield from _of_mapping(option, here)
        known, others = option.get("properties", {}), option.get("additionalProperties", {})
        for key in here.value:
            below = known.get(key, others if isinstance(others, dict) else {})
            yield from _below(here.below(below, key, key in known))
    if isinstance(here.value, list):
        for place in range(len(here.value)):
            items = option.get("prefixItems", [option.get("items", {})] * len(here.value))
            yield from _below(here.below(items[min(place, len(items) - 1)], place))


def _of_mapping(option: Schema, here: _Value) -> Iterator[Mutation]:
    """Keys left out, misspelt, unknown, or there twice."""
    known = option.get("properties", {})
    for key in here.value:
        yield here.without("drop" if key in option.get("required", ()) else "leave out", key)
        if key in known and len(key) > 2:
            yield here.misspelt(key)
    if known:
        yield here.unknown()
    for key in list(here.value)[:1]:
        yield here.twice(key)


def _of_value(here: _Value) -> Iterator[Mutation]:
    """Values of another type, out of range or of an unknown name."""
    options, value = _options(here.root, here.schema), here.value
    types = {kind for option in options for kind in _types(option)}
    wrong = [*_wrong_types(types), *(one for option in options for one in _out_of_range(option, value))]
    if "number" in types or "integer" in types:
        wrong += [("infinite", float("inf")), ("not a number", float("nan")), ("huge", 10**30), ("flag", True)]
    if isinstance(value, list) and value and not isinstance(value[0], dict):
        wrong.append(("entry twice", [*value, value[0]]))
    for kind, changed in wrong:
        yield here.mistake(kind, changed)
    if isinstance(value, dict) and value:
        yield here.itself()


def _wrong_types(types: set[str]) -> Iterator[tuple[str, Any]]:
    if types and "object" not in types:
        yield "mapping for a value", {NEW_NAME: 1}
    if types and "array" not in types:
        yield ("list for a mapping" if "object" in types else "list for a value"), [NEW_NAME, 1]
    if types and not types & {"string"}:
        yield "text", NEW_NAME
    if types and types <= {"string"}:
        yield "number for text", 7
        yield "nothing", None


def _out_of_range(option: Schema, value: Any) -> Iterator[tuple[str, Any]]:
    if "enum" in option or "const" in option or option.get("type") == "string" and isinstance(value, str):
        yield "unknown name", NEW_NAME
    if "minimum" in option:
        yield "too small", option["minimum"] - 1
    if "exclusiveMinimum" in option:
        yield "too small", option["exclusiveMinimum"]
    if "maximum" in option:
        yield "too large", option["maximum"] + 1
    if "exclusiveMaximum" in option:
        yield "too large", option["exclusiveMaximum"]
    if option.get("minItems") and isinstance(value, list):
        yield "too few", value[: option["minItems"] - 1]
    if option.get("minLength"):
        yield "empty", ""
    if option.get("minProperties"):
        yield "empty", {}
    if "pattern" in option:
        yield "other form", "~" + str(value)


def _of_the_whole(content: Any) -> Iterator[Mutation]:
    """Mistakes of the file as a file."""
    text = _dumped(content)
    yield Mutation("latin-1", "", lambda: "# caf\u00e9\n".encode("latin-1") + text, ("UTF-8",))
    yield Mutation("binary", "", lambda: b"\x00\x01\x02\xff\xfe" + text, ("UTF-8", "YAML"))
    yield Mutation("utf-16", "", lambda: text.decode().encode("utf-16"), ("UTF-8", "YAML"))
    yield Mutation("cut", "", lambda: text + b"\nopen: [1, 2", ("YAML",))
    yield Mutation("a tab", "", lambda: text + b"\nzzqx:\n\t- 1\n", ("YAML",))
    yield Mutation("a list", "", lambda: b"- " + text.replace(b"\n", b"\n  "), ("mapping",))
    yield Mutation("empty", "", lambda: b"", ("mapping", "missing"))
    yield Mutation("text alone", "", lambda: b"just words\n", ("mapping",))
    yield Mutation("a tag", "", lambda: text + b"\nzzqx: !!python/object:os.system {}\n", ("YAML",))
    yield Mutation("a month too many", "", lambda: text + b"\nzzqx: 2021-13-45\n", ("YAML",))


def _options(root: Schema, schema: Schema) -> list[Schema]:
    """The alternatives of a schema, with references resolved."""
    if "$ref" in schema:
        return _options(root, root["$defs"][schema["$ref"].rpartition("/")[2]])
    several = schema.get("anyOf") or schema.get("oneOf")
    return [found for one in several for found in _options(root, one)] if several else [schema]


def _types(option: Schema) -> list[str]:
    if "type" not in option:
        return ["string"] if "enum" in option or "const" in option else []
    return option["type"] if isinstance(option["type"], list) else [option["type"]]


def _fits(root: Schema, option: Schema, value: Any) -> bool:
    """Whether an alternative is the one of a value, by its constants."""
    if not isinstance(value, dict):
        return True
    for key, one in option.get("properties", {}).items():
        constants = [each["const"] for each in _options(root, one) if "const" in each]
        if constants and key in value and value[key] not in constants:
            return False
    return True


def _overlap(option: Schema, value: Any) -> set[str]:
    named = {"object": dict, "array": list}.get(str(option.get("type")))
    if named and not isinstance(value, named):
        return set()
    return {"", *option.get("properties", ())} & {"", *(value if isinstance(value, dict) else ())}


def _named(at: Keys) -> tuple[str, ...]:
    """The last of the keys that are names, by one of which a sentence names a place."""
    names = [str(part) for part in at if not isinstance(part, int)]
    return tuple(names[-2:])


def _dumped(content: Any) -> bytes:
    return yaml.dump(content, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False).encode()


def _at(content: Any, at: Keys) -> Any:
    for part in at:
        content = content[part]
    return content


def _with(whole: Any, at: Keys, value: Any) -> Any:
    changed = copy.deepcopy(whole)
    _at(changed, at[:-1])[at[-1]] = value
    return changed


def _renamed(whole: Any, at: Keys, key: str, new: str) -> Any:
    changed = copy.deepcopy(whole)
    place = _at(changed, at)
    items = [(new if one == key else one, value) for one, value in place.items()]
    place.clear()
    place.update(items)
    return changed


def _cyclic(whole: Any, at: Keys) -> Any:
    changed = copy.deepcopy(whole)
    place = _at(changed, at)
    place[next(iter(place))] = place
    return changed
