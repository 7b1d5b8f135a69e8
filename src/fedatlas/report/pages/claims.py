"""Verdicts as the pages show them: by figure, this build's beside the published, counted apart where data stands in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fedatlas.claims.diagnoses import Diagnosis
from fedatlas.claims.readings import registered_readings
from fedatlas.claims.status import Status
from fedatlas.claims.tally import UnderReadings, claim_of, is_counted, under_readings
from fedatlas.data.kinds import DataKind
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper

Verdict = Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """One verdict and which runs it is from."""

    verdict: Verdict
    origin: str

    @property
    def status(self) -> Status:
        return Status(self.verdict["status"])

    @property
    def stand_in(self) -> bool:
        return is_stand_in(self.verdict)


@dataclass(frozen=True)
class Row:
    """One claim: the result that counts first, then the others.

    Attributes:
        quantity: what its numbers are, in words; empty where they speak for themselves.
        readings: its statuses under the main and other readings, if it has such.
        diagnosis: why it was not reproduced.
        registered: when what it checks was written.
    """

    id: str
    results: Sequence[Result]
    quantity: str = ""
    readings: UnderReadings | None = None
    diagnosis: Diagnosis | None = None
    registered: Mapping[str, Any] | None = None

    @property
    def verdict(self) -> Verdict:
        return self.results[0].verdict

    @property
    def status(self) -> Status:
        return self.results[0].status

    @property
    def expected(self) -> str:
        """What the claim expects, without the quantity, whose name stands above the numbers."""
        return self.verdict["expected"].removeprefix(self.quantity).lstrip(",: ")


def is_stand_in(verdict: Verdict) -> bool:
    return verdict["data"] == DataKind.STAND_IN


STAND_IN = "on simulated stand-in data, which does not count"
APART = "checks of selected settings, and what holds by construction, counted apart"


def counted(verdicts: Iterable[Verdict]) -> list[tuple[str, Counter]]:
    """(words, main verdicts by status), those on stand-in data and what is counted apart in groups of their own."""
    groups: dict[str, Counter] = {"": Counter(), APART: Counter(), STAND_IN: Counter()}
    for verdict in verdicts:
        if not verdict["reading"]:
            words = STAND_IN if is_stand_in(verdict) else "" if is_counted(verdict) else APART
            groups[words][Status(verdict["status"])] += 1
    return [(words, count) for words, count in groups.items() if count]


def rows_about(inputs: SiteInputs, paper: Paper, figure: Figure, key: str) -> list[Row]:
    """The claims that are judged on one experiment and speak about the figure."""
    scale = inputs.scale
    here = _about(inputs.verdicts, inputs, paper, figure, key) if key in inputs.results else {}
    published = inputs.published.get(key)
    kept = _about(published.verdicts, inputs, paper, figure, key) if published else {}
    found, first = [], inputs.is_kept(key)
    every = inputs.published_verdicts(paper.id) if first else inputs.verdicts
    registered = registered_readings((one for one in inputs.claims if one.paper == paper.id), inputs.results.known)
    mine = [verdict for verdict in every if verdict["paper"] == paper.id]
    readings = {one.claim: one for one in under_readings(mine, registered)}
    quantities = {claim.id: claim.check.numbers for claim in inputs.claims if claim.paper == paper.id}
    for id in {**here, **kept}:
        results = [Result(kept[id], f"{published.scale} scale, published")] if published and id in kept else []
        results += [Result(here[id], f"{scale} scale, this machine")] if id in here else []
        ordered = results if first else results[::-1]
        failed = ordered[0].status in (Status.FAILED, Status.INDICATED_AGAINST)
        row = Row(
            id,
            ordered,
            quantity=quantities.get(claim_of(ordered[0].verdict), ""),
            readings=readings.get(id),
            diagnosis=inputs.diagnoses.get((paper.id, id)) if failed else None,
            registered=inputs.registered.get(f"{paper.id}/{id}"),
        )
        found.append(row)
    return found


def _about(verdicts: Iterable[Verdict], inputs, paper: Paper, figure: Figure, key: str) -> dict[str, Verdict]:
    mine = [verdict for verdict in verdicts if verdict["experiment"] == key]
    return {v["id"]: v for v in mine if figure_of(v, inputs, paper).id == figure.id}


def figure_of(verdict: Verdict, inputs: SiteInputs, paper: Paper) -> Figure:
    """The figure that the claim's source names, if it shows the claim's experiment; else the experiment's own."""
    experiment = inputs.results.known[verdict["experiment"]]
    for figure in paper.showing(experiment):
        if any(_begins(verdict["source"], place) for place in (figure.id, *figure.sources)):
            return figure
    return paper.figure(experiment.figure)


def _begins(source: str, place: str) -> bool:
    """Whether the source is the place or in it: 'Figure 1, caption' is in 'Figure 1', 'Figure 12' is not."""
    rest = source.removeprefix(place)
    return rest != source and not rest[:1].isalnum()
