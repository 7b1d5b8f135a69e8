"""A folder that holds a study: its clients, its problem, algorithms of its own and study.yaml."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from fedatlas.algorithms import Algorithm
from fedatlas.config import Number, read_yaml, validate
from fedatlas.config.ids import ID, ID_IN_WORDS
from fedatlas.errors import AtlasError
from fedatlas.library.arguments import Arguments
from fedatlas.library.clients import Clients
from fedatlas.library.compare import StudyWarning, compare
from fedatlas.library.own_class import register
from fedatlas.library.problems import ProblemChoice
from fedatlas.library.study import Study
from fedatlas.own_files import naming_mistakes
from fedatlas.results.selection import AllDivergedError

Values = Number | list[Number]


class Settings(Arguments):
    """study.yaml: the arguments of `fa.compare`, but for grid, cache and progress.

    Attributes:
        algorithms: names of the atlas or of files in algorithms/, each with its grid; nothing is its usual one.
    """

    algorithms: dict[str, dict[str, Values] | None]


@dataclass(frozen=True)
class Workspace:
    """The folder of a study; its results go to `results` in it."""

    folder: Path
    settings: Settings

    @classmethod
    def open(cls, folder: Path) -> Workspace:
        """Reads study.yaml and makes the algorithms of the folder known.

        Raises:
            AtlasError: in one sentence, if a file is missing or does not hold what it must.
        """
        path = folder / "study.yaml"
        if not path.is_file():
            raise AtlasError(f"{folder.absolute()} holds no study.yaml: start in the folder of a study, or make one "
                             "with `fedatlas new`.")  # fmt: skip
        _find_imports_in(folder)
        for file in sorted((folder / "algorithms").glob("[!_]*.py")):  # the others may hold what several use
            if not ID.fullmatch(file.stem):
                raise AtlasError(f"{file}: the name of an algorithm's file must be {ID_IN_WORDS}: rename it.")
            found = _only_algorithm(file)
            try:
                register(file.stem, found)
            except AtlasError as error:
                raise AtlasError(f"{file}: {error}") from error
        return cls(folder, validate(read_yaml(path), Settings, path))

    def train(self, algorithm: str) -> None:
        """Runs one algorithm, so that `show` finds its runs; prints a note if all of them diverge, for `show` goes on.

        Raises:
            AtlasError: as `fa.compare` does else, or if study.yaml does not name it.
        """
        if algorithm not in self.settings.algorithms:
            there = ", ".join(self.settings.algorithms)
            raise AtlasError(f"{self.folder / 'study.yaml'} has no algorithm '{algorithm}'; it has: {there}.")
        try:
            self._compare({algorithm: self.settings.algorithms[algorithm]})
        except AllDivergedError:
            print(f"{algorithm}: every configuration diverged, so it is left out; give smaller rates in study.yaml.")

    def show(self) -> Study:
        """Compares all algorithms, and writes the study, its tables and its page; runs what was not run yet.

        Raises:
            AtlasError: as `fa.compare` does.
        """
        study = self._compare(self.settings.algorithms)
        study.save(self.folder / "results" / "study")
        study.page(self.folder / "results" / "page")
        return study

    def _compare(self, chosen: dict[str, dict[str, Values] | None]) -> Study:
        given = self.settings.model_dump(exclude={"algorithms"})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StudyWarning)  # the study says the same
            return compare(
                {name: grid or {} for name, grid in chosen.items()},
                _made(self.folder, "problem", ProblemChoice, "fa.problems or fa.keras_problem"),
                _made(self.folder, "data", Clients, "fa.clients", "clients"),
                cache=self.folder / "results" / "runs",
                **given,
            )


def _made(folder: Path, module: str, kind: type, by: str, function: str | None = None) -> Any:
    """What the function of a module of the folder makes."""
    file, function = folder / f"{module}.py", function or module
    make = getattr(_imported(file), function, None)
    if not callable(make):
        raise AtlasError(f"{file} must define a function {function}(), which returns what {by} makes.")
    with naming_mistakes(file):
        found = make()
    if not isinstance(found, kind):
        raise AtlasError(f"{function}() of {file} returns {type(found).__name__}, but must return what {by} makes.")
    return found


def _only_algorithm(file: Path) -> type[Algorithm]:
    module = _imported(file)
    found = [value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__
             and issubclass(value, Algorithm)]  # fmt: skip
    if len(found) != 1:
        raise AtlasError(f"{file} must define one algorithm (a subclass of fa.Algorithm), but defines {len(found)}.")
    return found[0]


def _find_imports_in(folder: Path) -> None:
    if (path := str(folder.absolute())) not in sys.path:
        sys.path.insert(0, path)


def _imported(file: Path) -> ModuleType:
    """The module of a file; it may import its neighbours."""
    if not file.is_file():
        raise AtlasError(f"{file} does not exist: `fedatlas new` shows what a study holds.")
    _find_imports_in(file.parent)
    spec = importlib.util.spec_from_file_location(f"own_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    with naming_mistakes(file):
        spec.loader.exec_module(module)
    return module
