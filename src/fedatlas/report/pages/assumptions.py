"""The page of assumptions: what the papers leave open or contradict, what we chose, and which verdicts depend on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fedatlas.claims.status import Status
from fedatlas.claims.tally import HOLDS
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper
from fedatlas.report.pages import layout


class Change(NamedTuple):
    """A claim that holds under one reading and fails under the other: where it stands, and its statuses."""

    figure: str
    statement: str
    href: str
    main: Status
    other: Status
    how: str


@dataclass(frozen=True)
class Effect:
    """What another reading of an assumption changes.

    Attributes:
        claims: ids of those that were judged under both.
        changes: those that hold under one and fail under the other. A reading that decides nothing changes nothing.
    """

    claims: set[str] = field(default_factory=set)
    changes: list[Change] = field(default_factory=list)

    @property
    def changed(self) -> int:
        """How many claims come out differently, under one other reading or several."""
        return len({change.href for change in self.changes})


def write_assumptions(inputs: SiteInputs) -> None:
    """Writes `assumptions.html`."""
    groups = [(paper, [a for a in inputs.assumptions if a.paper == paper.id]) for paper in inputs.papers]
    with_page = [paper for paper in inputs.papers if f"{paper.id}.html" in inputs.navigation]
    made = {(paper.id, figure.id) for paper in with_page for figure in inputs.figures_shown(paper)}
    effects = {id: effect for paper in with_page for id, effect in _effects(inputs, paper).items()}
    shown = [group for group in groups if group[1]]
    errata = any(entry.erratum for _, entries in shown for entry in entries)
    decisive = {id for id, effect in effects.items() if effect.changes}
    body = layout.render(
        "assumptions.html.j2", groups=shown, made=made, effects=effects, decisive=decisive, errata=errata
    )
    layout.write_page(inputs.out, "assumptions.html", "Assumptions and errata", body, inputs.navigation)


def _effects(inputs: SiteInputs, paper: Paper) -> dict[str, Effect]:
    """What the other readings of a paper's assumptions change in its published verdicts, by the assumption."""
    verdicts = [v for v in inputs.published_verdicts(paper.id) if v["status"] != Status.NOT_RUN]
    main = {verdict["id"]: verdict for verdict in verdicts if not verdict["reading"]}
    found: dict[str, Effect] = {}
    for verdict in verdicts:
        reading = verdict["reading"]
        if not reading or reading["claim"] not in main:
            continue
        first, effect = main[reading["claim"]], found.setdefault(reading["assumption"], Effect())
        effect.claims.add(first["id"])
        before, after = Status(first["status"]), Status(verdict["status"])
        if before.decided and after.decided and (before in HOLDS) != (after in HOLDS):
            href = f"{paper.id}.html#{first['id']}"
            effect.changes.append(Change(first["figure"], first["statement"], href, before, after, reading["how"]))
    return found
