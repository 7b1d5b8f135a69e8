"""Writes envs/*.yaml, for users of `snakemake --sdm conda`, from the pinned requirements. Run by `make lock`."""

from __future__ import annotations

import re
from pathlib import Path

ENVS = Path(__file__).parents[2] / "envs"
HEAD = """\
# Written from workflow.txt by `make lock`; a test keeps the two equal.
{comment}channels: [conda-forge, nodefaults]
dependencies:
  - python=3.11
  - pip
  - pip:
"""
TFF_COMMENT = """\
# Only what makes the TFF environment: Python 3.11, which a machine may lack, and uv. The packages come from tff.txt:
# TFF's own pins contradict what can still be had, so that no solver, conda's neither, can choose them.
"""


def pins(lock: Path) -> list[str]:
    """The requirements of a lock file without their hashes: `name==version`, with the marker if there is one."""
    return re.findall(r"^([\w.-]+==[^\\\n]+?)\s*\\?$", lock.read_text(), re.MULTILINE)


def conda_text(requirements: list[str], comment: str = "") -> str:
    """A conda environment of Python 3.11 in which pip installs the requirements."""
    quoted = (f'"{requirement}"' if ";" in requirement else requirement for requirement in requirements)
    return HEAD.format(comment=comment) + "".join(f"      - {line}\n" for line in quoted)


def conda_files() -> dict[Path, str]:
    """Both conda files and what they hold."""
    workflow = pins(ENVS / "workflow.txt")
    uv = [pin for pin in workflow if pin.startswith("uv==")]
    return {ENVS / "workflow.yaml": conda_text(workflow), ENVS / "tff.yaml": conda_text(uv, TFF_COMMENT)}


if __name__ == "__main__":
    for path, text in conda_files().items():
        path.write_text(text)
