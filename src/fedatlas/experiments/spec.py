"""An experiment is one YAML file; here it becomes a validated, frozen value.

    config/experiments/<paper>/<id>.yaml  --load_experiment(path, scale)-->  Experiment  --.for_algorithm(id)--> ...

The file holds the paper's setting; `quick:` and `medium:` hold what differs at those scales, and every entry of
`algorithms:` what differs for that algorithm. `extends: <id>` starts from another file of the same folder, and
`keeps: [...]` from those of its algorithms alone. There are no defaults for scientific values, and unknown keys are
errors.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from fedatlas.config import Strict, read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.fitting import check
from fedatlas.experiments.scales import SCALES, Scale
from fedatlas.experiments.sections import Dataset, Evaluation, ProblemChoice, Seeds, Selection, Training

Read = Callable[[Path], Mapping[str, Any]]


def _nonempty(grid: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    for name, values in grid.items():
        if not values or len(set(values)) != len(values):
            raise ValueError(f"the grid of '{name}' must hold one or more different numbers, but is {list(values)}")
    return grid


def _colour(text: str) -> str:
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ValueError(f"{text!r} is not '#' and six hexadecimal digits, such as '#1d4ed8'")
    return text.lower()


class Variant(Strict):
    """What an entry of `algorithms` runs; several entries may run one algorithm.

    Attributes:
        algorithm: its name in the registry; that of the entry if not given.
        label, colour: in figures; the algorithm's own if not given.
    """

    algorithm: str
    label: Annotated[str, Field(min_length=1)] | None = None
    colour: Annotated[str, AfterValidator(_colour)] | None = None


class Reading(Strict):
    """Another reading of what a paper leaves open; every claim about the main experiment is judged under it too.

    Attributes:
        of: id of the main experiment, which has the same algorithms.
        assumption: id of the assumption that is read in another way.
        how: in few words, how it is read here, such as "start: zero".
    """

    of: str
    assumption: str
    how: Annotated[str, Field(min_length=1)]


OVERRIDES = ("dataset", "problem", "training", "evaluation", "sweep", "select")


ID = re.compile("[A-Za-z][A-Za-z0-9_]*")  # ids name folders and stand in commands
ID_IN_WORDS = "letters, digits and '_', the first one a letter"


def _known_keys(entries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    allowed = (*Variant.model_fields, *OVERRIDES)
    for entry, content in entries.items():
        if not ID.fullmatch(entry):
            raise ValueError(f"'{entry}' must be {ID_IN_WORDS}")
        for key in content:
            if key not in allowed:
                raise ValueError(f"{entry} has the unknown key '{key}'; allowed there: {', '.join(allowed)}")
    return entries


class Experiment(Strict):
    """One figure or table of a paper, at one scale.

    Attributes:
        algorithms: what differs for each; an entry may be a variant of another algorithm (see `Variant`).
        reference: the entry whose last training objective is the optimum of which the others record their
            `relative_energy_error`.
        proxy_for: the paper's data, where other real data stands for it.
        reading: of which experiment it is another reading, and how; None for the main reading.
        scales: those at which it is run.
    """

    paper: str
    figure: str
    title: str
    question: str
    dataset: Dataset
    problem: ProblemChoice
    training: Training
    evaluation: Evaluation
    sweep: Annotated[dict[str, tuple[float, ...]], AfterValidator(_nonempty)]
    select: Selection
    seeds: Seeds
    algorithms: Annotated[dict[str, dict[str, Any]], Field(min_length=1), AfterValidator(_known_keys)]
    reference: str | None = None
    assumptions: tuple[str, ...] = ()
    proxy_for: str | None = None
    reading: Reading | None = None
    scales: Annotated[tuple[Scale, ...], Field(min_length=1)] = (Scale.QUICK, Scale.PAPER)
    id: str
    scale: Scale

    @property
    def key(self) -> str:
        """`<paper>/<id>`."""
        return f"{self.paper}/{self.id}"

    @property
    def runs_here(self) -> bool:
        """Whether it is run at this scale."""
        return self.scale in self.scales

    def for_algorithm(self, algorithm: str) -> Experiment:
        """The experiment as this algorithm runs it, its overrides applied.

        Raises:
            AtlasError: if the experiment does not have the algorithm.
        """
        if algorithm not in self.algorithms:
            raise AtlasError(
                f"the experiment {self.key} has no algorithm '{algorithm}'; it has: {', '.join(self.algorithms)}."
            )
        overrides = {k: v for k, v in self.algorithms[algorithm].items() if k not in Variant.model_fields}
        content = merge(self.model_dump(exclude_none=True), overrides)
        return validate(content, Experiment, f"{self.key}, algorithm {algorithm}")

    def variant(self, entry: str) -> Variant:
        """What an entry of `algorithms` runs, and what it is called."""
        given = {k: v for k, v in self.algorithms[entry].items() if k in Variant.model_fields}
        return validate({"algorithm": entry} | given, Variant, f"{self.key}, algorithm {entry}")


def merge(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with `overrides`: mappings key by key, but `dataset`, `sweep` and `select` as wholes.

    So is what gets another `name`, for whose options the old ones are not meant.
    """
    merged = dict(base)
    for key, value in overrides.items():
        parts = isinstance(value, Mapping) and key not in ("dataset", "sweep", "select")
        old = merged[key] if isinstance(merged.get(key), Mapping) else {}
        kept = not parts or value.get("name", old.get("name")) == old.get("name")
        merged[key] = merge(old if kept else {}, value) if parts else value
    return merged


