"""What pydantic says about a value, as one sentence in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from fedatlas.config.places import written
from fedatlas.errors import Keys
from fedatlas.formatting import listed
from fedatlas.names import instead, nearest, shown

MAPPING, LIST, TEXT, WHOLE, NUMBER = "a mapping of keys to values", "a list", "text", "a whole number", "a number"
_KINDS = {
    "int_type": WHOLE, "int_parsing": WHOLE, "int_from_float": WHOLE, "int_parsing_size": WHOLE,
    "float_type": NUMBER, "float_parsing": NUMBER,
    "bool_type": "true or false", "bool_parsing": "true or false", "string_type": TEXT,
    "tuple_type": LIST, "list_type": LIST, "named_tuple_type": LIST,
    "dict_type": MAPPING, "model_type": MAPPING, "mapping_type": MAPPING, "model_attributes_type": MAPPING,
    "none_required": "left empty", "finite_number": "a finite number", "recursion_loop": "something that ends",
}  # fmt: skip
_BOUNDS = {
    "greater_than": ("above {}", "gt"), "greater_than_equal": ("at least {}", "ge"),
    "less_than": ("below {}", "lt"), "less_than_equal": ("at most {}", "le"),
    "string_too_short": ("at least {} letters long", "min_length"),
    "too_short": ("a list of at least {} entries", "min_length"),
    "too_long": ("a list of at most {} entries", "max_length"),
    "string_pattern_mismatch": ("of the form {}", "pattern"),
}  # fmt: skip
_FORMS = {
    "^https?://": "an address that begins with http:// or https://",
    "^[0-9a-f]{32}$": "32 digits of hexadecimal numbers",
    "^[0-9a-f]{64}$": "64 digits of hexadecimal numbers",
    "^[a-z]+$": "a word in small letters",
}
FEW_CHOICES = 8
MOST_NAMED = 3  # of the other mistakes in a file
_ONE = {"1 letters": "1 letter", "1 entries": "1 entry"}


class Mistake(NamedTuple):
    """The keys that lead to what is wrong, and the sentence about it."""

    key: Keys
    sentence: str


def first_of(problems: Sequence[ErrorDetails], content: Any, model: type[BaseModel]) -> Mistake:
    """The mistake to tell first, and where there are others: what is misspelt explains what is missing."""
    by_key: dict[Keys, list[ErrorDetails]] = {}
    for problem in problems:
        by_key.setdefault(_real(problem, content), []).append(problem)
    order = {"extra_forbidden": 0, "missing": 1}
    key = min(by_key, key=lambda key: min(order.get(problem["type"], 2) for problem in by_key[key]))
    missing = {other for other, found in by_key.items() if found[0]["type"] == "missing"}
    sentence = _misspelt(key, by_key[key], content) or _sentence(key, by_key[key], missing, model)
    explained = _meant(key, missing) if by_key[key][0]["type"] == "extra_forbidden" else None
    others = _told([other for other in by_key if other not in (key, explained)])
    return Mistake(key, f"{sentence.removesuffix('.')}{others}{'' if sentence.endswith('?') else '.'}")


def _told(others: Sequence[Keys]) -> str:
    """Where the other mistakes are, if there are any."""
    named = [f"'{written(key)}'" if key else "the file" for key in others[:MOST_NAMED]]
    named += [f"{len(others) - MOST_NAMED} more"] if len(others) > MOST_NAMED else []
    return f" (wrong too: {listed(named)})" if others else ""


def _meant(key: Keys, missing: set[Keys]) -> Keys | None:
    """The missing key beside an unknown one that was probably meant by it."""
    lacking = {str(other[-1]): other for other in missing if other[:-1] == key[:-1]}
    return lacking.get(nearest(key[-1], lacking) or "")


def _misspelt(key: Keys, problems: list[ErrorDetails], content: Any) -> str | None:
    """Of a key that is missing where any key may stand: the one that was probably meant to be it."""
    if problems[0]["type"] != "missing":
        return None
    for part in key[:-1]:
        content = content[part]
    wrong = nearest(key[-1], map(str, content)) if isinstance(content, Mapping) else None
    if wrong is None:
        return None
    return f"unknown key '{written((*key[:-1], wrong))}'; did you mean '{key[-1]}'?"


def _real(problem: ErrorDetails, content: Any) -> Keys:
    """The keys that stand in the content, of a location that also names the kinds of value that were tried."""
    found: list[str | int] = []
    part: Any
    for place, part in enumerate(problem["loc"]):
        last = place == len(problem["loc"]) - 1
        if (
            isinstance(content, Mapping)
            and part in content
            or isinstance(content, list | tuple)
            and isinstance(part, int)
            and part < len(content)
        ):
            content = content[part]
        elif not (last and problem["type"] == "missing"):
            continue
        found.append(part)
    return tuple(found)


def _sentence(key: Keys, problems: list[ErrorDetails], missing: set[Keys], model: type[BaseModel]) -> str:
    """The sentence about a key."""
    problem, name = problems[0], written(key) or "the file"
    match problem["type"]:
        case "extra_forbidden":
            allowed = _fields_at(model, problem["loc"][:-1])
            meant = _meant(key, missing)
            hint = f"did you mean '{meant[-1]}'?" if meant else instead(key[-1], allowed, "allowed here are")
            return f"unknown key '{name}' (value {shown(problem['input'])}); {hint}"
        case "missing":
            return f"the key '{name}' is missing"
        case "invalid_key":
            return f"the key {shown(problem['input'])} of '{name}' must be text: put it in quotes"
        case "union_tag_not_found":
            tags = str(problem["ctx"]["discriminator"]).strip("'")
            wrong = nearest(tags, map(str, problem["input"])) if isinstance(problem["input"], Mapping) else None
            if wrong:
                return f"unknown key '{name}.{wrong}'; did you mean '{tags}'?"
            return f"the key '{name}.{tags}' is missing"
        case "union_tag_invalid":
            tag, tags = problem["ctx"]["tag"], str(problem["ctx"]["discriminator"]).strip("'")
            known = re.findall(r"'([^']*)'", problem["ctx"]["expected_tags"])
            return f"'{name}.{tags}' is {shown(tag)}; {instead(tag, known)}"
        case "value_error":
            error = str(problem["ctx"]["error"])
            return f"'{name}': {error}" if key else error
        case _:
            return f"'{name}' is {shown(problem['input'])}, but must be {_allowed(problems)}"


def _allowed(problems: Iterable[ErrorDetails]) -> str:
    """What may stand there, of all kinds of value that were tried."""
    choices: list[str] = []
    kinds: list[str] = []
    value: Any = None
    for problem in problems:
        value, context = problem["input"], problem.get("ctx", {})
        if problem["type"] in ("literal_error", "enum"):
            choices += re.findall(r"'[^']*'|[\w.]+(?=,| or|$)", context["expected"])
        elif problem["type"] in _BOUNDS:
            words, limit = _BOUNDS[problem["type"]]
            text = words.format(context[limit])
            text = text.replace("a list", "a mapping") if context.get("field_type") == "Dictionary" else text
            text = next((text.replace(many, one) for many, one in _ONE.items() if f" {many}" in text), text)
            kinds.append(_FORMS.get(str(context[limit]), text))
        else:
            kinds.append(_KINDS.get(problem["type"], "something else"))
    return " or ".join([*dict.fromkeys(kinds), *_one_of(value, list(dict.fromkeys(choices)))])


def _one_of(value: Any, choices: list[str]) -> list[str]:
    if not choices:
        return []
    if len(choices) == 1:
        return choices
    meant = nearest(repr(value), choices)
    if len(choices) > FEW_CHOICES:
        return [f"one of {len(choices)} names; {instead(value, [c.strip(chr(39)) for c in choices])}".rstrip(".")]
    return [f"one of {', '.join(choices)}{f'; did you mean {meant}?' if meant else ''}"]


def _fields_at(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """The keys that the model nested at `location` knows; a location also names the tag of a tagged union."""
    choices = _models_in(model.model_fields["root"].annotation) if "root" in model.model_fields else [model]
    for part in map(str, location):
        tagged = [choice for choice in choices if any(part in get_args(f.annotation) for f in _fields(choice))]
        named = next((c.model_fields[part] for c in choices if part in c.model_fields), None)
        if tagged:
            choices = tagged
        elif named is not None:
            choices = _models_in(named.annotation) or choices
    known = Counter(field.alias or name for choice in choices for name, field in choice.model_fields.items())
    return [name for name, count in known.items() if count == len(choices)] if len(choices) > 1 else [*known]


def _fields(model: type[BaseModel]) -> list[Any]:
    return list(model.model_fields.values())


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for argument in get_args(annotation) for found in _models_in(argument)]
