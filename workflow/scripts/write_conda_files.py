"""Writes envs/*.yaml, for users of `snakemake --sdm conda`, from the pinned requirements. Run by `make lock`."""

from __future__ import annotations

import re
from pathlib import Path

ENVS = Path(__file__).parents[2] / "envs"
HEADER = "# Written from {lock} by `make lock`; a test keeps the two equal.\n"


def pins(lock: str) -> list[str]:
    """The requirements of a lock file without their hashes: `name==version`, with the marker if there is one."""
    return re.findall(r"^([\w.-]+==[^\\\n]+?)\s*\\?$", (ENVS / lock).read_text(), re.MULTILINE)


def conda_text(lock: str, comment: str, requirements: list[str]) -> str:
    """A conda environment of Python 3.11 in which pip installs the requirements."""
    quoted = (f'"{requirement}"' if ";" in requirement else requirement for requirement in requirements)
    head = "channels: [conda-forge, nodefaults]\ndependencies:\n  - python=3.11\n  - pip\n  - pip:\n"
    return HEADER.format(lock=lock) + comment + head + "".join(f"      - {line}\n" for line in quoted)


def conda_files() -> dict[Path, str]:
    """Both conda files and what they hold."""
    workflow = pins("workflow.txt")
    uv = [pin for pin in workflow if pin.startswith("uv==")]
    comment = (
        "# Only what makes the TFF environment: Python 3.11, which a machine may lack, and uv. The packages come from
"
        "# tff.txt: TFF's own pins contradict what can still be had, so that no solver, conda's neither, can choose them.
"
    )
    return {
        ENVS / "workflow.yaml": conda_text("workflow.txt", "", workflow),
        ENVS / "tff.yaml": conda_text("workflow.txt", comment, uv),
    }


if __name__ == "__main__":
    for path, text in conda_files().items():
        path.write_text(text)
