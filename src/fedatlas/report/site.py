"""All pages of the atlas."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

from fedatlas.claims.evaluate import STATUSES
from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.report import frames, interactive, pictures, provenance, shell
from fedatlas.report.data_page import write_data
from fedatlas.report.figures import curves
from fedatlas.report.figures.marks import STAND_IN
from fedatlas.report.material import Material
from fedatlas.report.paper_page import write_paper
from fedatlas.report.papers import Paper
from fedatlas.report.published_table import place, published_rows
from fedatlas.report.verdicts import counted

MEANINGS = dict(
    zip(
        STATUSES,
        (
            "What we measured is what the paper says, on every seed and for the whole interval over seeds.",
            "The paper gives a number, and we measured a better one, beyond the margin; that is a deviation too.",
            "We measured something else.",
            "The seeds spread across the threshold, or the measurement cannot decide.",
            "The claim needs the paper's own scale, or an experiment that was not run; numbers shown decide nothing.",
        ),
        strict=True,
    )
)


OTHERS = ("index", "assumptions", "data")  # the pages besides one for each paper


def build(material: Material, page: str | None = None, papers: Collection[str] | None = None) -> list[str]:
    """Writes pages, their figures and the assets under `material.out` and returns the names of the pages.

    Args:
        page: the one to write, a paper's id or one of OTHERS; all if not given. For a paper's page the material may
            lack what other papers have.
        papers: those that have a page, for the navigation; if not given, those of which the material shows something.

    Raises:
        AtlasError: if nothing of the page's paper was run or published.
    """
    if papers is None:
        papers = {key.split("/")[0] for key in material.shown}
    made = [paper for paper in material.papers if paper.id in papers]
    planned = ["index.html", *(f"{paper}.html" for paper in papers), "assumptions.html", "data.html"]
    vega = material.out / "assets" / "vega.js"
    if page in (None, "index") or not vega.is_file():
        write_text(vega, interactive.bundle())
    writers = {paper.id: functools.partial(write_paper, paper=paper) for paper in made}
    writers |= {"data": write_data, "assumptions": _write_assumptions, "index": _write_index}
    if page is not None and page not in writers:
        raise AtlasError(f"the page '{page}' would be empty: no experiment of the paper was run or published.")
    chosen = [*writers] if page is None else [page]
    for name in chosen:
        writers[name](material, planned=planned)
    return [f"{name}.html" for name in chosen]


def _write_index(material: Material, planned: Sequence[str]) -> None:
    shell.write_page(material.out, "index.html", "fedatlas", _index(material), planned=planned)


def _write_assumptions(material: Material, planned: Sequence[str]) -> None:
    body = _assumptions(material)
    shell.write_page(material.out, "assumptions.html", "Assumptions and errata", body, planned=planned)


def _index(material: Material) -> str:
    evidence, runs = material.evidence, provenance.all_runs(material.evidence)
    return shell.render(
        "index.html.j2",
        scale=evidence.scale,
        counts=counted(material.verdicts),
        published=_by_paper(material, [row | _thumbnail(material, row) for row in published_rows(material.published)]),
        published_counts=counted(material.published_verdicts()),
        total={"runs": len(runs), "seconds": provenance.seconds(runs), "machine": _machine(runs)} if runs else None,
        experiments=_by_paper(
            material, [_row(material, one.key) for one in sorted(evidence.experiments.values(), key=place)]
        ),
        papers=[_card(material, paper) for paper in material.papers],
        meanings=MEANINGS,
    )


def _by_paper(material: Material, rows: list[dict[str, Any]]) -> list[tuple[Paper, list[dict[str, Any]]]]:
    """The rows of each paper that has some, papers in their order in the atlas."""
    groups = [(paper, [row for row in rows if row["paper"] == paper.id]) for paper in material.papers]
    return [group for group in groups if group[1]]


def _machine(runs) -> str:
    cores = provenance.together(run.manifest["cores"] for run in runs)
    processor = provenance.together(run.manifest["processor"] for run in runs)
    return f"{cores} cores of {processor}, {provenance.peak_memory(runs)} at most"


def _href(paper: str, figure: str) -> str:
    return f"{paper}.html#{figure.lower().replace(' ', '-')}"


def _thumbnail(material: Material, row: dict[str, Any]) -> dict[str, str]:
    """A sketch of what was published, and where it is on its paper's page."""
    paper = next(paper for paper in material.papers if paper.id == row["paper"])
    published = material.published[row["key"]]
    figure, evidence = paper.with_panels(paper.figure(row["figure"]), published.experiment), published.evidence
    shown, key = frames.shown(evidence, row["key"], figure), row["key"]
    stem = f"figures/{key.replace('/', '-')}-sketch"
    draw = lambda ground, columns: curves.sketch(shown, key, figure, ground)  # noqa: E731
    pictures.save(material.out, stem, draw, pictures.SKETCH, frames.colours(shown.runs[key]).values())
    return {"sketch": stem, "panel": figure.panels[0].name, "href": _href(row["paper"], row["figure"])}


def _row(material: Material, key: str) -> dict[str, Any]:
    experiment, runs = material.evidence.experiments[key], provenance.all_runs(material.evidence, key)
    kind = frames.data_kind(material.evidence.runs[key])
    return {
        "paper": experiment.paper,
        "href": _href(experiment.paper, experiment.figure),
        "figure": experiment.figure,
        "title": experiment.title,
        "counts": counted(v for v in material.verdicts if v["experiment"] == key),
        "kind": kind,
        "stand_in": STAND_IN in kind,
        "seeds": len({run.manifest["seed"] for run in runs}),
        "seconds": provenance.seconds(runs),
        "memory": provenance.peak_memory(runs),
    }


def _card(material: Material, paper: Paper) -> dict[str, Any]:
    shown = {figure.id for figure in material.figures_shown(paper)}
    any_page = any(key.split("/")[0] == paper.id for key in material.shown)
    return {"paper": paper, "shown": shown if any_page else set(), "href": f"{paper.id}.html" if any_page else None}


def _assumptions(material: Material) -> str:
    groups = [(paper, [a for a in material.assumptions if a.paper == paper.id]) for paper in material.papers]
    shown = {(paper.id, id) for paper in material.papers for id in _card(material, paper)["shown"]}
    return shell.render("assumptions.html.j2", groups=[group for group in groups if group[1]], made=shown)
