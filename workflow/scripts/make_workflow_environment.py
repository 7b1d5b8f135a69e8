"""Makes the workflow environment: make_workflow_environment.py FOLDER. What is already there is kept.

uv installs the packages of envs/workflow.txt; pip installs uv, whose pin and hashes are there too.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from installing import install, install_package, leave, pip_install, run, say

LOCK = Path("envs/workflow.txt")
KERNEL = Path(".env/tff/share/jupyter/kernels/fedatlas-tff")  # which a rule makes later


def usable(python: Path) -> bool:
    """Whether there is a Python that is new enough."""
    new_enough = "import sys; sys.exit(sys.version_info < (3, 11))"
    return python.exists() and subprocess.run([python, "-c", new_enough], check=False).returncode == 0


def uv_pin(lock: str) -> str:
    """What the text of a lock says of uv: its version and hashes."""
    return re.search(r"^uv==.*(?:\n .*)*", lock, re.MULTILINE)[0]


def install_uv(python: Path) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirement:
        requirement.write(uv_pin(LOCK.read_text()) + "\n")
        requirement.flush()
        run(
            f"uv, of {LOCK}, could not be installed (pip says above why): check the network, or the index that pip is "
            "configured with, and run the same command again",
            pip_install(python, python, "--require-hashes", "-r", requirement.name),
        )


def show_kernel(folder: Path) -> None:
    """Lets Jupyter in the environment find the kernel of TensorFlow Federated, as soon as it is made."""
    link = folder / "share" / "jupyter" / "kernels" / KERNEL.name
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(KERNEL, link.parent), target_is_directory=True)


def main(folder: Path) -> None:
    started = time.monotonic()
    say(f"making the workflow environment in {folder} with Python {platform.python_version()} ...")
    say("it fetches 0.3 GB, unless uv has fetched them before, and takes 1 GB of the disk")
    python = folder / "bin" / "python"
    if not usable(python):
        run(f"{folder} could not be made (see above why)", [sys.executable, "-m", "venv", "--clear", str(folder)])
    install_uv(python)
    install(LOCK, python, python)
    install_package(python, python)
    show_kernel(folder)
    say(f"the workflow environment is made, in {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, leave)
    main(Path(sys.argv[1]))
