"""The first page: what the papers claim, what we found, and every result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from fedatlas.claims.readings import registered_readings
from fedatlas.claims.tally import by_chance, is_result, under_readings
from fedatlas.report.model.figure import anchor
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.papers import Paper, figure_order
from fedatlas.report.pages import layout
from fedatlas.report.pages.cards import cards
from fedatlas.report.pages.claims import counted
from fedatlas.results import summary
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import Run


def write_index(inputs: SiteInputs) -> None:
    """Writes `index.html`."""
    layout.write_page(inputs.out, "index.html", "fedatlas", _index(inputs), inputs.navigation)


def _index(inputs: SiteInputs) -> str:
    runs = inputs.results.all
    published = _in_order(one.results for one in inputs.published.values())
    here = _in_order(inputs.results.experiments.values())
    verdicts = inputs.published_verdicts()
    return layout.render(
        "index.html.j2",
        scale=inputs.scale,
        cards=cards(inputs),
        counts=counted(inputs.verdicts),
        chance=by_chance(verdicts),
        readings=_readings(inputs),
        published=_by_paper(inputs, [_row(own, verdicts) for own in published]),
        total={"runs": len(runs), "seconds": summary.seconds(runs), "machine": _machine(runs)} if runs else None,
        experiments=_by_paper(inputs, [_row(own, inputs.verdicts) for own in here]),
        papers=[_card(inputs, paper) for paper in inputs.papers],
    )


def _in_order(found: Iterable[ExperimentResults]) -> list[ExperimentResults]:
    """By figure; other readings stand beside their main ones on the papers' pages."""
    return sorted(
        (own for own in found if own.experiment.reading is None), key=lambda own: figure_order(own.experiment)
    )


def _readings(inputs: SiteInputs) -> list[str]:
    """How many published results that have other readings hold under all of them, under none, or depend on one."""
    registered = {
        paper.id: registered_readings((one for one in inputs.claims if one.paper == paper.id), inputs.results.known)
        for paper in inputs.papers
    }
    results = {id: filter(is_result, inputs.published_verdicts(id)) for id in registered}
    every = [one for id, verdicts in results.items() for one in under_readings(verdicts, registered[id])]
    words = ("depends on the reading" if one.words.startswith("depends") else one.words for one in every)
    return [_counted(count, said) for said, count in Counter(words).items()]


def _counted(count: int, said: str) -> str:
    """'1 holds under all', '13 depend on the reading', '2 are open': what is said of one claim, of so many."""
    if said == "open":
        return f"{count} {'is' if count == 1 else 'are'} open"
    verb, _, rest = said.partition(" ")
    return f"{count} {verb if count == 1 else verb.removesuffix('s')} {rest}"


def _by_paper(inputs: SiteInputs, rows: list[dict[str, Any]]) -> list[tuple[Paper, list[dict[str, Any]]]]:
    """The rows of each paper that has some, papers in their order in the atlas."""
    groups = [(paper, [row for row in rows if row["paper"] == paper.id]) for paper in inputs.papers]
    return [group for group in groups if group[1]]


def _machine(runs: Sequence[Run]) -> str:
    cores = summary.together(run.manifest.cores for run in runs)
    processor = summary.together(run.manifest.processor for run in runs)
    return f"{cores} cores of {processor}, {summary.peak_memory(runs)} at most"


def _row(results: ExperimentResults, verdicts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    experiment, runs = results.experiment, results.all
    return {
        "paper": experiment.paper,
        "href": f"{experiment.paper}.html#{anchor(experiment.figure)}",
        "figure": experiment.figure,
        "title": experiment.title,
        "scale": results.scale,
        "counts": counted(v for v in verdicts if v["experiment"] == results.key),
        "data": results.data,
        "stand_in": results.is_stand_in,
        "seeds": len(results.seeds),
        "seconds": summary.seconds(runs),
        "memory": summary.peak_memory(runs),
        "when": summary.when(runs),
        "commit": summary.commit(runs),
    }


def _card(inputs: SiteInputs, paper: Paper) -> dict[str, Any]:
    shown = {figure.id for figure in inputs.figures_shown(paper)}
    any_page = any(key.split("/")[0] == paper.id for key in inputs.shown)
    return {"paper": paper, "shown": shown if any_page else set(), "href": f"{paper.id}.html" if any_page else None}
