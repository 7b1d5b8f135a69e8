"""`fedatlas schema`: the JSON schemas of the configuration's files."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_commands(subparsers: argparse._SubParsersAction) -> None:
    schema = subparsers.add_parser("schema", help="write the JSON schemas of the configuration's files")
    schema.add_argument("--out", type=Path, default=Path("config/schemas"), help="folder of the schemas")
    schema.set_defaults(run=_schema)


def _schema(options: argparse.Namespace) -> None:
    from fedatlas.schemas import write_schemas

    print(*write_schemas(options.out), sep="\n")
