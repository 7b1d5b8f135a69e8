"""The command line: one subcommand per rule of the workflow.

Every module of this folder adds its subcommands through `add_commands(subparsers)`.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

from fedatlas import __version__
from fedatlas.errors import AtlasError

# The first line of the library's docstring, without its name.
_ABOUT = (sys.modules["fedatlas"].__doc__ or "").partition("\n")[0].partition(": ")[2]


def main(arguments: list[str] | None = None) -> int:
    """Runs one subcommand and returns its exit status (2 for bad input)."""
    parser = argparse.ArgumentParser(prog="fedatlas", description=_ABOUT)
    parser.add_argument("--version", action="version", version=__version__)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}").add_commands(subparsers)
    options = parser.parse_args(arguments)
    try:
        return options.run(options) or 0
    except AtlasError as error:
        print(f"fedatlas: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nfedatlas: stopped: run the same command again.", file=sys.stderr)
        return 130
