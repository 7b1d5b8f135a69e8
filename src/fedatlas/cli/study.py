"""`fedatlas new`, `study` and `algorithms`: the atlas on clients of one's own."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from fedatlas.lazy import need_tensorflow


def add_commands(subparsers: argparse._SubParsersAction) -> None:
    new = subparsers.add_parser("new", help="write a folder for a study on clients of your own")
    new.add_argument("folder", type=Path, help="the folder to create")
    new.set_defaults(run=_new)
    study = subparsers.add_parser("study", help="run the study of a folder that `fedatlas new` wrote")
    study.add_argument("--folder", type=Path, default=Path(), help="the study's folder; the current one if not given")
    study.set_defaults(run=_show)
    steps = study.add_subparsers(metavar="STEP", help="one step alone, for Snakemake")
    train = steps.add_parser("train", help="run one algorithm")
    train.add_argument("algorithm")
    train.set_defaults(run=_train)
    steps.add_parser("show", help="write tables and page of all").set_defaults(run=_show)
    listed = subparsers.add_parser("algorithms", help="list the algorithms, or show one")
    listed.add_argument("algorithm", nargs="?")
    listed.set_defaults(run=_algorithms)


def _new(options: argparse.Namespace) -> None:
    from fedatlas.library.new import write_new

    names = write_new(options.folder)
    print(f"fedatlas: {options.folder} holds {', '.join(names)}.")
    beside = Path(sys.executable).parent
    run = beside / "snakemake"
    command = f"{run} --cores all" if run.is_file() else f"{beside / 'fedatlas'} study"
    print(f"Next: cd {options.folder} && {command}")


def _train(options: argparse.Namespace) -> None:
    _workspace(options).train(options.algorithm)


def _show(options: argparse.Namespace) -> None:
    print(_workspace(options).show())
    print(f"Page: {options.folder / 'results/page/index.html'}")


def _workspace(options: argparse.Namespace):
    _go_where_tensorflow_is()
    from fedatlas.library.workspace import Workspace

    return Workspace.open(options.folder)


def _go_where_tensorflow_is() -> None:
    """Lets the Python that has TensorFlow Federated do the same, where this one has it not."""
    from fedatlas.library.new import runner

    python = runner()
    if python != sys.executable:
        os.execv(python, [python, "-m", "fedatlas", *sys.argv[1:]])
    need_tensorflow()


def _algorithms(options: argparse.Namespace) -> None:
    from fedatlas.library.gallery import algorithms

    print(algorithms[options.algorithm].__doc__ if options.algorithm else algorithms)
