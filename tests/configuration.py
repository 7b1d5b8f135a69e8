"""The configuration of the atlas. Each part is read once for all tests, which share it: none may change it."""

from __future__ import annotations

import functools
from pathlib import Path

from fedatlas.claims.schema import Claim, load_claims
from fedatlas.experiments.spec import Experiment, load_experiments
from fedatlas.report.model.papers import Paper, load_papers

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "config"


@functools.cache
def known(scale: str, paper: str = "*") -> dict[str, Experiment]:
    """Every experiment of a paper, or of all, at a scale, by its key."""
    return load_experiments(CONFIG / "experiments", scale, paper)


@functools.cache
def claims(paper: str = "*") -> list[Claim]:
    """Those about a paper, or about all."""
    return load_claims(CONFIG / "claims", paper)


@functools.cache
def papers() -> list[Paper]:
    """With their figures, findings and tables."""
    return load_papers(CONFIG / "papers", known("paper"))


@functools.cache
def summarised() -> list[Paper]:
    """The papers that have findings, as each has once there are results."""
    return [paper for paper in papers() if paper.findings]
