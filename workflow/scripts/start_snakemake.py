"""Starts Snakemake for make.

An interrupt while it is imported ends with a sentence, not with a traceback, and no temporary folder of it stays.
"""

import signal
import sys
import tempfile


def leave(number: int, _frame: object) -> None:
    print("\nfedatlas: stopped before anything ran: run the same command again.", file=sys.stderr)
    sys.exit(128 + number)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM):  # until the Snakefile has its own
        signal.signal(number, leave)
    from fedatlas.errors import AtlasError
    from fedatlas.scratch import make_scratch

    try:
        tempfile.tempdir = str(make_scratch())
    except AtlasError as error:
        sys.exit(f"fedatlas: {error}")
    from snakemake.cli import main

    main()