def load_experiment(path: Path, scale: str) -> Experiment:
    """The experiment of one YAML file at one scale.

    Raises:
        AtlasError: if the scale is unknown or the file is wrong; names the file, the key, the value and the mend.
    """
    if scale not in SCALES:
        raise AtlasError(f"unknown scale '{scale}'; there are: {', '.join(SCALES)}.")
    if not ID.fullmatch(path.stem):
        raise AtlasError(f"{path}: the name of an experiment's file must be {ID_IN_WORDS}: rename it.")
    content = content_at(path, scale)
    for key in ("id", "scale"):
        if key in content:
            raise AtlasError(f"{path}: the key '{key}' is not for the file: it follows from its name and the command.")
    experiment = validate(content | {"id": path.stem, "scale": scale}, Experiment, path)
    if experiment.paper != path.parent.name:
        raise AtlasError(
            f"{path}: 'paper' is '{experiment.paper}', but the file lies in the folder of '{path.parent.name}'."
        )
    check(experiment, path)
    return experiment


def content_at(path: Path, scale: str, read: Read = read_yaml) -> dict[str, Any]:
    """What a file says about one scale, with what it extends, not validated; `read` gives the mapping of a file."""
    content = _extended(path, read)
    overrides: dict[str, Any] = {name: content.pop(name, {}) for name in SCALES if name != "paper"}
    return merge(content, overrides[scale] or {}) if scale != "paper" else content


def _extended(path: Path, read: Read) -> dict[str, Any]:
    content = dict(read(path))
    if "extends" not in content:
        return content
    parent = _extended(path.parent / f"{content.pop('extends')}.yaml", read)
    if "keeps" in content:
        parent = _keeping(parent, content.pop("keeps"), path)
    return merge(parent, content)


def _keeping(parent: dict[str, Any], entries: list[str], path: Path) -> dict[str, Any]:
    """The content with no other algorithms, at every scale."""
    unknown = [entry for entry in entries if entry not in parent["algorithms"]]
    if unknown:
        there = ", ".join(parent["algorithms"])
        raise AtlasError(f"{path}: 'keeps' has '{unknown[0]}', which is none of the algorithms there: {there}.")

    def kept(content: dict[str, Any]) -> dict[str, Any]:
        algorithms = content.get("algorithms", {})
        return content | {"algorithms": {entry: algorithms[entry] for entry in entries if entry in algorithms}}

    return kept(parent) | {scale: kept(parent[scale]) for scale in SCALES if scale != "paper" and scale in parent}


@functools.cache
def load_experiments(folder: Path, scale: str, paper: str = "*") -> dict[str, Experiment]:
    """The experiments of config/experiments by key, in alphabetical order, run at this scale or not (`runs_here`).

    Those of one paper, or of all if none is given.
    """
    found = [load_experiment(path, scale) for path in sorted(folder.glob(f"{paper}/*.yaml"))]
    if not found:
        raise AtlasError(f"{folder} holds no experiment files (<paper>/<id>.yaml).")
    return {experiment.key: experiment for experiment in found}


def find_experiment(folder: Path, key: str, scale: str) -> Experiment:
    """The experiment `<paper>/<id>`.

    Raises:
        AtlasError: if there is none (lists those that are), or it is not run at this scale.
    """
    path = folder / f"{key}.yaml"
    if not path.is_file():
        there = sorted(str(p.relative_to(folder).with_suffix("")) for p in folder.glob("*/*.yaml"))
        raise AtlasError(f"unknown experiment '{key}'; there are: {', '.join(there)}.")
    experiment = load_experiment(path, scale)
    if not experiment.runs_here:
        raise AtlasError(f"the experiment {key} is not run at {scale} scale, only at: {', '.join(experiment.scales)}.")
    return experiment
