"""The page of one paper, section by section: every figure with its claims, pictures, assumptions and provenance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from fedatlas.experiments.spec import Experiment
from fedatlas.report import frames, provenance, shell, verdicts
from fedatlas.report.assumptions import Assumption
from fedatlas.report.figure_part import part
from fedatlas.report.figure_whole import illustration, overviews, tables
from fedatlas.report.figures import theme
from fedatlas.report.figures.marks import STAND_IN
from fedatlas.report.material import Material
from fedatlas.report.notebooks import write_notebook
from fedatlas.report.papers import Figure, Paper, Section


def write_paper(material: Material, paper: Paper, planned: Sequence[str]) -> None:
    """Writes `<paper>.html`, its figures and the pages of its executed notebooks."""
    scale = material.evidence.scale
    own = [verdict for verdict in material.verdicts if verdict["paper"] == paper.id]
    body = shell.render(
        "paper.html.j2",
        paper=paper,
        scale=scale,
        counts=verdicts.counted(own),
        here=any(key.split("/")[0] == paper.id for key in material.evidence.experiments),
        published=verdicts.counted(material.published_verdicts(paper.id)) if scale != "paper" else [],
        sections=[section for section in _sections(material, paper) if section["figures"]],
        missing=[figure for figure in paper.figures if not _has_place(material, paper, figure)],
        colours=_colours(material, paper),
        notebook=_paper_notebook(material, paper),
    )
    shell.write_page(material.out, f"{paper.id}.html", paper.title, body, planned=planned)


def _has_place(material: Material, paper: Paper, figure: Figure) -> bool:
    """Whether the figure is in the atlas, run or not."""
    return bool(figure.is_made or paper.experiments(figure, material.evidence.known))


def _sections(material: Material, paper: Paper) -> list[dict[str, Any]]:
    """The paper's sections in its order, then the figures that stand under none."""
    headings: list[Section | None] = [*paper.sections, None]
    found = []
    for heading in headings:
        figures = [f for f in paper.figures if f.section == (heading.id if heading else None)]
        shown = [_figure(material, paper, f) for f in figures if _has_place(material, paper, f)]
        found.append({"heading": heading, "figures": shown})
    return found


def _figure(material: Material, paper: Paper, figure: Figure) -> dict[str, Any]:
    """One figure: a part for each experiment whose runs it shows; of those of other figures, if there are any runs."""
    known = paper.experiments(figure, material.evidence.known)
    experiments = [one for one in known if one.figure == figure.id or one.key in material.shown] or known
    experiments.sort(key=lambda experiment: _rank(material, experiment.key))
    return {
        "figure": figure,
        "parts": [part(material, paper, figure, experiment) for experiment in experiments],
        "illustration": illustration(material, paper, figure) if figure.illustration else None,
        "overviews": overviews(material, paper, figure) if figure.side_by_side else [],
        "tables": tables(material, paper, figure) if figure.table else [],
        "assumptions": [a for a in material.assumptions if _concerns(a, paper, figure, experiments)],
    }


def _rank(material: Material, key: str) -> tuple[bool, bool, bool]:
    """Published results first, those on the paper's data before stand-ins, then what this build has run."""
    published = material.published.get(key)
    return published is None, bool(published and STAND_IN in published.kind), key not in material.shown


def _concerns(assumption: Assumption, paper: Paper, figure: Figure, experiments: Sequence[Experiment]) -> bool:
    listed = {id for experiment in experiments if experiment.figure == figure.id for id in experiment.assumptions}
    return (assumption.paper == paper.id and figure.id in assumption.figures) or assumption.id in listed


def _colours(material: Material, paper: Paper) -> Markup:
    """The colours of all curves as style properties that follow the page's theme."""
    sources = (material.evidence, *(one.evidence for one in material.published.values()))
    shown = [source.runs[key] for source in sources for key in source.runs if key.split("/")[0] == paper.id]
    colours = dict.fromkeys(colour for runs in shown for colour in frames.colours(runs).values())
    light, dark = (
        "; ".join(f"{frames.style_property(colour)}: {ground.readable(colour)}" for colour in colours)
        for ground in (theme.LIGHT, theme.DARK)
    )
    return Markup(f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}")


def _paper_notebook(material: Material, paper: Paper) -> str | None:
    """The paper's executed figures notebook lies beside the folders of its experiments."""
    own = [key for key, experiment in material.evidence.experiments.items() if experiment.paper == paper.id]
    if not own:
        return None
    source = provenance.all_runs(material.evidence, own[0])[0].folder.parents[2] / f"{paper.id}.ipynb"
    if not source.is_file():
        return None
    return write_notebook(source, material.out, f"notebooks/{paper.id}.html", f"{paper.title}: figures")
