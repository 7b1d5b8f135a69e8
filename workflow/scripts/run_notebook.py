"""Runs one notebook headless: run_notebook.py NOTEBOOK OUTPUT --kernel NAME --log FILE [-p NAME VALUE ...].

Exit status: 0 done, 1 a cell failed, 2 bad input, 124 too long, 130/143 interrupted, 138 the kernel died. The executed
notebook appears as OUTPUT in one step at the end; after a failure what was executed lies beside the log. No kernel is
left behind, whatever ends this process.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TextIO

from fedatlas.warm import SPARED

sys.modules.update(dict.fromkeys(SPARED))

import papermill  # noqa: E402
import yaml  # noqa: E402
from nbclient.exceptions import CellTimeoutError, DeadKernelError  # noqa: E402
from traitlets.config import Config  # noqa: E402

from fedatlas.errors import AtlasError  # noqa: E402
from fedatlas.files import atomic, writing  # noqa: E402
from fedatlas.lifeline import end_children, follow_parent, terminate_self  # noqa: E402
from fedatlas.machine import check_machine  # noqa: E402
from fedatlas.scratch import make_scratch  # noqa: E402

# What the kernel writes past Python goes where file descriptors 1 and 2 point: to the log, once that is open.
TERMINAL = os.fdopen(os.dup(2), "w")
OK, FAILED, BAD_INPUT, TOO_LONG, KERNEL_DIED = 0, 1, 2, 124, 138


def say(line: str) -> None:
    print(line, file=TERMINAL, flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--kernel", required=True)
    parser.add_argument("--log", type=Path, required=True, help="takes what the notebook prints")
    parser.add_argument("-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"))
    parser.add_argument("--preload", default="", metavar="FILE", help="run in the process that kernels are forked from")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start-timeout", type=int, default=300, metavar="SECONDS")
    parser.add_argument("--execution-timeout", type=int, metavar="SECONDS", help="of one cell (default: none)")
    return parser.parse_args()


def execute(options: argparse.Namespace, log: TextIO, partial: Path, scratch: Path) -> None:
    """Executes the notebook into `partial`. Sockets, history and settings of the kernel stay in `scratch`."""
    papermill.execute_notebook(
        options.notebook,
        partial,
        {name: yaml.safe_load(value) for name, value in options.parameter},
        kernel_name=options.kernel,
        language="python",
        progress_bar=False,
        stdout_file=log,
        stderr_file=log,
        start_timeout=options.start_timeout,
        execution_timeout=options.execution_timeout,
        config=Config(
            # Sockets rather than ports, of which two kernels starting together can choose the same.
            KernelManager={"transport": "ipc", "ip": str(scratch / "kernel")},
            WarmProvisioner={"preload": options.preload},
            # Everything is written by then, and TensorFlow takes seconds to leave in good order.
            NotebookClient={"shutdown_kernel": "immediate"},
        ),
    )


def outcome(error: BaseException | None) -> tuple[int, str]:
    """The exit status and the sentence for what the execution ended with."""
    match error:
        case None:
            return OK, ""
        case papermill.PapermillExecutionError(ename="AtlasError"):
            return BAD_INPUT, error.evalue
        case papermill.PapermillExecutionError():
            return FAILED, f"cell {error.exec_count} failed with {error.ename}: {error.evalue}"
        case CellTimeoutError():
            return TOO_LONG, "a cell ran longer than --execution-timeout allows"
        case DeadKernelError():
            return KERNEL_DIED, "its kernel died, perhaps because memory ran out"
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            return BAD_INPUT, "the disk is full: free some space and run the same command again"
        case _:
            return FAILED, f"{type(error).__name__}: {error}"


def environment(threads: int, scratch: Path) -> dict[str, str]:
    """What the kernel inherits: where it is found, how many threads it may use, where it may write."""
    count = str(threads)
    kernels = [str(Path(".env/tff/share/jupyter").absolute()), os.environ.get("JUPYTER_PATH", "")]
    return {
        "JUPYTER_PATH": os.pathsep.join(filter(None, kernels)),
        "JUPYTER_DEFAULT_PROVISIONER_NAME": "fedatlas-warm",
        "JUPYTER_RUNTIME_DIR": str(scratch),
        "IPYTHONDIR": str(scratch),
        "TMPDIR": str(scratch),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "OMP_NUM_THREADS": count,
        "TF_NUM_INTRAOP_THREADS": count,
        "TF_NUM_INTEROP_THREADS": count,
    }


def run(options: argparse.Namespace, scratch: Path) -> int:
    """Runs the notebook in a second thread, so that signals reach the first one."""
    partial = options.log.with_suffix(".ipynb")
    ended: list[BaseException | None] = []
    try:
        with writing(options.log), options.log.open("w", encoding="utf-8") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            logging.basicConfig(stream=log, level=logging.WARNING)

            def work() -> None:
                try:
                    execute(options, log, partial, scratch)
                    ended.append(None)
                except BaseException as error:  # noqa: BLE001  reported below
                    ended.append(error)

            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            thread.join()
            status, sentence = outcome(ended[0])
            if status:
                log.write(f"\n{ended[0]}\n")
        if status:
            say(f"{options.notebook}: {sentence.rstrip('.')} (log: {options.log}; executed so far: {partial}).")
            return status
        with atomic(options.output) as final:
            shutil.move(partial, final)
    except AtlasError as error:
        say(f"{options.notebook}: {error}")
        return BAD_INPUT
    return OK


def main() -> int:
    options = parse()
    try:
        check_machine([options.log.parent, options.output.parent])
        scratch = make_scratch()
    except AtlasError as error:
        say(f"{options.notebook}: {error}")
        return BAD_INPUT

    def end(number: int, _frame: object) -> None:
        end_children()
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    follow_parent(terminate_self)
    os.environ.update(environment(options.threads, scratch))
    tempfile.tempdir = str(scratch)
    try:
        return run(options, scratch)
    finally:
        end_children()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
