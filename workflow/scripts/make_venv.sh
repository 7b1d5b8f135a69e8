#!/bin/sh
# make_venv.sh PYTHON FOLDER: makes the workflow environment with plain pip, from the hashes of envs/workflow.txt, and
# installs this package into it, editable. What is already there is kept.
set -eu
python=$1 venv=$2
"$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || "$python" -m venv --clear "$venv"

echo "fedatlas: making the workflow environment in $venv with $("$venv/bin/python" --version) ..."
pip() { "$venv/bin/python" -m pip -qq --disable-pip-version-check install --no-deps "$@"; }
pip --require-hashes --no-compile -r envs/workflow.txt || {
    echo "fedatlas: the packages of envs/workflow.txt could not be installed (pip says above why): check the network, \
or the index that pip is configured with, and run the same command again." >&2
    exit 1
}
pip --no-index --no-build-isolation --editable .
