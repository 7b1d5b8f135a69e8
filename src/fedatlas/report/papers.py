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

    Attributes:
        about: what it shows, a few words.
        experiment: id of the experiment file of the same paper; None while there is none.
        theory: it shows no measurement, so there is nothing to run.
        caption: what was set up, in our words.
        panels: the metrics it draws, one panel each.
        truth: by metric, the value of the ground truth, drawn as a line.
    """

    id: str
    about: str
    experiment: str | None = None
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

    @property
    def drawn(self) -> list[Figure]:
        """The figures that have an experiment."""
        return [figure for figure in self.figures if figure.experiment]


def load_papers(folder: Path, experiments: Mapping[str, Experiment]) -> list[Paper]:
    """All of config/papers, those with experiments first, else by year.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong, a figure whose experiment does not exist,
            and an experiment whose figure no paper lists.
    """
    papers = []
    for path in sorted(folder.glob("*.yaml")):
        paper = validate(read_yaml(path) | {"id": path.stem}, Paper, path)
        for figure in paper.drawn:
            if f"{paper.id}/{figure.experiment}" not in experiments:
                raise AtlasError(
                    f"{path}: {figure.id} names the experiment '{figure.experiment}'; there are: "
                    f"{', '.join(experiments)}."
                )
            if not figure.panels:
                raise AtlasError(f"{path}: {figure.id} has an experiment but no 'panels', the metrics to draw.")
        papers.append(paper)
    listed = {f"{paper.id}/{figure.experiment}" for paper in papers for figure in paper.drawn}
    for key in sorted(set(experiments) - listed):
        raise AtlasError(f"{folder}: no figure has the experiment '{key}'; add it to the 'figures' of its paper.")
    return sorted(papers, key=lambda paper: (not paper.drawn, paper.year, paper.id))
