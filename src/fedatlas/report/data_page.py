"""The page of the data: every client store that the runs read, where it comes from, and pictures of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedatlas.data.sources import size_in_words
from fedatlas.data.store import ClientStore
from fedatlas.data.summary import disk_bytes, shapes
from fedatlas.report import provenance, shell
from fedatlas.report.data_pictures import draw_heterogeneity, draw_store
from fedatlas.report.material import Material


@dataclass(frozen=True)
class Choice:
    """A data set with its options; one store for each seed.

    Attributes:
        runs_say: what the runs' manifests say of the stores, one for each seed.
        store: the store of the first seed; None if it is not on this disk.
    """

    runs_say: list[Mapping[str, Any]]
    store: ClientStore | None

    @property
    def name(self) -> str:
        return self.runs_say[0]["name"]

    @property
    def kind(self) -> str:
        return self.runs_say[0]["kind"]

    @property
    def options(self) -> Mapping[str, Any]:
        return self.runs_say[0]["options"]

    @property
    def label(self) -> str:
        """The name and what tells it from others of the name: 'lasso variant I', 'cifar10 dirichlet (alpha 0.3)'."""
        told = {key: self.options[key] for key in ("variant", "partition") if key in self.options}
        return f"{self.name} {in_words(told)}".strip() + (", stand-in" if self.kind == "stand-in" else "")


def write_data(material: Material, planned: Sequence[str]) -> None:
    """Writes `data.html` and its pictures."""
    choices = _choices(material)
    parts = [_part(material.out, number, choice) for number, choice in enumerate(choices)]
    spread = draw_heterogeneity(material.out, _labelled(choices))
    body = shell.render("data.html.j2", parts=parts, spread=spread)
    shell.write_page(material.out, "data.html", "Data", body, planned=planned)


def _choices(material: Material) -> list[Choice]:
    """What the runs read, in the order of the experiments, the seeds together.

    If nothing was run here, what the published runs read, whose stores are elsewhere.
    """
    here = provenance.all_runs(material.evidence)
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for run in here or [run for one in material.published.values() for run in one.runs]:
        dataset = run.manifest["dataset"]
        found.setdefault(f"{dataset['name']} {dataset['options']}", {}).setdefault(dataset["id"], dataset)
    stores = [_store(material.clients / next(iter(by_id))) if here else None for by_id in found.values()]
    return [Choice(list(by_id.values()), store) for by_id, store in zip(found.values(), stores, strict=True)]


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
    first, store = choice.runs_say[0], choice.store
    part = {
        "anchor": f"data-{number}",
        "name": choice.name,
        "title": choice.label,
        "options": in_words(choice.options),
        "kind": choice.kind,
        "seeds": ", ".join(str(dataset["seed"]) for dataset in choice.runs_say),
        "hash": first["sha256"],
        "splits": [("all", _grouped(first["clients"]), _grouped(first["examples"]))],
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
            (split.replace("_", " "), _grouped(len(store.ids(split))), _grouped(int(store.sizes(split).sum())))
            for split in store.splits
        ],
        "shape": " × ".join(map(str, store.features["x"].shape)) or "1",
        "classes": store.num_classes,
        "size": size_in_words(disk_bytes(store.path)),
        "facts": _facts(store),
        "pictures": draw_store(out, f"figures/{first['id']}", store),
        "other": store.sha256 if store.sha256 != first["sha256"] else None,
    }


def _grouped(number: int) -> str:
    """'60 000'."""
    return f"{number:,}".replace(",", "\u202f")


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
