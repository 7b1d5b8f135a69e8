"""Makes the TFF environment from its lock and registers its kernel inside it; what is already there is kept.

make_tff_environment.py LOCK KERNEL_JSON, where KERNEL_JSON is <environment>/share/jupyter/kernels/<name>/kernel.json.
Standard library only: with `--sdm conda` this runs where the package is not installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

MEND = "install it (Debian, Ubuntu: apt install python3.11; anywhere: uv python install 3.11) and run this again"
KERNEL = {
    "display_name": "fedatlas (TensorFlow Federated)",
    "language": "python",
    "env": {"TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONHASHSEED": "0"},
    "metadata": {"debugger": False},
}


def run(command: list[str], sentence: str) -> str:
    """The output of a command; on failure the program ends with the sentence, after what the command complained of."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        sys.exit(f"fedatlas: {sentence}.")
    return done.stdout.strip()


def make_environment(lock: Path, environment: Path) -> Path:
    """Makes the environment and returns its Python."""
    python = run(
        ["uv", "python", "find", "--no-python-downloads", "3.11"],
        f"TensorFlow Federated needs Python 3.11, which was not found: {MEND}",
    )
    run(
        ["uv", "venv", "--quiet", "--allow-existing", "--python", python, str(environment)],
        f"{environment} cannot be made",
    )
    made = environment / "bin" / "python"
    common = ["--quiet", "--python", str(made)]
    run(
        ["uv", "pip", "sync", *common, "--require-hashes", "--compile-bytecode", str(lock)],
        f"the packages of {lock} could not be installed (see above why): check the network, the index that uv is "
        "configured with and the free disk space (3 GB), and run the same command again",
    )
    package = ["--no-deps", "--no-index", "--no-build-isolation", "--editable", "."]
    run(["uv", "pip", "install", *common, *package], f"the package could not be installed into {environment}")
    return made


def main(lock: Path, kernel: Path) -> None:
    python = make_environment(lock, kernel.parents[4]).absolute()
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.parent.mkdir(parents=True, exist_ok=True)
    partial = kernel.with_suffix(".partial")
    partial.write_text(json.dumps({"argv": command, **KERNEL}, indent=1) + "\n")
    partial.replace(kernel)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
