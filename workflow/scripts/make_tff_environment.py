"""Makes the TFF environment from its lock and registers its kernel inside it; what is already there is kept.

make_tff_environment.py LOCK KERNEL_JSON, where KERNEL_JSON is <environment>/share/jupyter/kernels/<name>/kernel.json.
Standard library only: with `--sdm conda` this runs where the package is not installed.
"""

from __future__ import annotations

import hashlib
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


def run(sentence: str, *commands: list[str]) -> str:
    """The output of the first command that succeeds; if none does, the program ends with the sentence."""
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
        print(done.stderr, file=sys.stderr)
    return sys.exit(f"fedatlas: {sentence}.")


def make_environment(lock: Path, environment: Path) -> Path:
    """Makes the environment and returns its Python."""
    python = run(
        f"TensorFlow Federated needs Python 3.11, which was not found: {MEND}",
        ["uv", "python", "find", "--no-python-downloads", "3.11"],
    )
    made = environment / "bin" / "python"
    uv, into = ["uv", "--quiet"], ["--python", str(made)]
    run(
        f"{environment} could not be made (see above why)",
        [*uv, "venv", "--allow-existing", "--python", python, str(environment)],
    )
    run(
        f"the packages of {lock} could not be installed (see above why): check the network, the index that pip or uv "
        "is configured with and the free disk space (3 GB), and run the same command again",
        [*uv, "pip", "sync", *into, "--require-hashes", "--compile-bytecode", str(lock)],
        # uv does not read pip's configuration: where only pip knows the way out, pip is slower and gets there.
        [sys.executable, "-m", "pip", "-qq", *into, "install", "--no-deps", "--require-hashes", "-r", str(lock)],
    )
    run(
        f"the package could not be installed into {environment} (see above why)",
        [*uv, "pip", "install", *into, "--no-deps", "--no-index", "--no-build-isolation", "--editable", "."],
    )
    return made


def main(lock: Path, kernel: Path) -> None:
    python = make_environment(lock, kernel.parents[4]).absolute()
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    # Another lock means other results: the kernel is an input of every run, so its file holds the lock's hash.
    KERNEL["metadata"]["lock"] = hashlib.sha256(lock.read_bytes()).hexdigest()
    kernel.parent.mkdir(parents=True, exist_ok=True)
    partial = kernel.with_suffix(".partial")
    partial.write_text(json.dumps({"argv": command, **KERNEL}, indent=1) + "\n")
    partial.replace(kernel)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
