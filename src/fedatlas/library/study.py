"""The results of a comparison: tables, curves, a page, and a folder to keep them in."""

from __future__ import annotations

import html
import json
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Experiment
from fedatlas.files import atomic, write_text
from fedatlas.formatting import metric_name
from fedatlas.library import given  # noqa: F401  registers the data set that a saved study names
from fedatlas.library.picture import Drawing, draw, own_backend
from fedatlas.names import instead
from fedatlas.results.axes import AXES, Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.run import Run, load_run
from fedatlas.results.table import OVER_ALL_CLIENTS

SPLITS = ("test", "validation", "train", "model")  # where a metric is looked for, the first that has it
WRITTEN = ("best.csv", "runs", "study.json", "table.csv")  # by `Study.save`; Snakemake may have removed some
PAGE = ("assets", "figures", "index.html")  # by `Study.page`


@dataclass(frozen=True)
class Study:
    """The runs of a comparison, as the atlas reads its own.

    Attributes:
        results: the runs by algorithm and seed.
        warnings: what was asked of algorithms that they do not do.
    """

    results: ExperimentResults
    warnings: tuple[str, ...] = ()

    @property
    def experiment(self) -> Experiment:
        """What was run, as a file of the atlas would say it."""
        return self.results.experiment

    @property
    def metrics(self) -> list[str]:
        """What `plot` can draw."""
        held = {pair for run in self.results.all for pair in run.metrics if pair[0] != "cost"}
        return sorted({metric for _, metric in held})

    def best(self) -> pd.DataFrame:
        """A row for each algorithm with its best configuration, the best algorithm first.

        Values are means over the seeds that had no part in selecting it, if there are any.
        """
        rule = self.experiment.select
        rows = [self._best(name) for name in self.results.runs]
        column = metric_name(rule.metric, rule.split)
        ranked = pd.DataFrame(rows).sort_values(column, ascending=rule.best == "lowest")
        return ranked.set_index("algorithm").rename_axis(None)

    def table(self) -> pd.DataFrame:
        """A row for each configuration of each algorithm: its hyper-parameters, and every metric where it ended."""
        return pd.concat([_of_grid(self.results.sweep_run(name)) for name in self.results.runs], ignore_index=True)

    def curves(self, metric: str, split: str | None = None, against: Axis = "rounds") -> pd.DataFrame:
        """The best configuration of every algorithm and seed; columns algorithm, seed, round, x, value.

        Args:
            against: rounds, communications, bytes, gradients or seconds.
        """
        return self.results.curves(self._metric(metric, split), against)

    def plot(self, metric: str | None = None, split: str | None = None, against: Axis = "rounds") -> Drawing:
        """The curves of a metric, one for each algorithm with its best configuration, as the atlas draws its figures.

        Args:
            metric: one of `metrics`; that which selects if not given.
            split: test, validation or train, the first of these that has it if not given.
            against: rounds, communications, bytes, gradients or seconds.

        Raises:
            AtlasError: if the metric was not recorded or the axis is unknown; says what there is.
        """
        rule = self.experiment.select
        if against not in AXES:
            raise AtlasError(f"unknown axis '{against}'; {instead(against, AXES)}")
        chosen = self._metric(metric or rule.metric, split or (None if metric else rule.split))
        return draw(self.results, chosen, against)

    def save(self, path: str | Path) -> Path:
        """Writes everything into a folder, which `fa.open_study` reads: the settings, the runs and the tables.

        Raises:
            AtlasError: if the path is a file, or a folder that holds anything but what an earlier study wrote.
        """
        _check_free(Path(path))
        with atomic(path) as partial:
            for by_seed in self.results.runs.values():
                for run in by_seed.values():
                    shutil.copytree(run.folder, partial / "runs" / _folder(run), ignore=_temporary)
            content = self.experiment.model_dump(mode="json", exclude_none=True)
            runs = [_folder(run).as_posix() for by_seed in self.results.runs.values() for run in by_seed.values()]
            about = {"experiment": content, "warnings": self.warnings, "runs": runs}
            write_text(partial / "study.json", json.dumps(about, indent=1))
            self.best().to_csv(partial / "best.csv")
            self.table().to_csv(partial / "table.csv", index=False)
        return Path(path)

    def page(self, path: str | Path = "study-page") -> Path:
        """Writes an HTML page like the atlas's own into a folder, and returns its path.

        It holds the curves, an interactive chart where Altair is installed, the best configurations, the whole sweep
        and where all comes from.

        Raises:
            AtlasError: if the path is a file, or a folder that holds anything but an earlier page.
        """
        _check_holds_only(Path(path), PAGE)
        with own_backend():
            from fedatlas.report.pages.study import write_study

            return write_study(Path(path), self.results, self.warnings, self._panels())

    def __repr__(self) -> str:
        notes = "".join(f"\nNote: {note}" for note in self.warnings)
        return f"{self.experiment.title}: {len(self.results.runs)} algorithms\n{self.best().to_string()}{notes}"

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><b>Note:</b> {html.escape(note)}</p>" for note in self.warnings)
        return self.best()._repr_html_() + notes

    def _best(self, name: str) -> dict[str, Any]:
        sweep, rule = self.results.sweep_run(name), self.experiment.select
        shown = {metric_name(panel.metric, panel.split): self.results.last(name, panel) for panel in self._panels(name)}
        score = Metric(metric=rule.metric, split=rule.split)
        configuration = ", ".join(f"{key}={value:g}" for key, value in sweep.configuration.items())
        return {
            "algorithm": sweep.name,
            metric_name(rule.metric, rule.split): self.results.last(name, score),
            **shown,
            "configuration": configuration,
            "diverged": f"{len(sweep.manifest.diverged)} of {len(sweep.grid)}",
        }

    def _panels(self, name: str | None = None) -> list[Metric]:
        """The metrics that are shown first: accuracy or loss on the best split, and what selects."""
        rule = self.experiment.select
        names = [name] if name else [*self.results.runs]
        held = set.intersection(*(set(self.results.any_run(one).metrics) for one in names))
        split = next(split for split in SPLITS if (split, "loss") in held)
        wanted = [(split, "accuracy"), (split, "loss"), (rule.split, rule.metric), ("model", "density")]
        return [
            Metric.model_validate({"metric": metric, "split": of})
            for of, metric in dict.fromkeys(wanted)
            if (of, metric) in held
        ]

    def _metric(self, metric: str, split: str | None) -> Metric:
        held = {pair for run in self.results.all for pair in run.metrics}
        found = next((one for one in ([split] if split else SPLITS) if (one, metric) in held), None)
        if found in (None, "cost"):  # costs are drawn along an axis, not as a metric
            there = ", ".join(sorted(f"{of} {name}" for of, name in held if of != "cost"))
            raise AtlasError(f"the study has no {metric_name(metric, split or 'model')}; it has: {there}.")
        return Metric.model_validate({"metric": metric, "split": found})


