"""Speed and size of the data room, and a table of every real data set that can be had.

    FEDATLAS_MIRROR=<folder or address> python benchmarks/data.py [--work FOLDER]

Every store is made in a process of its own, so that the seconds and the memory are its own. What cannot be fetched is
named below the table.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import resource
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from fedatlas.data import catalogue, standins
from fedatlas.data.download import Downloader
from fedatlas.data.fetch import fetch
from fedatlas.data.mirror import mirror_setting
from fedatlas.data.sources import load_sources
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.data.summary import disk_bytes, raw_bytes, shapes, summarise
from fedatlas.errors import AtlasError

FACES = {"categories": ["face", "house"], "detrend": True, "standardize": True}
SENTENCES = {"stride": 1, "window": 80}
CIFAR = ("cifar10", {"partition": {"name": "dirichlet", "clients": 100, "alpha": 0.3}, "splits": "standard"})


def law(name: str, splits: str = "standard", **options) -> dict:
    """The options of a labelled data set; those that are not the partitioner's are the data set's."""
    own = {key: options.pop(key) for key in ("fraction", "held_out") if key in options}
    return {"partition": {"name": name} | options, "splits": splits} | own


# the papers' choices
CHOICES = [
    ("mnist", law("equal", clients=8)),
    ("mnist_writers", law("by_group")),
    CIFAR,
    ("cifar10", law("dirichlet_equal", clients=100, alpha=0.3)),
    ("cifar10", law("dirichlet", "60/20/20", clients=80, alpha=0.4, label_groups=3, minimum=10)),
    ("cifar10", law("equal", clients=8)),
    ("cifar100", law("dirichlet", clients=100, alpha=0.3)),
    ("cifar100", law("pachinko", "60/20/20", clients=100, alpha=0.4, beta=10)),
    ("emnist", law("dirichlet", "60/20/20", clients=100, alpha=0.4, fraction=0.1, minimum=10)),
    ("femnist", {"classes": 10, "clients": 0.1, "chosen": "first", "splits": "standard"}),
    ("femnist", {"classes": 62, "clients": 539, "chosen": "random", "splits": "60/20/20"}),
    ("femnist_pools", law("by_group", "80/20")),
    ("haxby", FACES | {"train_subjects": [1, 2, 3, 4, 5], "test_subjects": [6]}),
    ("haxby_subject1", FACES | {"test_sessions": 2}),
    ("a9a", law("equal", clients=20)),
    ("a9a", law("dirichlet", clients=20, alpha=0.4)),
    ("w8a", law("pathological", clients=20, labels_per_client=1)),
    ("shakespeare", SENTENCES | {"target": "next", "alphabet": "plays", "clients": "all", "splits": "none"}),
    ("shakespeare", SENTENCES | {"target": "sequence", "alphabet": "printable", "clients": 778, "splits": "60/20/20"}),
    ("digits", law("dirichlet", "80/20", clients=20, alpha=0.4, minimum=10)),
]


def measure(job: tuple[str, dict, Path, Path]) -> dict:
    """Makes one store; what it holds and what it cost."""
    name, options, raw, out = job
    start = time.perf_counter()
    try:
        store = catalogue.build(name, options, 0, raw, out)
    except AtlasError as error:
        return {"missing": f"{name}: {error}"}
    seconds = time.perf_counter() - start
    return {
        "store": store.path.name,
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "splits": "; ".join(f"{split.name} {split.clients} / {split.examples}" for split in summarise(store)),
        "shapes": shapes(store),
        "classes": classes(store),
        "disk": disk_bytes(store.path),
        "raw": raw_bytes(store),
        "sha256": store.sha256,
        "kind": store.kind,
    }


def classes(store: ClientStore) -> str:
    """The examples of each class over all splits; of many classes the fewest and the most."""
    found = [split.class_counts for split in summarise(store)]
    if any(counts is None for counts in found):
        return f"{store.num_classes} characters"
    counts = np.sum(found, axis=0)
    return " ".join(map(str, counts)) if len(counts) <= 10 else f"{len(counts)} of {counts.min()} to {counts.max()}"


def alone(job: tuple) -> dict:
    """`measure` in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (job,))


def fetch_all(raw: Path) -> list[str]:
    """Fetches what can be had; the sentences of what cannot."""
    problems, downloader = [], Downloader(attempts=1, connect=5, progress=False)
    for name, source in load_sources().items():
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                fetch(name, source, raw, mirror_setting(), downloader)
        except AtlasError as error:
            problems.append(str(error))
    return problems


