"""`fedatlas data`: sources, fetched files and client stores."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from fedatlas.data import catalogue
from fedatlas.data.checks import check, is_of_results
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.raw import Raw
from fedatlas.data.sources import find_source, load_sources
from fedatlas.data.store import ATTACHMENTS, ClientStore
from fedatlas.data.summary import describe
from fedatlas.data.words import explain, explain_source
from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.intact import REMEMBERED
from fedatlas.names import instead

RAW = Path("data/raw")


def add_commands(subparsers) -> None:
    """Adds `data list`, `fetch`, `build`, `check` and `describe`."""
    parser = subparsers.add_parser("data", help="data sets and client stores")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_reading(commands)

    fetch = commands.add_parser("fetch", help="fetch the files of a source, from a mirror or from their public home")
    fetch.add_argument("name", help="a source, a stand-in (`haxby-stand-in[-SIZE]`), or a data set for all it needs")
    fetch.add_argument("--raw", type=Path, default=RAW, help="the folder of fetched files")
    fetch.add_argument("--mirror", help="a folder or an http address; the variable FEDATLAS_MIRROR overrules it")
    fetch.add_argument(
        "--size", choices=["tiny", "quick", "full"], default="quick", help="size of a stand-in whose name gives none"
    )
    fetch.add_argument("--stamp", type=Path, help="a file to write the files' hashes to, when all is there")
    fetch.set_defaults(run=_fetch)

    build = commands.add_parser("build", help="make a client store")
    build.add_argument("name", help="the data set")
    build.add_argument("--options", default="{}", help="its options as JSON")
    build.add_argument("--seed", type=int, default=0)
    build.add_argument("--raw", type=Path, default=RAW, help="the folder of fetched files")
    build.add_argument("--out", type=Path, required=True, help="the folder of the store")
    build.set_defaults(run=_build)


def _add_reading(commands) -> None:
    listing = commands.add_parser("list", help="all data sets, and which of their sources have been fetched")
    listing.add_argument("--raw", type=Path, default=RAW, help="the folder of fetched files")
    listing.set_defaults(run=_list)

    checking = commands.add_parser("check", help="compare fetched files and client stores with their hashes")
    checking.add_argument("folder", type=Path, nargs="?", default=Path("data"), help="where to look, at any depth")
    checking.set_defaults(run=_check)

    description = commands.add_parser("describe", help="a data set, a source or a client store in words and numbers")
    description.add_argument("name", help="the name of a data set or a source, or the folder of a client store")
    description.set_defaults(run=_describe)


def _list(arguments: argparse.Namespace) -> None:
    for name, dataset in catalogue.datasets.items():
        title = (dataset.__doc__ or name).strip().splitlines()[0]
        if not issubclass(dataset, Fetched) or not dataset.sources:
            print(f"{name}: {title}")
            continue
        print(
            f"{name}: "
            + "; ".join(f"{find_source(source).title} ({_state(source, arguments.raw)})" for source in dataset.sources)
        )


def _state(source: str, raw: Path) -> str:
    there = Raw.look(raw, source)
    return f"fetched, {there.layout}" if there and not there.damaged() else "not fetched"


def _fetch(arguments: argparse.Namespace) -> None:
    sources = _sources(arguments.name)
    if not sources:
        print(f"{arguments.name} is made here: there is nothing to fetch.")
    fetched = [_bring(name, arguments) for name in sources]
    for raw in fetched:
        size = sum(file["size"] for file in raw.receipt["files"].values())
        print(f"{raw.folder}: {len(raw.receipt['files'])} files, {size / 1e6:.1f} MB, layout {raw.layout}, {raw.kind}")
    if arguments.stamp:
        write_text(arguments.stamp, "".join(line for raw in fetched for line in _stamp(raw)))


def _sources(name: str) -> list[str]:
    """The sources that a source's or a data set's name stands for."""
    if "-stand-in" in name or name in load_sources():
        return [name]
    if name in catalogue.datasets:
        return list(getattr(catalogue.datasets[name], "sources", ()))
    raise _unknown(name)


def _unknown(name: str) -> AtlasError:
    known = dict.fromkeys([*catalogue.names(), *load_sources()])  # some have the name of their source
    return AtlasError(f"there is no data set or source '{name}'; {instead(name, known)} `fedatlas data list` has all.")


def _bring(name: str, arguments: argparse.Namespace) -> Raw:
    # the parts of fetching that the other environment does not have
    from fedatlas.data import standins
    from fedatlas.data.fetch import fetch
    from fedatlas.data.mirror import mirror_setting

    if standins.is_standin(name):
        return standins.write(name, arguments.raw / name, size=arguments.size)
    return fetch(name, find_source(name), arguments.raw, mirror_setting(arguments.mirror))


def _stamp(raw: Raw) -> list[str]:
    """Lines that are the same whenever and from wherever the same files were fetched."""
    lines = [f"{file['sha256']}  {raw.name}/{name}\n" for name, file in sorted(raw.receipt["files"].items())]
    return [f"# {raw.name}, {raw.kind}, layout {raw.layout}\n", *lines]


def _build(arguments: argparse.Namespace) -> None:
    try:
        options = json.loads(arguments.options)
    except ValueError as error:
        raise AtlasError(f"--options is not JSON: {arguments.options}.") from error
    if not isinstance(options, dict):
        raise AtlasError(f"--options must be a JSON object of names and values, but is {arguments.options}.")
    _check_free(arguments.out)
    store = catalogue.build(arguments.name, options, arguments.seed, arguments.raw, arguments.out)
    clients = sum(len(store.ids(split)) for split in store.splits)
    print(f"{arguments.out}: {clients} clients, {sum(store.sizes(s).sum() for s in store.splits)} examples")


def _check_free(folder: Path) -> None:
    """Checks that nothing but what an earlier store had is lost when a store is made here."""
    if folder.is_file():
        raise AtlasError(f"--out names a file, {folder}: give a folder for the store.")
    files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    a_store = any(path.name.startswith("manifest.json") or _of_client(path) for path in files)
    others = [str(path) for path in files if not (a_store and _of_store(path))]
    if others:
        raise AtlasError(
            f"--out names {folder}, which holds other files ({', '.join(sorted(others)[:3])}) that would be lost: give "
            "a new folder for the store."
        )


def _of_store(path: Path) -> bool:
    kept = path.name.startswith(("manifest.json", "truth.npz")) or path.name == REMEMBERED
    return kept or path.name.endswith(".partial") or path.parts[0] == ATTACHMENTS or _of_client(path)


def _of_client(path: Path) -> bool:
    return len(path.parts) == 2 and re.fullmatch(r"\d{6}\.bin", path.name) is not None


def _check(arguments: argparse.Namespace) -> int:
    problems = 0
    for folder, problem in check(arguments.folder):
        print(f"{folder}: {problem or 'intact'}", file=sys.stderr if problem else sys.stdout)
        problems += problem is not None
    return 1 if problems else 0


def _describe(arguments: argparse.Namespace) -> None:
    name = arguments.name
    manifest = Path(name) / "manifest.json"
    if manifest.is_file() and is_of_results(manifest):
        raise AtlasError(f"{name} holds published results, and no client store: its page shows them.")
    if manifest.is_file():
        print("\n".join(describe(ClientStore.open(Path(name)))))
    elif name in catalogue.datasets:
        dataset = catalogue.datasets[name]
        print("\n".join([f"{name}", *explain(dataset)]))
        for source in getattr(dataset, "sources", ()):
            print("\n".join(explain_source(source, find_source(source))))
    elif name in load_sources():
        print("\n".join(explain_source(name, find_source(name))))
    else:
        raise _unknown(name)
