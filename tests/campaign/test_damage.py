"""Damage of every artefact on disk: a byte flipped, cut, emptied, swapped for its like. None of it is ever believed.

An artefact is made, damaged and read: that ends in one sentence that names the file or its folder and the mend, or
gives what was written. Accepted on purpose is what no result depends on: the packages that made a store
(`created_with`).
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import configuration
import numpy as np
import pandas as pd
import pytest
from made_runs import made_manifest, write_runs
from made_sources import receipt

from fedatlas.damage import set_damaged_aside
from fedatlas.data.raw import Raw
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.pipeline import Pipeline
from fedatlas.results.published import load_published, seal
from fedatlas.results.published.read import KEPT_SCALES
from fedatlas.results.run import load_run, save_run
from fedatlas.results.run_files import Model
from fedatlas.results.table import COLUMNS
from fedatlas.running.checkpoint import Checkpoint

ROOT = Path(__file__).parents[2]
KNOWN = {scale: configuration.known(scale, "fco") for scale in KEPT_SCALES}


class Kind(NamedTuple):
    """A kind of artefact: `make` writes one of a seed into a folder, `read` says all that it holds."""

    make: Callable[[Path, int], object]
    read: Callable[[Path], Any]


def make_store(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mask = folder.parent / "mask"
    mask.write_bytes(rng.bytes(50))
    clients = {split: [(f"{n}", {"x": rng.random((4, 3))}) for n in range(2)] for split in ("train", "test")}
    write_store(
        folder, name="made", options={"a": [1, 2]}, seed=seed, kind="real", features=[Feature("x", "float64", (3,))],
        splits=clients, truth={"w": rng.random(3)}, attachments={"mask": mask},
    )  # fmt: skip


def read_store(folder: Path) -> Any:
    store = ClientStore.open(folder)
    arrays = [store.read(split, client)["x"].tobytes() for split in store.splits for client in range(2)]
    attached = [path.read_bytes() for path in store.attachments.values()]
    about = {key: value for key, value in store.manifest.items() if key != "created_with"}
    return about, arrays, store.truth["w"].tobytes(), attached


def make_run(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [(0, at, -1, "model", "f1", rng.random()) for at in range(9)]
    save_run(folder, made_manifest(seed=seed), pd.DataFrame(rows, columns=list(COLUMNS)), Model(0, rng.random(5)))


def read_run(folder: Path) -> Any:
    run = load_run(folder)
    return run.manifest, run.table.to_csv(), run.model.configuration, run.model.params.tobytes()


def make_raw(folder: Path, seed: int) -> None:
    folder.mkdir()
    for name in ("a.gz", "b.gz"):
        (folder / name).write_bytes(np.random.default_rng(seed).bytes(60))
    receipt(folder, folder.name, "original", ["a.gz", "b.gz"])


def read_raw(folder: Path) -> Any:
    raw = Raw.open(folder.parent, folder.name)
    return raw.description, raw.kind, raw.path("a.gz").read_bytes(), raw.path("b.gz").read_bytes()


def make_published(folder: Path, seed: int) -> None:
    key = ("fco/section_3_2", "fco/theorem_4_2")[seed]
    shutil.copytree(ROOT / "reports/published" / key, folder / "fco" / "section_3_2")
    for name in ("registered.json", "speed.json", "README.md"):
        (folder / name).write_text((ROOT / "reports/published" / name).read_text() + "\n" * seed)
    seal(folder)


def read_published(folder: Path) -> Any:
    load_published(folder, KNOWN)
    return {path: path.read_bytes() for path in folder.rglob("*.*")}


KINDS = {
    "store": Kind(make_store, read_store),
    "run": Kind(make_run, read_run),
    "raw": Kind(make_raw, read_raw),
    "published": Kind(make_published, read_published),
}


def damages(whole: bytes, like: bytes) -> Iterator[tuple[str, bytes]]:
    """What may become of a file's bytes, and how that is called; `like` are those of its like."""
    places = random.Random(len(whole)).choices(range(len(whole)), k=6)
    for place in {0, len(whole) - 1, *places}:
        for bit in (0x01, 0x20, 0x80):
            yield f"bit {bit} of byte {place}", bytes([*whole[:place], whole[place] ^ bit, *whole[place + 1 :]])
    yield "cut in half", whole[: len(whole) // 2]
    yield "without its last byte", whole[:-1]
    yield "empty", b""
    yield "more", whole + b"\0"
    if like != whole:
        yield "its like", like


@pytest.mark.parametrize("name", KINDS)
def test_no_damage_is_believed(tmp_path, name):
    kind, folder, other = KINDS[name], tmp_path / "one", tmp_path / "other"
    kind.make(folder, 0)
    kind.make(other, 1)
    expected, tried, told = kind.read(folder), 0, 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".verified"):
        whole, twin = path.read_bytes(), other / path.relative_to(folder)
        for what, content in damages(whole, twin.read_bytes() if twin.exists() else whole):
            path.write_bytes(content)
            sentence = said(kind, folder, expected, f"{path.relative_to(folder)}: {what}")
            tried, told = tried + 1, told + bool(sentence)
            assert not sentence or (path.name in sentence or folder.name in sentence), sentence
        path.write_bytes(whole)
    assert tried > 60 and told > 0.9 * tried
    assert kind.read(folder) == expected


