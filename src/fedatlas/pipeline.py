"""What the workflow runs: its configuration, its runs, and the library files that each of them depends on."""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

import fedatlas
from fedatlas.config import Count, Strict, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.spec import Experiment, Scale, load_experiments
from fedatlas.names import instead
from fedatlas.problems import problems
from fedatlas.prox import penalties

Pattern = Annotated[str, Field(min_length=1)]
EXPERIMENTS = Path("config/experiments")


class Configuration(Strict):
    """config/<scale>.yaml: what is run at which scale, and how. Nothing in it changes a result but `scale`.

    `experiments` are keys, or patterns such as `fco/*`; with none of them the pages show what is published alone.
    """

    scale: Scale
    experiments: Literal["all"] | list[Pattern]
    engine: Literal["inprocess", "native"]
    shards: Count
    chunk: Count | Literal["all", "auto"]
    threads: Count
    mirror: str | None


@dataclass(frozen=True)
class DatasetId:
    """A client store of the workflow: what `fedatlas data build` is asked for."""

    name: str
    options: str
    seed: int


class Pipeline:
    """The experiments of a configuration, unfolded into runs and data sets.

    Raises:
        AtlasError: if the configuration or an experiment file is wrong, or an experiment is unknown.
    """

    def __init__(self, configuration: Mapping[str, Any], experiments: Path = EXPERIMENTS):
        self.configuration = validate(dict(configuration), Configuration, "the configuration (config/*.yaml, --config)")
        known = load_experiments(experiments, self.configuration.scale)
        self.experiments = self._chosen(known)
        self.runs: dict[str, RunId] = {str(run.folder): run for run in runs_of(self.experiments.values())}

    def _chosen(self, everything: dict[str, Experiment]) -> dict[str, Experiment]:
        known = {key: experiment for key, experiment in everything.items() if experiment.runs_here}
        chosen = self.configuration.experiments
        if chosen == "all":
            return known
        found = {pattern: fnmatch.filter(known, pattern) for pattern in chosen}
        papers = dict.fromkeys(f"{experiment.paper}/*" for experiment in known.values())
        for pattern, keys in found.items():
            if not keys and pattern in everything:
                scales = ", ".join(everything[pattern].scales)
                raise AtlasError(f"'experiments' holds '{pattern}', which is not run at this scale, only at: {scales}.")
            if not keys:
                raise AtlasError(
                    f"'experiments' holds '{pattern}', which matches no experiment of this scale; "
                    f"{instead(pattern, [*papers, *known])}"
                )
        return {key: known[key] for key in dict.fromkeys(itertools.chain(*found.values()))}

    @property
    def papers(self) -> list[str]:
        """The papers of which an experiment is run."""
        return sorted({experiment.paper for experiment in self.experiments.values()})

    @functools.cached_property
    def datasets(self) -> dict[str, DatasetId]:
        """Every client store that a run reads."""
        chosen = {run.dataset_id: (run.spec.dataset, run.seed) for run in self.runs.values()}
        return {
            name: DatasetId(dataset.name, json.dumps(dataset.options, sort_keys=True), dataset.seed_of(seed))
            for name, (dataset, seed) in sorted(chosen.items())
        }


def run_modules(run: RunId) -> list[str]:
    """The modules that a run's result depends on, before what those import."""
    spec = run.spec
    parts = run.method, problems[spec.problem.name], penalties[spec.problem.penalty.name]
    return ["fedatlas.running.workbench", *(part.__module__ for part in parts)]


def kinds_of_figures() -> list[str]:
    """The modules of all kinds of figures and tables, which pages find by their folders."""
    return _in_folders("fedatlas.report.views", "fedatlas.report.overviews", "fedatlas.report.tables")


def kinds_of_claims() -> list[str]:
    """The modules of all kinds of checks and quantities, which claims find by their folders."""
    return _in_folders("fedatlas.claims.checks", "fedatlas.claims.quantities")


def things_of_the_engine() -> list[str]:
    """The modules of all algorithms, problems and penalties, which notebooks find by their folders."""
    return _in_folders("fedatlas.algorithms", "fedatlas.problems", "fedatlas.prox")


def _in_folders(*folders: str) -> list[str]:
    return sorted(module for module in _graph().modules if module.rpartition(".")[0] in folders)


@functools.cache
def _graph() -> Any:
    import grimp

    return grimp.build_graph("fedatlas", cache_dir=None)


@functools.cache
def sources(*modules: str) -> list[str]:
    """The files of the modules and of all they import from the library, so that a new file concerns only its users.

    Things found by being in a folder (algorithms, problems, ...) are not imported by name, so they must be given.
    """
    graph = _graph()
    below = {found for module in modules for found in (module, *graph.find_upstream_modules(module))}
    return sorted(_file_of(module) for module in below)


@functools.cache
def fingerprint(*modules: str) -> str:
    """A digest of `sources`: a parameter of a job that makes it depend on their content.

    As input files of each of hundreds of jobs they would all be looked at whenever Snakemake chooses the next one.
    """
    return hashlib.sha256("".join(map(_digest, sources(*modules))).encode()).hexdigest()[:16]


@functools.cache
def code_of(notebook: str) -> str:
    """A digest of a notebook's code; its words, its outputs and the parameters that are given to it do not count."""
    cells = json.loads(Path(notebook).read_text(encoding="utf-8"))["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code" and "parameters" not in _tags(cell)]
    return hashlib.sha256("\n\n".join(map("".join, code)).encode()).hexdigest()[:16]


def _tags(cell: Mapping[str, Any]) -> Sequence[str]:
    return cell["metadata"].get("tags", ())


@functools.cache
def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@functools.cache
def _file_of(module: str) -> str:
    base = Path(fedatlas.__file__).parent.joinpath(*module.split(".")[1:])
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
