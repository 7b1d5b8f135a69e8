"""`fa.algorithms`: what there is, by what paper, with which hyper-parameters, and what each algorithm needs."""

from __future__ import annotations

import difflib
import html
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

import pandas as pd

from fedatlas.algorithms import Algorithm
from fedatlas.algorithms import algorithms as registered
from fedatlas.errors import AtlasError
from fedatlas.library.meanings import default_grid, meaning
from fedatlas.library.suits import Abilities, abilities

ROLES = ("init_server", "init_client", "broadcast", "start", "step", "finish", "update_server", "model")
BOUNDS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}


class Entry:
    """An algorithm: what its paper says, its hyper-parameters and what it needs. `help` of it reads as a page.

    Attributes:
        id: its name in `fa.compare`.
        cls: the class that computes it.
    """

    def __init__(self, id: str):
        self.id, self.cls = id, registered[id]
        self.__doc__ = self._page()

    @property
    def name(self) -> str:
        """As figures write it."""
        return self.cls.name

    @property
    def paper(self) -> str:
        """Authors, venue and year."""
        return self.cls.citation

    @property
    def summary(self) -> str:
        """One sentence."""
        return _docstring(self.cls).split("\n\n")[0].replace("\n", " ")

    @property
    def abilities(self) -> Abilities:
        """What it can do."""
        return abilities(self.cls)

    @cached_property
    def hyperparameters(self) -> pd.DataFrame:
        """A row for each: its meaning, its bounds and its usual grid."""
        grid = default_grid(self.id)
        rows = [
            {
                "name": name,
                "meaning": meaning(self.id, name),
                "bounds": _bounds(bounds),
                "usual grid": _listed(grid[name]),
            }
            for name, bounds in self.cls.hyperparameters().items()
        ]
        return pd.DataFrame(rows).set_index("name").rename_axis(None)

    @property
    def needs(self) -> str:
        """What it needs beyond clients that take local steps, in words."""
        return ", ".join(_needs(self.abilities)) or "nothing special"

    @property
    def code(self) -> str:
        """Its update equations: the roles that its file writes, or those of the file that it starts from."""
        return "\n".join(_roles(self.cls))

    def _page(self) -> str:
        grid = [f"    {name}  ({row['bounds']}; usual grid {row['usual grid']})\n        {row['meaning']}"
                for name, row in self.hyperparameters.iterrows()]  # fmt: skip
        parts = [
            f"{self.name}: {self.paper}",
            _docstring(self.cls),
            "Hyper-parameters\n" + "\n".join(grid),
            f"Needs: {self.needs}.\n{_penalty(self.abilities)}",
            "Equations, in which every array has the axes [configuration, client, ...]\n"
            + textwrap.indent(self.code, "    "),
            f'Call: fa.compare(["{self.id}"], problem, clients)',
        ]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"{self.name} ({self.paper})"

    def _repr_html_(self) -> str:
        body = "".join(f"<p>{html.escape(text)}</p>" for text in _docstring(self.cls).split("\n\n"))
        return (
            f"<h3>{html.escape(self.name)}</h3><p>{html.escape(self.paper)}</p>{body}"
            f"{self.hyperparameters.to_html()}<p>Needs: {html.escape(self.needs)}.</p>"
            f"<pre>{html.escape(self.code)}</pre>"
        )


class Algorithms(Mapping[str, Entry]):
    """The algorithms of the atlas: a table in a notebook, each as an attribute: `fa.algorithms.feddualavg`."""

    def __getitem__(self, name: str) -> Entry:
        return Entry(name)

    def __iter__(self) -> Iterator[str]:
        return iter(registered)

    def __len__(self) -> int:
        return len(registered)

    def __getattr__(self, name: str) -> Any:
        if name in registered:
            return Entry(name)
        if name.startswith("_") or hasattr(import_module("fedatlas.algorithms"), name):
            return getattr(import_module("fedatlas.algorithms"), name)  # for who imports the package of this name
        similar = difflib.get_close_matches(name, registered, n=1)
        raise AttributeError(f"there is no algorithm '{name}'{f'; did you mean {similar[0]}?' if similar else '.'}")

    def __dir__(self) -> list[str]:
        return [*registered, "table", "register"]

    def register(self, cls: type[Algorithm], name: str | None = None) -> Entry:
        """Makes an algorithm of your own known by a name, that of its class if not given.

        Raises:
            AtlasError: if the atlas has one of that name.
        """
        name = name or cls.__name__.lower()
        registered.register(name, cls)
        return Entry(name)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each algorithm."""
        rows = []
        for id in registered:
            entry, able = Entry(id), abilities(registered[id])
            rows.append(
                {
                    "id": id, "name": entry.name, "paper": entry.paper, "in a sentence": entry.summary,
                    "hyper-parameters": ", ".join(entry.cls.hyperparameters()), "needs": entry.needs,
                    "uses the penalty": able.penalty, "local momentum": able.momentum, "client weights": able.weights,
                    "unequal steps": able.unequal_steps,
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("id").rename_axis(None)

    def __repr__(self) -> str:
        return self.table[["name", "paper", "hyper-parameters", "needs"]].to_string()

    def _repr_html_(self) -> str:
        return self.table.to_html()


def _docstring(cls: type) -> str:
    return inspect.cleandoc(cls.__doc__ or "")


def _bounds(bounds: Mapping[str, float]) -> str:
    return " and ".join(f"{BOUNDS[kind]} {limit:g}" for kind, limit in bounds.items()) or "any"


def _listed(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in values)


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


def _penalty(able: Abilities) -> str:
    first = "It uses the penalty." if able.penalty else "It ignores the penalty."
    steps = "" if able.unequal_steps else " Clients that take more local steps count for more."
    momentum = "" if able.momentum else " It is for plain local steps, without momentum."
    return first + steps + momentum


def _roles(cls: type[Algorithm]) -> list[str]:
    """The text of every role, from the class that writes it."""
    found = []
    for role in ROLES:
        owner = next(base for base in cls.__mro__ if role in vars(base))
        if owner is Algorithm and role in ("init_server", "init_client", "broadcast", "model"):
            continue
        try:
            found.append(textwrap.dedent(inspect.getsource(vars(owner)[role])).rstrip())
        except (OSError, TypeError) as error:
            raise AtlasError(f"the source of {cls.__name__}.{role} cannot be read: {error}.") from error
    return found


algorithms = Algorithms()
