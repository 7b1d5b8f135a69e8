"""Starts Snakemake for make: an interrupt while it is imported ends with a sentence, not with a traceback."""

import signal
import sys


def leave(number: int, _frame: object) -> None:
    print("\nfedatlas: stopped before anything ran: run the same command again.", file=sys.stderr)
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, leave)  # until the Snakefile has its own
    from snakemake.cli import main

    main()
