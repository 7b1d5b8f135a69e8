"""The papers of the atlas, and all of their figures and tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fedatlas.claims.quantities import Metric
from fedatlas.config import Strict, read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Experiment


class Figure(Strict):
    """One figure or table of a paper.

    Its experiments are those whose file names it; while there are none, it is not in the atlas yet.

    Attributes:
        about: what it shows, a few words.
        theory: it shows no measurement, so there is nothing to run.
        caption: what was set up, in our words.
        panels: the metrics it draws, one panel each.
        truth: by metric, the value of the ground truth, drawn as a line.
    """

    id: str
    about: str
    theory: bool = False
    caption: str = ""
    panels: tuple[Metric, ...] = ()
    truth: dict[str, float] = {}

    @property
    def anchor(self) -> str:
        return self.id.lower().replace(" ", "-")


class Paper(Strict):
    """One paper; `code` is the authors' repository."""

    id: str
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    link: str
    code: str | None = None
    about: str
    figures: tuple[Figure, ...]

    def experiments(self, figure: Figure, experiments: Mapping[str, Experiment]) -> list[Experiment]:
        """The experiments that make one of the paper's figures."""
        return [e for e in experiments.values() if (e.paper, e.figure) == (self.id, figure.id)]


def load_papers(folder: Path, experiments: Mapping[str, Experiment]) -> list[Paper]:
    """All of config/papers, those with experiments first, else by year.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong, or an experiment that makes a figure which
            its paper does not list, or lists without panels.
    """
    papers = [validate(read_yaml(path) | {"id": path.stem}, Paper, path) for path in sorted(folder.glob("*.yaml"))]
    figures = {(paper.id, figure.id): figure for paper in papers for figure in paper.figures}
    for experiment in experiments.values():
        figure = figures.get((experiment.paper, experiment.figure))
        file = folder / f"{experiment.paper}.yaml"
        if figure is None:
            raise AtlasError(f"{file}: 'figures' has no '{experiment.figure}', which {experiment.key} makes; add it.")
        if not figure.panels:
            raise AtlasError(f"{file}: '{figure.id}' has no 'panels', the metrics to draw of {experiment.key}.")
    made = {experiment.paper for experiment in experiments.values()}
    return sorted(papers, key=lambda paper: (paper.id not in made, paper.year, paper.id))
