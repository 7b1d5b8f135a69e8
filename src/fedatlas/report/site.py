"""All pages of the atlas."""

from __future__ import annotations

from typing import Any

from fedatlas.claims.evaluate import STATUSES
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


def build(material: Material) -> list[str]:
    """Writes every page, figure and asset under `material.out` and returns the names of the pages."""
    papers = {key.split("/")[0] for key in material.shown}
    made = [paper for paper in material.papers if paper.id in papers]
    pages = ["index.html", *(f"{paper.id}.html" for paper in made), "assumptions.html", "data.html"]
    write_text(material.out / "assets" / "vega.js", interactive.bundle())
    for paper in made:
        write_paper(material, paper, pages)
    write_data(material, pages)
    shell.write_page(material.out, "assumptions.html", "Assumptions and errata", _assumptions(material), planned=pages)
    shell.write_page(material.out, "index.html", "fedatlas", _index(material), planned=pages)
    return pages


def _index(material: Material) -> str:
    evidence, runs = material.evidence, provenance.all_runs(material.evidence)
    return shell.render(
        "index.html.j2",
        scale=evidence.scale,
        counts=counted(material.verdicts),
        published=_by_paper(material, [row | _thumbnail(material, row) for row in published_rows(material.published)]),
        published_counts=counted(material.published_verdicts()),
        total={"runs": len(runs), "seconds": provenance.seconds(runs), "machine": _machine(runs)},
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
    pictures.save(material.out, stem, lambda ground, columns: curves.sketch(shown, key, figure, ground),
                  lines=frames.colours(shown.runs[key]).values())  # fmt: skip
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
