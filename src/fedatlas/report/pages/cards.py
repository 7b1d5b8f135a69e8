"""The papers' cards on the first page, with their pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fedatlas.report.drawing.picture import Picture
from fedatlas.report.model.findings import Picture as Named
from fedatlas.report.model.findings import card_of
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages.drawn import draw_view

LAYOUT = {"wide": 1}  # a card is as narrow as a phone, so that letters have to be as large


def cards(inputs: SiteInputs) -> list[dict[str, Any]]:
    """One card for each paper of which something was found; draws their pictures."""
    made = {key.split("/")[0] for key in inputs.shown}
    return [
        card_of(
            paper,
            paper.findings,
            inputs.published_verdicts(paper.id),
            f"{paper.id}.html" if paper.id in made else None,
            _picture(inputs, paper, paper.findings.picture),
        )
        for paper in inputs.papers
        if paper.findings
    ]


def _picture(inputs: SiteInputs, paper: Paper, named: Named) -> Picture | None:
    """The first panel of the figure that the findings name, drawn from what is published; None if that is missing."""
    published = inputs.published.get(f"{paper.id}/{named.experiment}")
    if published is None:
        return None
    results = published.results
    whole = paper.with_panels(paper.figure(named.figure), results.experiment)
    shown = {"panels": whole.panels[:1], "algorithms": named.algorithms or whole.algorithms, "guides": ()}
    figure = whole.model_copy(update=shown)
    drawn = draw_view(inputs.out, f"figures/{paper.id}-card", figure.view, results, figure, LAYOUT)
    if drawn is None:
        return None
    what = f"{figure.id}, {results.experiment.title}."
    return replace(drawn, alt=f"{what} {drawn.alt}", caption=f"{what} {drawn.caption}")
