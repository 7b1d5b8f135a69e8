"""Starts Snakemake for make.

An interrupt while it is imported ends with a sentence, not with a traceback, and no temporary folder of it stays.
"""

import signal
import sys
import tempfile

SIGNALS = (signal.SIGINT, signal.SIGTERM)

if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until they have their handler
    from fedatlas.errors import AtlasError
    from fedatlas.scratch import leave, make_scratch

    for number in SIGNALS:  # until the Snakefile has its own
        signal.signal(number, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        tempfile.tempdir = str(make_scratch())
    except AtlasError as error:
        sys.exit(f"fedatlas: {error}")
    from snakemake.cli import main

    main()
