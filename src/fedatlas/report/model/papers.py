"""The papers of the atlas, and all of their figures and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from fedatlas.config import Address, Names, Place, Strict, once, read_yaml, validate
from fedatlas.config.ids import check_paper_id
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import Experiment
from fedatlas.names import instead
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.findings import Findings


class Section(Strict):
    """A section of the paper: its heading, and what is asked and set up in it, in our words."""

    id: str
    title: str
    lead: str


class Paper(Strict):
    """One paper.

    Attributes:
        short: what links call it.
        code: the authors' repository.
        findings: what the atlas found about it, in sentences.
    """

    id: str
    title: str
    short: str
    authors: Names
    venue: str
    year: Annotated[int, Field(strict=True, gt=1900, lt=2100)]
    link: Address
    code: Address | None = None
    about: str
    findings: Findings | None = None
    sections: tuple[Section, ...] = ()
    figures: tuple[Figure, ...]

    @model_validator(mode="after")
    def _sections_known(self) -> Paper:
        known = [section.id for section in self.sections]
        once(tuple(known)), once(tuple(figure.id for figure in self.figures))
        for figure in self.figures:
            if figure.section is not None and figure.section not in known:
                hint = instead(figure.section, known, "'sections' has")
                raise ValueError(f"the 'section' of {figure.id} is '{figure.section}', which does not exist; {hint}")
        return self

    def figure(self, name: str) -> Figure:
        """The figure of that id.

        Raises:
            AtlasError: if there is none; lists those that are.
        """
        for figure in self.figures:
            if figure.id == name:
                return figure
        raise AtlasError(f"{self.id} has no '{name}'; {instead(name, [figure.id for figure in self.figures])}")

    def experiments(self, figure: Figure, experiments: Mapping[str, Experiment]) -> list[Experiment]:
        """The experiments whose runs one of the paper's figures shows, those that name it first; no other readings."""
        mine = [one for one in experiments.values() if one.paper == self.id and one.reading is None]
        borrowed = [e for id in figure.of for e in mine if e.id == id and e.figure != figure.id]
        return [e for e in mine if e.figure == figure.id] + borrowed

    def showing(self, experiment: Experiment) -> list[Figure]:
        """The figures that show an experiment's runs, each with panels to draw, the experiment's own first."""
        own = self.figure(experiment.figure)
        others = [figure for figure in self.figures if figure is not own and experiment.id in figure.of]
        return [self.with_panels(figure, experiment) for figure in (own, *others)]

    def with_panels(self, figure: Figure, experiment: Experiment) -> Figure:
        """The figure with the panels that show the experiment, those of the experiment's own figure if it has none.

        A panel for algorithms none of which the experiment runs is left out.
        """
        own = self.figure(experiment.figure)
        borrowed = {} if figure.panels else {"truth": own.truth, "against": own.against}
        panels = (figure if figure.panels else own).panels_of(experiment.id)
        drawn = tuple(one for one in panels if not one.algorithms or {*one.algorithms} & {*experiment.algorithms})
        return figure.model_copy(update=borrowed | {"panels": drawn})


def load_papers(folder: Path, experiments: Mapping[str, Experiment], paper: str = "*") -> list[Paper]:
    """The papers of config/papers, those with experiments first, else by year; one alone if it is given.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong, or an experiment that makes a figure which
            its paper does not list, or lists without saying what to draw.
    """
    papers = [validated(path) for path in sorted(folder.glob(f"{paper}.yaml"))]
    check_figures(papers, experiments.values(), folder)
    made = {experiment.paper for experiment in experiments.values()}
    return sorted(papers, key=lambda paper: (paper.id not in made, paper.year, paper.id))


def validated(path: Path) -> Paper:
    """The paper of a file, by itself.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong.
    """
    check_paper_id(path)
    content = read_yaml(path)
    if "id" in content:
        raise AtlasError(f"{Place(path).naming(('id',))}: the key 'id' is not for the file: it follows from its name.")
    return validate(content | {"id": path.stem}, Paper, path)


def short_names(folder: Path) -> dict[str, str]:
    """What links call the papers of config/papers, by id and by year.

    Raises:
        AtlasError: names the file and the key if one is missing.
    """
    found = {path.stem: read_yaml(path) for path in folder.glob("*.yaml")}
    for id, paper in found.items():
        if missing := {"short", "year"} - paper.keys():
            raise AtlasError(f"{folder / id}.yaml: the key '{min(missing)}' is missing.")
    return {id: paper["short"] for id, paper in sorted(found.items(), key=lambda item: (item[1]["year"], item[0]))}


def check_figures(papers: Iterable[Paper], experiments: Iterable[Experiment], folder: Path) -> None:
    """Checks that every experiment makes a figure that its paper lists, with something to draw.

    Raises:
        AtlasError: names the experiment and the paper's file.
    """
    figures = {(paper.id, figure.id): figure for paper in papers for figure in paper.figures}
    for experiment in experiments:
        figure = figures.get((experiment.paper, experiment.figure))
        file = folder / f"{experiment.paper}.yaml"
        if figure is None:
            there = [id for paper, id in figures if paper == experiment.paper]
            raise AtlasError(
                f"{file}: 'figures' has no '{experiment.figure}', which the experiment {experiment.key} makes; "
                f"{instead(experiment.figure, there)}"
            )
        if not figure.panels_of(experiment.id):
            raise AtlasError(f"{file}: '{figure.id}' has no 'panels', the metrics to draw of {experiment.key}.")


def figure_order(experiment: Experiment) -> tuple[str, str, int, str]:
    """By paper and figure; 'Figure 10' comes after 'Figure 9'."""
    words = experiment.figure.rstrip("0123456789")
    return experiment.paper, words, int(experiment.figure[len(words) :] or 0), experiment.key
