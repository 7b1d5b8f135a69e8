"""The papers' cards: on the first page one for each, and on a paper's own page what it opens with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fedatlas.report.drawing.picture import Picture
from fedatlas.report.model.findings import Findings, card_of
from fedatlas.report.model.findings import Picture as Named
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages.drawn import draw_view

LAYOUT = {"wide": 1}  # a card is as narrow as a phone, so that letters have to be as large


def cards(inputs: SiteInputs) -> list[dict[str, Any]]:
    """One card for each paper of which something was found; draws their pictures."""
    made = {key.split("/")[0] for key in inputs.shown}
    return [
        _card(inputs, paper, paper.findings, f"{paper.id}.html" if paper.id in made else None, "card")
        for paper in inputs.papers
        if paper.findings
    ]


def opening(inputs: SiteInputs, paper: Paper) -> dict[str, Any] | None:
    """The card of one paper for its own page, with a picture of its own; None if nothing was found."""
    return _card(inputs, paper, paper.findings, None, "opening") if paper.findings else None


def _card(inputs: SiteInputs, paper: Paper, findings: Findings, href: str | None, place: str) -> dict[str, Any]:
    picture = _picture(inputs, paper, findings.picture, f"figures/{paper.id}-{place}")
    return card_of(paper, findings, inputs.published_verdicts(paper.id), href, picture)


def _picture(inputs: SiteInputs, paper: Paper, named: Named, stem: str) -> Picture | None:
    """The first panel of the figure that the findings name, drawn from what is published; None if that is missing."""
    published = inputs.published.get(f"{paper.id}/{named.experiment}")
    if published is None:
        return None
    results = published.results
    whole = paper.with_panels(paper.figure(named.figure), results.experiment)
    shown = {"panels": whole.panels[:1], "algorithms": named.algorithms or whole.algorithms, "guides": ()}
    figure = whole.model_copy(update=shown)
    drawn = draw_view(inputs.out, stem, figure.view, results, figure, LAYOUT)
    if drawn is None:
        return None
    what = f"{figure.id}, {results.experiment.title}."
    return replace(drawn, alt=f"{what} {drawn.alt}", caption=f"{what} {drawn.caption}")
