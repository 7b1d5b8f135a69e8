"""A copy of the configuration in which one file at a time is wrong, checked as the workflow checks it."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from fedatlas.checking import Parts, check_single_files, check_together, read_parts
from fedatlas.claims.diagnoses import placed_diagnoses
from fedatlas.claims.schema import placed_claims
from fedatlas.config import Place
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import load_experiment
from fedatlas.report.model.assumptions import placed_assumptions
from fedatlas.report.model.papers import validated

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Project:
    """A copy of the configuration, of which one file at a time is wrong.

    Attributes:
        parts: of the whole configuration as it is committed.
    """

    root: Path
    parts: Parts

    @property
    def config(self) -> Path:
        return self.root / "config"

    def checked(self, kind: str, path: Path) -> None:
        """Checks a file anew, and all others about its paper against it."""
        if kind in ("configuration", "sources"):
            check_single_files(self.root)
            return
        paper = path.parent.name if kind in ("experiment", "claims") else path.stem
        check_together(READ[kind](self, path), paper)

    def told(self, kind: str, path: Path, text: bytes) -> str | None:
        """What is said of a file with this text; None if it is accepted."""
        whole = path.read_bytes()
        path.write_bytes(text)
        try:
            self.checked(kind, path)
        except AtlasError as error:
            return str(error)
        finally:
            path.write_bytes(whole)
        return None


def _with_experiment(project: Project, path: Path) -> Parts:
    key = f"{path.parent.name}/{path.stem}"
    scales = (Scale.PAPER, Scale.MEDIUM, Scale.QUICK)
    mine = {scale: load_experiment(path, scale) for scale in scales}
    known = {scale: {**project.parts.experiments[scale], key: mine[scale]} for scale in scales}
    return dataclasses.replace(project.parts, experiments=known)


def _with_claims(project: Project, path: Path) -> Parts:
    return dataclasses.replace(project.parts, claims=placed_claims(project.config / "claims", path.parent.name))


def _with_papers(project: Project, path: Path) -> Parts:
    mine = {path.stem: (validated(path), Place(path))}
    return dataclasses.replace(project.parts, papers=project.parts.papers | mine)


def _with_assumptions(project: Project, path: Path) -> Parts:
    return dataclasses.replace(project.parts, register=placed_assumptions(path.parent))


def _with_diagnoses(project: Project, path: Path) -> Parts:
    return dataclasses.replace(project.parts, diagnoses=placed_diagnoses(path.parent))


READ: dict[str, Callable[[Project, Path], Parts]] = {
    "experiment": _with_experiment,
    "claims": _with_claims,
    "paper": _with_papers,
    "assumptions": _with_assumptions,
    "diagnoses": _with_diagnoses,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mutated")
    shutil.copytree(ROOT / "config", root / "config")
    (root / "data").mkdir()
    shutil.copy(ROOT / "data/sources.yaml", root / "data")
    return Project(root, read_parts(root / "config"))