def open_study(path: str | Path) -> Study:
    """A study that `Study.save` wrote.

    Raises:
        AtlasError: if the folder holds none, or one of its runs is missing or damaged.
    """
    path = Path(path)
    try:
        about = json.loads((path / "study.json").read_text(encoding="utf-8"))
        given, warnings, kept = about["experiment"], tuple(about["warnings"]), about["runs"]
    except OSError as error:
        raise AtlasError(f"{path} holds no study (no study.json): give a folder that Study.save wrote.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise AtlasError(f"{path / 'study.json'} is damaged: have Study.save write the study again.") from error
    for run in kept:
        if not (path / "runs" / run / "run.json").is_file():
            raise AtlasError(f"{path / 'runs' / run} is missing: have Study.save write the study again.")
    experiment = validate(given, Experiment, path / "study.json")
    runs: dict[str, dict[int, Run]] = {}
    for folder in sorted((path / "runs").glob("*/seed*")):
        found = load_run(folder)
        runs.setdefault(found.manifest.algorithm.id, {})[found.manifest.seed] = found
    ordered = {name: dict(sorted(runs[name].items())) for name in experiment.algorithms if name in runs}
    return Study(ExperimentResults(experiment, ordered, None), warnings)


def _check_free(path: Path) -> None:
    """Checks that nothing but what an earlier study wrote is lost when a study is written here."""
    runs = [*(path / "runs").iterdir()] if (path / "runs").is_dir() else []
    _check_holds_only(path, WRITTEN, [f"runs/{one.name}" for one in runs if not any(one.glob("seed*/run.json"))])


def _check_holds_only(path: Path, written: Collection[str], others: Collection[str] = ()) -> None:
    """Checks that a path is free, or a folder of what is `written` there alone."""
    if path.exists() and not path.is_dir():
        raise AtlasError(f"{path} is a file: give a folder for the study.")
    children = [child.name for child in path.iterdir()] if path.is_dir() else []
    if others := [*others, *(name for name in children if name not in written)]:
        raise AtlasError(
            f"{path} holds other files ({', '.join(sorted(others)[:3])}), which would be lost: give a new folder for "
            "the study, or move them."
        )


def _folder(run: Run) -> Path:
    return Path(run.manifest.algorithm.id, f"seed{run.manifest.seed}")


def _temporary(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(".") or name.startswith("checkpoint")]


def _of_grid(run: Run) -> pd.DataFrame:
    """A row for each configuration of a run."""
    table = run.table[run.table["client"] == OVER_ALL_CLIENTS]
    last = table[table["round"] == table["round"].max()]
    names = [metric_name(m, s) for m, s in zip(last["metric"], last["split"], strict=True)]
    ends = last.assign(name=names).pivot(index="configuration", columns="name", values="value")
    grid = pd.DataFrame(run.grid).rename_axis("configuration")
    found = grid.join(ends).assign(diverged=[n in run.manifest.diverged for n in grid.index])
    found.insert(0, "algorithm", run.name)
    return found.reset_index(drop=True)