def many_writers(folder: Path) -> tuple[list[float], float]:
    """Milliseconds to open a store of FEMNIST's shape and read ten clients, 20 times; and its disk / raw bytes."""
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.normal(197, 76, 3400), 2, 400).astype(int)  # 671 585 examples of 3 400 writers
    image = rng.integers(0, 256, (400, 28, 28), np.uint8)
    label = rng.integers(0, 62, 400, np.int32)
    clients = ((f"f{writer:04d}_00", {"x": image[:n], "y": label[:n]}) for writer, n in enumerate(sizes))
    features = [Feature("x", "uint8", (28, 28)), Feature("y", "int32", ())]
    write_store(folder, name="made", options={}, seed=0, kind="stand-in", features=features, splits={"train": clients})
    taken = []
    for _ in range(20):
        start = time.perf_counter()
        store = ClientStore.open(folder)
        for client in rng.choice(3400, 10, replace=False):
            store.read("train", int(client))
        taken.append(1000 * (time.perf_counter() - start))
    return taken, disk_bytes(folder) / raw_bytes(store)


def bar(what: str, found: float, allowed: float, unit: str) -> str:
    return f"{'met ' if found <= allowed else 'MISSED'} {what}: {found:.3g} {unit} (at most {allowed:g} {unit})"


def table(found: list[dict]) -> list[str]:
    """The stores that were made, in Markdown."""
    columns = {
        "store": lambda row: row["store"],
        "kind": lambda row: row["kind"],
        "clients / examples": lambda row: row["splits"],
        "features": lambda row: row["shapes"],
        "examples of each class": lambda row: row["classes"],
        "s": lambda row: f"{row['seconds']:.1f}",
        "MB memory": lambda row: f"{row['megabytes']:.0f}",
        "MB disk": lambda row: f"{row['disk'] / 1e6:.1f}",
        "disk/arrays": lambda row: f"{row['disk'] / row['raw']:.3f}",
        "sha256": lambda row: row["sha256"][:12],
    }
    rows = [[cell(row) for cell in columns.values()] for row in found]
    return [f"| {' | '.join(row)} |" for row in (list(columns), ["---"] * len(columns), *rows)]


def main(work: Path) -> None:
    raw, clients = work / "raw", work / "clients"
    start = time.perf_counter()
    problems = fetch_all(raw)
    print(f"fetched and checked in {time.perf_counter() - start:.1f} s\n")
    jobs = [(name, options, raw, clients / catalogue.dataset_id(name, options, 0)) for name, options in CHOICES]
    made = [row for row in map(alone, jobs) if "missing" not in row]
    print("\n".join(table(made)), "\n")
    print("\n".join(["not to be had:", *(f"- {problem}" for problem in problems)]) if problems else "all was to be had")
    print("\n" + "\n".join(bars(work, made)))


def bars(work: Path, made: list[dict]) -> list[str]:
    """The promised speeds and sizes beside those found."""
    raw, clients = work / "raw", work / "clients"
    cifar = next((row for row in made if row["store"] == catalogue.dataset_id(*CIFAR, 0)), None)
    if cifar is None:
        standins.write("cifar10", raw / "cifar10-stand-in", size="full")
        cifar = alone((CIFAR[0], CIFAR[1] | {"stand_in": True}, raw, clients / "cifar10-stand-in"))
    milliseconds, ratio = many_writers(work / "writers")
    worst = max(made, key=lambda row: row["disk"] / row["raw"])
    return [
        bar(f"CIFAR-10 ({cifar['kind']}) to 100 Dirichlet clients", cifar["seconds"], 20, "s"),
        bar(f"CIFAR-10 ({cifar['kind']}), peak memory", cifar["megabytes"], 1500, "MB"),
        bar("3 400 clients opened and ten read, files in the page cache", min(milliseconds), 20, "ms")
        + f"; fastest of {len(milliseconds)}, median {statistics.median(milliseconds):.3g} ms",
        bar("size of that store", ratio, 1.1, "of its arrays"),
        bar(f"largest of the stores above ({worst['store']})", worst["disk"] / worst["raw"], 1.1, "of its arrays"),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, help="a folder to keep the files in; else they are thrown away")
    chosen = parser.parse_args().work
    if chosen:
        main(chosen)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
