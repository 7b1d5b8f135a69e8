"""The page of all claims: every verdict of every paper in one table that can be filtered."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.claims.status import Status
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages import layout
from fedatlas.report.pages.claims import Verdict, figure_of

UNANSWERED = (Status.NOT_COMPARABLE, Status.NOT_DECIDABLE, Status.NOT_RUN)  # which stand below what was answered


@dataclass(frozen=True)
class ClaimRow:
    """One claim with the verdict that counts.

    Attributes:
        data: whose data, in words; empty if it was not run.
        shown: whether it stands on the paper's page.
    """

    paper: Paper
    figure: Figure
    verdict: Verdict
    status: Status
    data: str
    shown: bool

    @property
    def href(self) -> str:
        """The claim on its paper's page; empty if it does not stand there."""
        return f"{self.paper.id}.html#{self.verdict['id']}" if self.shown else ""


def write_claims(inputs: SiteInputs) -> None:
    """Writes `claims.html`."""
    rows = [row for paper in inputs.papers for row in _rows(inputs, paper)]
    choices = {
        "paper": {row.paper.id: row.paper.short for row in rows},
        "verdict": {row.status.css: row.status.value for row in rows},
        "scale": {row.verdict["scale"]: row.verdict["scale"] for row in rows},
        "data": {row.data: row.data for row in rows if row.data},
    }
    body = layout.render("all_claims.html.j2", rows=rows, choices=choices)
    layout.write_page(inputs.out, "claims.html", "Claims", body, inputs.navigation)


def _rows(inputs: SiteInputs, paper: Paper) -> list[ClaimRow]:
    """A paper's claims, those with an answer first; the published verdict before this machine's where it counts."""
    here = [v for v in inputs.verdicts if v["paper"] == paper.id and not v["reading"]]
    found: dict[str, Verdict] = {v["id"]: v for v in here}
    for verdict in (v for v in inputs.published_verdicts(paper.id) if not v["reading"]):
        if verdict["id"] not in found or inputs.is_kept(verdict["experiment"]):
            found[verdict["id"]] = verdict
    order = {figure.id: place for place, figure in enumerate(paper.figures)}
    rows = [
        ClaimRow(
            paper=paper,
            figure=figure_of(verdict, inputs, paper),
            verdict=verdict,
            status=Status(verdict["status"]),
            data=_data(inputs, verdict),
            shown=verdict["experiment"] in inputs.shown,
        )
        for verdict in found.values()
    ]
    return sorted(rows, key=lambda row: (row.status in UNANSWERED, order[row.figure.id]))


def _data(inputs: SiteInputs, verdict: Verdict) -> str:
    results = inputs.of(verdict["experiment"])
    return results.whose if results and verdict["data"] else ""
