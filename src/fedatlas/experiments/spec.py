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
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from fedatlas.config import ONCE, Names, Number, Place, Strict, validate
from fedatlas.config.ids import ID, ID_IN_WORDS, check_paper_id
from fedatlas.errors import AtlasError
from fedatlas.experiments.extending import SMALLER, content_at, merge, place_at
from fedatlas.experiments.fitting import check
from fedatlas.experiments.scales import SCALES, Scale
from fedatlas.experiments.sections import Dataset, Evaluation, ProblemChoice, Seeds, Selection, Training
from fedatlas.names import instead, shown


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
ENTRY_KEYS = (*Variant.model_fields, *OVERRIDES)


def _known_keys(entries: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    for entry, content in entries.items():
        if not ID.fullmatch(entry):
            raise ValueError(f"'{entry}' must be {ID_IN_WORDS}")
        for key in content:
            if key not in ENTRY_KEYS:
                hint = instead(key, ENTRY_KEYS, "allowed there are")
                raise ValueError(f"{entry} has the unknown key '{key}'; {hint}")
    return entries


class Experiment(Strict):
    """One figure or table of a paper, at one scale.

    Attributes:
        algorithms: what differs for each; an entry may be a variant of another algorithm (see `Variant`).
        reference: the entry whose last model is the optimum from which the others record their
            `relative_energy_error` and `squared_solution_error`.
        proxy_for: the paper's data, where other real data stands for it.
        rates_from: id of the experiment whose sweeps selected values that this one has fixed.
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
    sweep: Annotated[dict[str, tuple[Number, ...]], AfterValidator(_nonempty)]
    select: Selection
    seeds: Seeds
    algorithms: Annotated[dict[str, dict[str, Any]], Field(min_length=1), AfterValidator(_known_keys)]
    reference: str | None = None
    assumptions: Names = ()
    proxy_for: str | None = None
    rates_from: str | None = None
    reading: Reading | None = None
    scales: Annotated[tuple[Scale, ...], Field(min_length=1), ONCE] = (Scale.QUICK, Scale.PAPER)
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

    def evaluates(self, number: int) -> bool:
        """Whether that is a round after which models are evaluated: the last one always is."""
        rounds = self.training.rounds
        return number == rounds or (number < rounds and number % self.evaluation.every == 0)

    def must_have(self, algorithm: str) -> None:
        """Raises an AtlasError that names its algorithms if this is none of them."""
        if algorithm not in self.algorithms:
            raise AtlasError(
                f"the experiment {self.key} has no algorithm '{algorithm}'; "
                f"{instead(algorithm, self.algorithms, 'it has')}"
            )

    def for_algorithm(self, algorithm: str, place: Place | None = None) -> Experiment:
        """The experiment as this algorithm runs it, its overrides applied.

        Args:
            place: where its file says so, for a sentence about a mistake.

        Raises:
            AtlasError: if the experiment does not have the algorithm.
        """
        self.must_have(algorithm)
        overrides = {k: v for k, v in self.algorithms[algorithm].items() if k not in Variant.model_fields}
        content = merge(self.model_dump(exclude_none=True), overrides)
        return validate(content, Experiment, place or f"{self.key}, algorithm {algorithm}")

    def variant(self, entry: str) -> Variant:
        """What an entry of `algorithms` runs, and what it is called."""
        given = {k: v for k, v in self.algorithms[entry].items() if k in Variant.model_fields}
        return validate({"algorithm": entry} | given, Variant, f"{self.key}, algorithm {entry}")


Known = Mapping[Scale, Mapping[str, Experiment]]  # all experiments at each scale, by their keys


def load_experiment(path: Path, scale: str) -> Experiment:
    """The experiment of one YAML file at one scale.

    Raises:
        AtlasError: if the scale is unknown or the file is wrong; names the file, the line, the key, the value and the
            mend.
    """
    if scale not in SCALES:
        raise AtlasError(f"unknown scale '{scale}'; there are: {', '.join(SCALES)}.")
    _check_names(path)
    content, place = content_at(path, scale), place_at(path, scale)
    _check_keys(content, place)
    experiment = validate(content | {"id": path.stem, "scale": scale}, Experiment, place)
    if experiment.paper != path.parent.name:
        raise AtlasError(
            f"{place.naming(('paper',))}: 'paper' is '{experiment.paper}', but the file lies in the folder of "
            f"'{path.parent.name}'."
        )
    if experiment.runs_here:
        check(experiment, place)
    return experiment


def _check_keys(content: Mapping[str, Any], place: Place) -> None:
    """Checks the keys at the top of a file, of which some are no keys of an experiment."""
    known = [*(key for key in Experiment.model_fields if key not in ("id", "scale")), "extends", "keeps", *SMALLER]
    for key in content:
        if key in ("id", "scale"):
            sentence = f"the key '{key}' is not for the file: it follows from its name and the command."
            raise AtlasError(f"{place.naming((key,))}: {sentence}")
        if key not in known:
            hint = instead(key, known, "allowed here are")
            raise AtlasError(f"{place.naming((key,))}: unknown key '{key}' (value {shown(content[key])}); {hint}")


def _check_names(path: Path) -> None:
    """Checks that the names of a file and its folder can be those of folders, pages and words of a command."""
    if not ID.fullmatch(path.stem):
        raise AtlasError(f"{path}: the name of an experiment's file must be {ID_IN_WORDS}: rename it.")
    check_paper_id(path.parent)


@functools.cache
def load_experiments(folder: Path, scale: str, paper: str = "*") -> dict[str, Experiment]:
    """The experiments of config/experiments by key, in alphabetical order, run at this scale or not (`runs_here`).

    Those of one paper, or of all if none is given.

    Raises:
        AtlasError: if there are none; on a paper that is not there it says which are.
    """
    found = [load_experiment(path, scale) for path in sorted(folder.glob(f"{paper}/*.yaml"))]
    if not found and paper != "*":
        there = sorted({path.parent.name for path in folder.glob("*/*.yaml")})
        raise AtlasError(f"unknown paper '{paper}'; {instead(paper, there)}")
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
        raise AtlasError(f"unknown experiment '{key}'; {instead(key, there)}")
    experiment = load_experiment(path, scale)
    if not experiment.runs_here:
        raise AtlasError(f"the experiment {key} is not run at {scale} scale, only at: {', '.join(experiment.scales)}.")
    return experiment
