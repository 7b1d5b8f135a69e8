"""The page of the data: every client store that the runs read, where it comes from, and pictures of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedatlas.data.kinds import DataKind
from fedatlas.data.sources import size_in_words
from fedatlas.data.store import ClientStore
from fedatlas.data.summary import disk_bytes, shapes
from fedatlas.formatting import grouped
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages import layout
from fedatlas.report.stores.pictures import draw_heterogeneity, draw_store
from fedatlas.results.manifest import DatasetInfo


@dataclass(frozen=True)
class Choice:
    """A data set with its options; one store for each seed.

    Attributes:
        runs_say: what the runs' manifests say of the stores, one for each seed.
        store: the store of the first seed; None if it is not on this disk.
    """

    runs_say: list[DatasetInfo]
    store: ClientStore | None

    @property
    def first(self) -> DatasetInfo:
        return self.runs_say[0]

    @property
    def label(self) -> str:
        """The name and what tells it from others of the name: 'lasso variant I', 'cifar10 dirichlet (alpha 0.3)'."""
        options = self.first.options
        told: dict[str, Any] = {key: options[key] for key in ("variant", "partition") if key in options}
        stand_in = ", stand-in" if self.first.kind == DataKind.STAND_IN else ""
        return f"{self.first.name} {in_words(told)}".strip() + stand_in


def write_data(inputs: SiteInputs) -> None:
    """Writes `data.html` and its pictures."""
    choices = _choices(inputs)
    parts = [_part(inputs.out, number, choice) for number, choice in enumerate(choices)]
    spread = draw_heterogeneity(inputs.out, _labelled(choices))
    body = layout.render("data.html.j2", parts=parts, spread=spread)
    layout.write_page(inputs.out, "data.html", "Data", body, inputs.navigation)


def _choices(inputs: SiteInputs) -> list[Choice]:
    """What the published runs and those of this machine read, those whose stores are here first, seeds together."""
    found: dict[str, dict[str, DatasetInfo]] = {}
    for run in (*inputs.results.all, *(run for one in inputs.published.values() for run in one.results.all)):
        dataset = run.manifest.dataset
        found.setdefault(f"{dataset.name} {dataset.options}", {}).setdefault(dataset.id, dataset)
    return [Choice(list(by_id.values()), _store(inputs.stores / next(iter(by_id)))) for by_id in found.values()]


def _labelled(choices: Sequence[Choice]) -> dict[str, ClientStore]:
    """The stores by label; those of one label are numbered."""
    found: dict[str, ClientStore] = {}
    for choice in choices:
        if choice.store:
            before = sum(label.split(" #")[0] == choice.label for label in found)
            found[f"{choice.label} #{before + 1}" if before else choice.label] = choice.store
    return found


def _store(folder: Path) -> ClientStore | None:
    return ClientStore.open(folder) if folder.is_dir() else None


def _part(out: Path, number: int, choice: Choice) -> dict[str, Any]:
    """A row of the table and its section."""
    first, store = choice.first, choice.store
    part = {
        "anchor": f"data-{number}",
        "name": first.name,
        "title": choice.label,
        "options": in_words(first.options),
        "kind": first.kind,
        "seeds": ", ".join(str(dataset.seed) for dataset in choice.runs_say),
        "hash": first.sha256,
        "splits": [("all", grouped(first.clients), grouped(first.examples))],
        "shape": None,
        "classes": None,
        "size": None,
        "facts": [],
        "pictures": [],
        "other": None,
    }
    if store is None:
        return part
    return part | {
        "splits": [
            (split.replace("_", " "), grouped(len(store.ids(split))), grouped(int(store.sizes(split).sum())))
            for split in store.splits
        ],
        "shape": " × ".join(map(str, store.features["x"].shape)) or "1",
        "classes": store.num_classes,
        "size": size_in_words(disk_bytes(store.path)),
        "facts": _facts(store),
        "pictures": draw_store(out, f"figures/{first.id}", store),
        "other": store.sha256 if store.sha256 != first.sha256 else None,
    }


def _facts(store: ClientStore) -> list[tuple[str, str]]:
    source = store.manifest["source"]
    sizes = store.sizes("train")
    spread = f"{sizes.min()}" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
    facts = [
        ("from", source.get("title")),
        ("note", source.get("note")),
        ("citation", source.get("citation")),
        ("licence", source.get("licence", "generated here; as fedatlas")),
        ("a client has", f"{spread} training examples"),
        ("arrays", shapes(store)),
        ("made with", ", ".join(f"{name} {version}" for name, version in store.manifest["created_with"].items())),
    ]
    return [(name, value) for name, value in facts if value]


def in_words(options: Mapping[str, Any]) -> str:
    """'variant I, dirichlet (clients 100, alpha 0.3)'."""
    words = []
    for key, value in options.items():
        if key == "stand_in" or value is None:  # the kind says the former
            continue
        if isinstance(value, Mapping):
            rest = in_words({k: v for k, v in value.items() if k != "name"})
            words.append(f"{value.get('name', key)} ({rest})" if rest else str(value.get("name", key)))
        else:
            shown = "/".join(map(str, value)) if isinstance(value, list | tuple) else value
            words.append(f"{key.replace('_', ' ')} {shown}")
    return ", ".join(words)