def said(kind: Kind, folder: Path, expected: Any, what: str) -> str | None:
    """The sentence with which reading ended; None if it gave what was expected."""
    try:
        assert kind.read(folder) == expected, f"{what}: believed"
    except AtlasError as error:
        assert "\n" not in str(error) and str(error).endswith("."), error
        return str(error)
    return None


def test_a_damaged_checkpoint_is_never_used(tmp_path, capsys):
    checkpoint, path = Checkpoint(tmp_path / "checkpoint.npz", "settings"), tmp_path / "checkpoint.npz"
    checkpoint.save({"seconds": 1.5}, {"table": np.arange(5.0), "state": np.ones((2, 3))})
    whole = path.read_bytes()
    Checkpoint(tmp_path / "other.npz", "others").save({}, {"table": np.arange(5.0)})
    for _, content in damages(whole, (tmp_path / "other.npz").read_bytes()):
        path.write_bytes(content)
        assert checkpoint.load() is None
    assert (
        capsys.readouterr().out.count("checkpoint.npz is damaged and not used: this run starts from its beginning") > 20
    )
    path.write_bytes(whole)
    progress, arrays = checkpoint.load()
    assert progress == {"seconds": 1.5} and arrays["state"].sum() == 6


@pytest.fixture
def finished(tmp_path):
    """A pipeline, and the folders of its stores and its finished runs; of the stores there is one."""
    chosen = {"scale": "quick", "experiments": ["fco/lasso_I"], "engine": "inprocess", "shards": 1, "chunk": "auto"}
    pipeline = Pipeline({**chosen, "threads": 1, "mirror": None}, ROOT / "config/experiments")
    write_runs(tmp_path / "runs", pipeline.experiments.values())
    (name, dataset), *_ = pipeline.datasets.items()
    clients = {split: [("0", {"x": np.ones((2, 3))})] for split in ("train", "validation")}
    facts = {"name": dataset.name, "options": {"variant": "I"}, "seed": dataset.seed, "kind": "real"}
    features = [Feature("x", "float64", (3,))]
    write_store(tmp_path / "clients" / name, features=features, splits=clients, truth={"w": np.ones(3)}, **facts)
    return pipeline, tmp_path / "clients", tmp_path / "runs"


def test_what_is_damaged_is_set_aside_and_nothing_else(finished):
    pipeline, stores, runs = finished
    assert list(set_damaged_aside(*finished)) == []
    first, second, third, *_ = (runs / name for name in pipeline.runs)
    (first / "metrics.parquet").write_bytes((second / "metrics.parquet").read_bytes())
    (second / "model.npz").write_bytes(b"")
    (stores / next(iter(pipeline.datasets)) / "train/000000.bin").write_bytes(bytes(48))
    found = dict(set_damaged_aside(*finished))
    assert len(found) == 3 and not any(manifest.exists() for manifest in found)
    assert all(manifest.with_name(f"{manifest.name}.damaged").exists() for manifest in found)
    assert (third / "run.json").exists()
    sentence = found[second / "run.json"]
    assert sentence.startswith(f"{second / 'model.npz'} is not the file that the run wrote")
    assert sentence.endswith(": it is made again (run.json is now run.json.damaged).")
    assert list(set_damaged_aside(*finished)) == []


def test_a_damaged_truth_sets_its_store_aside(finished):
    pipeline, stores, _ = finished
    store = stores / next(iter(pipeline.datasets))
    (store / "truth.npz").write_bytes(b"")
    ((manifest, sentence),) = set_damaged_aside(*finished)
    assert manifest == store / "manifest.json" and sentence.startswith(f"{store / 'truth.npz'} is damaged or missing")


def test_two_runs_that_were_swapped_as_a_whole(finished):
    pipeline, _, runs = finished
    first, second, *_ = (runs / name for name in pipeline.runs)
    first.rename(runs / "first")
    second.rename(first)
    (runs / "first").rename(second)
    found = dict(set_damaged_aside(*finished))
    assert set(found) == {first / "run.json", second / "run.json"}
    assert "holds another run (quick/fco/lasso_I/" in found[first / "run.json"]
