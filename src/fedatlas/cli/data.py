"""`fedatlas data`: the client stores."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fedatlas.data import catalogue
from fedatlas.errors import AtlasError


def add_commands(subparsers) -> None:
    """Adds `data build`."""
    parser = subparsers.add_parser("data", help="data sets and client stores")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="make a client store")
    build.add_argument("name", help="the data set")
    build.add_argument("--options", default="{}", help="its options as JSON")
    build.add_argument("--seed", type=int, default=0)
    build.add_argument("--raw", type=Path, default=Path("data/raw"), help="the folder of fetched files")
    build.add_argument("--out", type=Path, required=True, help="the folder of the store")
    build.set_defaults(run=_build)


def _build(arguments: argparse.Namespace) -> None:
    try:
        options = json.loads(arguments.options)
    except ValueError as error:
        raise AtlasError(f"--options is not JSON: {arguments.options}.") from error
    store = catalogue.build(arguments.name, options, arguments.seed, arguments.raw, arguments.out)
    clients = sum(len(store.ids(split)) for split in store.splits)
    print(f"{arguments.out}: {clients} clients, {sum(store.sizes(s).sum() for s in store.splits)} examples")
