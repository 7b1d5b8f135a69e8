"""Makes the TFF environment from its lock and registers its kernel inside it; what is already there is kept.

make_tff_environment.py LOCK KERNEL_JSON, where KERNEL_JSON is <environment>/share/jupyter/kernels/<name>/kernel.json.
Standard library only: with `--sdm conda` this runs where the package is not installed.
"""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from installing import install, install_package, leave, run, say, try_out

MEND = "install it (Debian, Ubuntu: apt install python3.11; anywhere: uv python install 3.11) and run this again"
USED = "tensorflow_federated, ipykernel.kernelapp, pandas, pyarrow.parquet, pydantic, seaborn, tqdm"
KERNEL = {
    "display_name": "fedatlas (TensorFlow Federated)",
    "language": "python",
    "env": {"TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONHASHSEED": "0"},
    "metadata": {"debugger": False},
}


def find_python() -> str:
    """The path of a Python 3.11 on this machine."""
    search = [sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", "3.11"]
    found = subprocess.run(search, capture_output=True, text=True, check=False)
    if found.returncode:
        print(found.stderr, file=sys.stderr)
        sys.exit(f"fedatlas: TensorFlow Federated needs Python 3.11, which was not found: {MEND}.")
    return found.stdout.strip()


def make_environment(lock: Path, environment: Path) -> Path:
    """Makes the environment and returns its Python."""
    made, uv = environment / "bin" / "python", [sys.executable, "-m", "uv"]
    run(
        f"{environment} could not be made (see above why)",
        [*uv, "venv", "--quiet", "--allow-existing", "--python", find_python(), str(environment)],
    )
    install(lock, made, sys.executable, "--exact")
    install_package(made, sys.executable)
    say("starting TensorFlow Federated for the first time, which compiles it (half a minute) ...")
    try_out(made, USED)
    return made


def main(lock: Path, kernel: Path) -> None:
    started, environment = time.monotonic(), kernel.parents[4]
    say(f"making the environment of TensorFlow Federated in {environment} ...")
    say("it fetches 0.9 GB, unless uv has fetched them before, and takes 3 GB of the disk")
    python = make_environment(lock, environment).absolute()
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    # Another lock means other results: the kernel is an input of every run, so its file holds the lock's hash.
    KERNEL["metadata"]["lock"] = hashlib.sha256(lock.read_bytes()).hexdigest()
    kernel.parent.mkdir(parents=True, exist_ok=True)
    partial = kernel.with_suffix(".partial")
    partial.write_text(json.dumps({"argv": command, **KERNEL}, indent=1) + "\n")
    partial.replace(kernel)
    say(f"the environment of TensorFlow Federated is made, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, leave)
    main(*map(Path, sys.argv[1:]))
