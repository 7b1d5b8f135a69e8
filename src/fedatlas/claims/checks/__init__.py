"""One file per kind of check. The folder is the registry: the module's name is the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import BeforeValidator, Field

from fedatlas.claims.checks._base import Check
from fedatlas.claims.quantities import quantities
from fedatlas.names import instead, nearest, shown
from fedatlas.registry import Registry

checks: Registry[Check] = Registry(__name__, Check, "check of a claim")


def _named(content: dict[str, Any], registry: Registry) -> bool:
    """Whether the kind of some content is registered."""
    return isinstance(content.get("kind"), str) and content["kind"] in registry


def _unflattened(content: Any) -> Any:
    """A bound that is written flat, with the kind and the keys of its quantity, as the check that it is."""
    if not isinstance(content, dict) or _named(content, checks):
        return content
    if "kind" not in content:
        wrong = nearest("kind", map(str, content))
        raise ValueError(f"unknown key '{wrong}'; did you mean 'kind'?" if wrong else "the key 'kind' is missing")
    kind, bounds = content["kind"], set(checks["bound"].model_fields) - {"kind", "quantity"}
    if not isinstance(kind, str) or kind not in quantities:
        raise ValueError(f"unknown kind {shown(kind)}; {instead(kind, [*quantities, *checks])}")
    allowed = bounds | set(quantities[kind].model_fields)
    for key in content:
        if key not in allowed:
            hint = instead(key, sorted(allowed), "allowed here are")
            raise ValueError(f"unknown key '{key}' (value {shown(content[key])}); {hint}")
    quantity = {key: value for key, value in content.items() if key not in bounds}
    return {"kind": "bound", "quantity": quantity, **{key: content[key] for key in content if key in bounds}}


if TYPE_CHECKING:
    AnyCheck = Check  # the union of those in the folder, which no type checker can know
else:
    AnyCheck = Annotated[Union[tuple(checks.values())], Field(discriminator="kind"), BeforeValidator(_unflattened)]

__all__ = ["AnyCheck", "Check", "checks"]
