"""The page of one paper, section by section: every figure with its claims, pictures, assumptions and provenance."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from fedatlas.report.model.figure import Figure
from fedatlas.report.model.findings import summary_of
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper, Section
from fedatlas.report.pages import layout
from fedatlas.report.pages.cards import opening
from fedatlas.report.pages.claims import counted
from fedatlas.report.pages.colours import colour_rules
from fedatlas.report.pages.figure import figure_block
from fedatlas.report.pages.notebook import write_notebook


def write_paper(inputs: SiteInputs, paper: Paper) -> None:
    """Writes `<paper>.html`, its figures and the pages of its executed notebooks."""
    own = [verdict for verdict in inputs.verdicts if verdict["paper"] == paper.id]
    body = layout.render(
        "paper.html.j2",
        paper=paper,
        opening=opening(inputs, paper),
        summary_groups=summary_of(
            paper.findings,
            inputs.published_verdicts(paper.id),
            [verdict for verdict in own if verdict["experiment"] in inputs.results],
            _unjudged(inputs, paper),
        )
        if paper.findings
        else [],
        scale=inputs.scale,
        counts=counted(own),
        here=bool(inputs.results.of_paper(paper.id)),
        published=counted(inputs.published_verdicts(paper.id)) if inputs.scale != "paper" else [],
        sections=[section for section in _sections(inputs, paper) if section["figures"]],
        missing=[figure for figure in paper.figures if not _has_place(inputs, paper, figure)],
        colours=_colours(inputs, paper),
        notebook=_paper_notebook(inputs, paper),
    )
    layout.write_page(inputs.out, f"{paper.id}.html", paper.title, body, inputs.navigation)


def _unjudged(inputs: SiteInputs, paper: Paper) -> dict[str, dict[str, str]]:
    """Figure and statement of every claim of the paper, run or not, by its id."""
    known = inputs.results.known
    return {
        claim.id: {"figure": known[f"{paper.id}/{claim.experiment}"].figure, "statement": claim.statement}
        for claim in inputs.claims
        if claim.paper == paper.id
    }


def _has_place(inputs: SiteInputs, paper: Paper, figure: Figure) -> bool:
    """Whether the figure is in the atlas, run or not."""
    return bool(figure.is_made or paper.experiments(figure, inputs.results.known))


def _sections(inputs: SiteInputs, paper: Paper) -> list[dict[str, Any]]:
    """The paper's sections in its order, then the figures that stand under none."""
    headings: list[Section | None] = [*paper.sections, None]
    found = []
    for heading in headings:
        figures = [f for f in paper.figures if f.section == (heading.id if heading else None)]
        shown = [figure_block(inputs, paper, f) for f in figures if _has_place(inputs, paper, f)]
        found.append({"heading": heading, "figures": shown})
    return found


def _colours(inputs: SiteInputs, paper: Paper) -> Markup:
    """The colours of all curves as style properties that follow the page's theme."""
    sources = (inputs.results, inputs.kept)
    return colour_rules(c for source in sources for own in source.of_paper(paper.id) for c in own.colours.values())


def _paper_notebook(inputs: SiteInputs, paper: Paper) -> str | None:
    """The paper's executed figures notebook lies beside the folders of its experiments."""
    own = inputs.results.of_paper(paper.id)
    source = own[0].all[0].folder.parents[2] / f"{paper.id}.ipynb" if own else None
    if source is None or not source.is_file():
        return None
    return write_notebook(
        source, inputs.out, f"notebooks/{paper.id}.html", f"{paper.title}: figures", inputs.navigation
    )
