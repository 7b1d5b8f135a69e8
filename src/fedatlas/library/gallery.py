"""`fa.algorithms`: what there is, by what paper, with which hyper-parameters, and what each algorithm needs."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

import pandas as pd

from fedatlas.about import entry
from fedatlas.algorithms import Algorithm
from fedatlas.algorithms import algorithms as registered
from fedatlas.library import own_class
from fedatlas.names import nearest


class Entry(entry.Entry):
    """An algorithm, as a notebook shows it; `help` of it reads as a page."""

    def __init__(self, id: str):
        super().__init__(id)
        self.__doc__ = self._page()

    @cached_property
    def hyperparameters(self) -> pd.DataFrame:
        """A row for each: its meaning, its bounds and its usual grid."""
        columns = ["name", "meaning", "bounds", "usual grid"]
        return pd.DataFrame(self.parameters, columns=columns).set_index("name").rename_axis(None)

    def _page(self) -> str:
        grid = [f"    {own.name}  ({own.bounds}; usual grid {own.usual})\n        {own.meaning}"
                for own in self.parameters]  # fmt: skip
        parts = [
            f"{self.name}: {self.paper}",
            *(textwrap.fill(text, 100) for text in self.paragraphs),
            "Hyper-parameters\n" + "\n".join(grid),
            f"Needs: {self.needs}.\n{' '.join(self.limits)}",
            "Equations, in which every array has the axes [configuration, client, ...]\n"
            + textwrap.indent(self.code, "    "),
            f'Call: fa.compare(["{self.id}"], problem, clients)',
        ]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"{self.name} ({self.paper})"

    def _repr_html_(self) -> str:
        body = "".join(f"<p>{html.escape(text)}</p>" for text in self.paragraphs)
        return (
            f"<h3>{html.escape(self.name)}</h3><p>{html.escape(self.paper)}</p>{body}"
            f"{self.hyperparameters.to_html()}<p>Needs: {html.escape(self.needs)}.</p>"
            f"<pre>{html.escape(self.code)}</pre>"
        )


class Algorithms(Mapping[str, Entry]):
    """The algorithms of the atlas: a table in a notebook, each as an attribute.

    >>> import fedatlas as fa
    >>> fa.algorithms.fednova
    FedNova (Wang et al., NeurIPS 2020, equation (4))
    >>> fa.algorithms.table.loc["fedprox", "hyper-parameters"]
    'client_lr, server_lr, mu'
    """

    def __getitem__(self, name: str) -> Entry:
        return Entry(name)

    def __contains__(self, name: object) -> bool:
        return name in registered

    def get(self, name: str, default: Any = None) -> Any:  # Mapping's waits for a KeyError
        return Entry(name) if name in registered else default

    def __iter__(self) -> Iterator[str]:
        return iter(registered)

    def __len__(self) -> int:
        return len(registered)

    def __getattr__(self, name: str) -> Any:
        if name in registered:
            return Entry(name)
        if name.startswith("_") or hasattr(import_module("fedatlas.algorithms"), name):
            return getattr(import_module("fedatlas.algorithms"), name)  # for who imports the package of this name
        similar = nearest(name, registered)
        raise AttributeError(f"there is no algorithm '{name}'{f'; did you mean {similar}?' if similar else '.'}")

    def __dir__(self) -> list[str]:
        return [*registered, "table", "register"]

    def register(self, cls: type[Algorithm], name: str | None = None) -> Entry:
        """Makes an algorithm of your own known by a name, that of its class if not given.

        A `name`, `citation` and `colour` that the class does not say are filled in.

        Raises:
            AtlasError: if the atlas has one of that name, it is no subclass of `fa.Algorithm`, or one of the three is
                not what it must be.
        """
        name = name or getattr(cls, "__name__", str(cls)).lower()
        own_class.register(name, cls)
        return Entry(name)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each algorithm."""
        rows = []
        for own in map(entry.Entry, registered):
            able = own.abilities
            rows.append(
                {
                    "id": own.id, "name": own.name, "paper": own.paper, "family": own.family,
                    "in a sentence": own.summary, "hyper-parameters": ", ".join(own.cls.hyperparameters()),
                    "needs": own.needs, "uses the penalty": able.penalty, "local momentum": able.momentum,
                    "client weights": able.weights, "unequal steps": able.unequal_steps,
                }
            )  # fmt: skip
        return pd.DataFrame(rows).set_index("id").rename_axis(None)

    def __repr__(self) -> str:
        own = self.table
        width = max(map(len, own.index))
        lines = (f"{id:<{width}}  {row['name']} ({row['hyper-parameters']})" for id, row in own.iterrows())
        return "\n".join([*lines, "", "More of each in fa.algorithms.table, and of one in help(fa.algorithms.fedavg)."])

    def _repr_html_(self) -> str:
        return self.table.to_html()


algorithms = Algorithms()
