"""The page of the data: every client store that the runs read, whose it is, where it comes from, and pictures of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fedatlas.data.catalogue import datasets
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.kinds import DataKind
from fedatlas.data.sources import Source, size_in_words
from fedatlas.data.store import ClientStore
from fedatlas.data.summary import disk_bytes, shapes
from fedatlas.data.titles import about, title
from fedatlas.errors import AtlasError
from fedatlas.formatting import grouped, ranges, span
from fedatlas.report.model.figure import anchor
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import figure_order
from fedatlas.report.pages import layout
from fedatlas.report.stores.pictures import draw_heterogeneity, draw_store
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.manifest import DatasetInfo


@dataclass(frozen=True)
class Choice:
    """A data set with its options; one store for each seed.

    Attributes:
        runs_say: what the runs' manifests say of the stores, by id, one for each seed.
        stores: the folder of the client stores.
        uses: (address, words) of the figures whose runs read it.
        whose: what it is beside a paper's data, in words.
    """

    stores: Path
    runs_say: dict[str, DatasetInfo] = field(default_factory=dict)
    uses: dict[str, str] = field(default_factory=dict)
    whose: dict[str, None] = field(default_factory=dict)

    @property
    def first(self) -> DatasetInfo:
        return next(iter(self.runs_say.values()))

    @cached_property
    def store(self) -> ClientStore | None:
        """The store of the first seed; None if it is not on this disk, whole: no run that is to be done may need it."""
        folder = self.stores / self.first.id
        with contextlib.suppress(AtlasError):
            return ClientStore.open(folder) if folder.is_dir() else None
        return None

    def sources(self, known: Mapping[str, Source]) -> list[Source]:
        """What it is made from; nothing if it is generated."""
        if self.first.name not in datasets or self.first.kind == DataKind.STAND_IN:
            return []
        dataset = datasets[self.first.name]
        return [known[name] for name in dataset.sources if name in known] if issubclass(dataset, Fetched) else []

    @property
    def label(self) -> str:
        """The title and what tells it from others of the title: 'CIFAR-10 dirichlet (alpha 0.3)'."""
        options = self.first.options
        told: dict[str, Any] = {key: options[key] for key in ("variant", "partition") if key in options}
        stand_in = ", stand-in" if self.first.kind == DataKind.STAND_IN else ""
        return f"{title(self.first.name)} {in_words(told)}".strip() + stand_in


def write_data(inputs: SiteInputs) -> None:
    """Writes `data.html` and its pictures."""
    choices = _choices(inputs)
    parts = [_part(inputs, number, choice) for number, choice in enumerate(choices)]
    spread = draw_heterogeneity(inputs.out, _labelled(choices))
    here = any(choice.store for choice in choices)
    body = layout.render("data.html.j2", groups=_groups(parts), parts=parts, spread=spread, here=here)
    layout.write_page(inputs.out, "data.html", "Data", body, inputs.navigation)


def _choices(inputs: SiteInputs) -> list[Choice]:
    """What the published runs and those of this machine read, by paper and figure, seeds together."""
    found: dict[str, Choice] = {}
    here = list(inputs.results.experiments.values())
    for results in _in_order(inputs, [*here, *(one.results for one in inputs.published.values())]):
        for run in results.all:
            dataset = run.manifest.dataset
            choice = found.setdefault(f"{dataset.name} {dataset.options}", Choice(inputs.stores))
            choice.runs_say.setdefault(dataset.id, dataset)
            choice.whose[results.whose] = None
            choice.uses.update(_use(inputs, results))
    return list(found.values())


def _in_order(inputs: SiteInputs, found: Iterable[ExperimentResults]) -> list[ExperimentResults]:
    papers = list(inputs.short_names)
    return sorted(found, key=lambda one: (papers.index(one.experiment.paper), *figure_order(one.experiment)))


def _use(inputs: SiteInputs, results: ExperimentResults) -> dict[str, str]:
    """The figure that shows the runs, by its address."""
    paper, figure = results.experiment.paper, results.experiment.figure
    return {f"{paper}.html#{anchor(figure)}": f"{inputs.short_names[paper]}, {figure}"}


def _labelled(choices: Sequence[Choice]) -> dict[str, ClientStore]:
    """The stores by label; those of one label are numbered."""
    found: dict[str, ClientStore] = {}
    for choice in choices:
        if choice.store:
            before = sum(label.split(" #")[0] == choice.label for label in found)
            found[f"{choice.label} #{before + 1}" if before else choice.label] = choice.store
    return found


def _groups(parts: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Those of one name and from the same sources together, in the order of the first of each."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for part in parts:
        groups.setdefault((part["name"], *(source.title for source in part["sources"])), []).append(part)
    return list(groups.values())


def _part(inputs: SiteInputs, number: int, choice: Choice) -> dict[str, Any]:
    """A row of the table and its section."""
    first, store = choice.first, choice.store
    part = {
        "anchor": f"data-{number}",
        "name": title(first.name),
        "about": about(first.name),
        "title": choice.label,
        "options": in_words(first.options),
        "whose": [*choice.whose],
        "stand_in": first.kind == DataKind.STAND_IN,
        "unfetched": "comes with the environment" if first.kind == DataKind.REAL else "generated here",
        "uses": choice.uses,
        "sources": choice.sources(inputs.sources),
        "seeds": ranges(dataset.seed for dataset in choice.runs_say.values()),
        "hash": first.sha256,
        "clients": span((dataset.clients for dataset in choice.runs_say.values()), "–"),
        "examples": span((dataset.examples for dataset in choice.runs_say.values()), "–"),
        "size": None,
        "facts": [],
        "pictures": [],
        "other": None,
    }
    if store is None:
        return part
    return part | {
        "size": size_in_words(disk_bytes(store.path)),
        "facts": _facts(store),
        "pictures": draw_store(inputs.out, f"figures/{first.id}", store),
        "other": store.sha256 if store.sha256 != first.sha256 else None,
    }


def _facts(store: ClientStore) -> list[tuple[str, Any]]:
    source = store.manifest["source"]
    trained = store.sizes("train")
    splits = [
        f"{split.replace('_', ' ')} {grouped(int(sizes.sum()))} on {grouped(len(sizes))} clients"
        for split, sizes in ((split, store.sizes(split)) for split in store.splits)
    ]
    facts = [
        ("from", source.get("title")),
        ("note", source.get("note")),
        ("citation", source.get("citation")),
        ("licence", source.get("licence", "generated here; as fedatlas")),
        ("examples", "; ".join(splits)),
        ("a client has", f"{span(map(int, trained))} training examples"),
        ("shape of x", " × ".join(map(str, store.features["x"].shape)) or "1"),
        ("classes", store.num_classes),
        ("arrays", shapes(store)),
        ("made with", ", ".join(f"{name} {version}" for name, version in store.manifest["created_with"].items())),
    ]
    return [(name, value) for name, value in facts if value]


def in_words(options: Mapping[str, Any]) -> str:
    """'variant I, dirichlet (clients 100, alpha 0.3), detrend, no mask'."""
    words = []
    for key, value in options.items():
        if key == "stand_in" or value is None:  # whose it is says the former
            continue
        name = key.replace("_", " ")
        if isinstance(value, Mapping):
            rest = in_words({k: v for k, v in value.items() if k != "name"})
            kind = str(value.get("name", key)).replace("_", " ")
            words.append(f"{kind} ({rest})" if rest else kind)
        elif isinstance(value, bool):
            words.append(name if value else f"no {name}")
        else:
            shown = "/".join(map(str, value)) if isinstance(value, list | tuple) else value
            words.append(f"{name} {shown}")
    return ", ".join(words)
