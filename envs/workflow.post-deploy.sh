#!/bin/sh
# Run by `snakemake --sdm conda` in the new environment: installs this package into it, editable, without the network.
pip install --no-deps --no-index --no-build-isolation --quiet --editable .
