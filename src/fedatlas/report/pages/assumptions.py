"""The page of assumptions: what the papers leave open or contradict, what we chose, and why."""

from __future__ import annotations

from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages import layout


def write_assumptions(inputs: SiteInputs) -> None:
    """Writes `assumptions.html`."""
    groups = [(paper, [a for a in inputs.assumptions if a.paper == paper.id]) for paper in inputs.papers]
    with_page = [paper for paper in inputs.papers if f"{paper.id}.html" in inputs.navigation]
    made = {(paper.id, figure.id) for paper in with_page for figure in inputs.figures_shown(paper)}
    body = layout.render("assumptions.html.j2", groups=[group for group in groups if group[1]], made=made)
    layout.write_page(inputs.out, "assumptions.html", "Assumptions and errata", body, inputs.navigation)
