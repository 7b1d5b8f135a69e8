"""An algorithm as a reader meets it: its paper, its code, its hyper-parameters and what it needs."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from fedatlas.about.abilities import Abilities, abilities, refusal
from fedatlas.about.families import family
from fedatlas.about.meanings import meaning, usual_values
from fedatlas.algorithms import Algorithm
from fedatlas.algorithms import algorithms as registered
from fedatlas.algorithms.base import ROLES
from fedatlas.errors import AtlasError

BOUNDS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}


class Hyperparameter(NamedTuple):
    """What one means, what it may be, and the values that are tried unless others are given."""

    name: str
    meaning: str
    bounds: str
    usual: str


class Entry:
    """An algorithm: what its paper says, its hyper-parameters and what it needs.

    Attributes:
        id: its name in `fa.compare`.
        cls: the class that computes it.
    """

    def __init__(self, id: str):
        self.id, self.cls = id, registered[id]

    @property
    def name(self) -> str:
        """As figures write it."""
        return self.cls.name

    @property
    def paper(self) -> str:
        """Authors, venue and year."""
        return self.cls.citation

    @property
    def family(self) -> str:
        """The idea that it shares with others."""
        return family(self.id)

    @cached_property
    def paragraphs(self) -> list[str]:
        """What its file says of it: what it is, where it stands, its symbols, and what differs from the paper."""
        return [part.replace("\n", " ") for part in inspect.cleandoc(self.cls.__doc__ or "").split("\n\n")]

    @property
    def summary(self) -> str:
        """What it is, in a sentence."""
        return self.paragraphs[0]

    @property
    def abilities(self) -> Abilities:
        """What it can do."""
        return abilities(self.cls)

    @cached_property
    def parameters(self) -> list[Hyperparameter]:
        """Its hyper-parameters."""
        return [
            Hyperparameter(name, meaning(self.id, name), _bounds(bounds), _values(usual_values(self.id, name)))
            for name, bounds in self.cls.hyperparameters().items()
        ]

    @property
    def needs(self) -> str:
        """What it needs beyond clients that take local steps, in words."""
        return ", ".join(_needs(self.abilities)) or "nothing special"

    @property
    def limits(self) -> list[str]:
        """What it does with penalties, unequal steps and momentum, a sentence each."""
        return _limits(self.abilities)

    @property
    def not_a_process(self) -> str:
        """Why it cannot be a LearningProcess of TensorFlow Federated; nothing where it can."""
        return refusal(self.cls)

    @property
    def code(self) -> str:
        """Its update equations: the roles that its file writes, or those of the file that it starts from."""
        return "\n".join(text for _, text in _roles(self.cls))

    @property
    def own_code(self) -> str:
        """What its file holds besides imports and the docstrings that `paragraphs` has."""
        return _without_words(inspect.getsource(inspect.getmodule(self.cls)), self.cls.__name__)  # type: ignore[arg-type]

    @property
    def inherited(self) -> dict[str, str]:
        """By the name of another algorithm or helper, the roles that it takes from there."""
        found: dict[str, str] = {}
        for owner, text in _roles(self.cls):
            if owner.__module__ != self.cls.__module__:
                name = "what every algorithm does" if owner is Algorithm else getattr(owner, "name", owner.__name__)
                found[name] = f"{found[name]}\n\n{text}" if name in found else text
        return found


def _bounds(bounds: Mapping[str, float]) -> str:
    return " and ".join(f"{BOUNDS[kind]} {limit:g}" for kind, limit in bounds.items()) or "any"


def _values(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values) or "none, so give one"


def _needs(able: Abilities) -> list[str]:
    words = {
        "all examples in one place": not able.federated,
        "all clients in every round": able.federated and not able.sampling,
        "a state at every client": able.state,
        "exact solutions of the local problems": able.exact,
        "clients with models of their own": able.own_models,
        "a mixture of models": able.mixes,
        "a graph between the clients": able.graph,
    }
    return [word for word, needed in words.items() if needed]


def _limits(able: Abilities) -> list[str]:
    steps = [] if able.unequal_steps else ["Clients that take more local steps count for more."]
    momentum = [] if able.momentum else ["It is for plain local steps, without momentum."]
    return ["It uses the penalty." if able.penalty else "It ignores the penalty.", *steps, *momentum]


def _roles(cls: type[Algorithm]) -> list[tuple[type, str]]:
    """The text of every role that matters, with the class that writes it."""
    found = []
    for role in ROLES:
        owner = next(base for base in cls.__mro__ if role in vars(base))
        if owner is Algorithm and role in ("init_server", "init_client", "broadcast", "model"):
            continue
        try:
            found.append((owner, textwrap.dedent(inspect.getsource(vars(owner)[role])).rstrip()))
        except (OSError, TypeError) as error:
            raise AtlasError(f"the source of {cls.__name__}.{role} cannot be read: {error}.") from error
    return found


def _without_words(source: str, name: str) -> str:
    """A module's text without its docstring and imports, and without the docstring of the class of that name."""
    lines, tree = source.splitlines(), ast.parse(source)
    kept = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)]
    cls = next(node for node in kept if isinstance(node, ast.ClassDef) and node.name == name)
    words = cls.body[0]
    dropped = set(range(words.lineno, (words.end_lineno or 0) + 2)) if ast.get_docstring(cls) else set()
    first = min(decorator.lineno for decorator in [*getattr(kept[0], "decorator_list", []), kept[0]])
    return "\n".join(line for place, line in enumerate(lines, 1) if place >= first and place not in dropped)
