"""All pages of the atlas."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fedatlas.claims.evaluate import STATUSES
from fedatlas.files import write_text
from fedatlas.report import interactive, provenance, shell
from fedatlas.report.data_page import write_data
from fedatlas.report.material import Material
from fedatlas.report.paper_page import write_paper
from fedatlas.report.papers import Paper

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
    made = [p for p in material.papers if any(e.paper == p.id for e in material.evidence.experiments.values())]
    pages = ["index.html", *(f"{paper.id}.html" for paper in made), "assumptions.html", "data.html"]
    write_text(material.out / "assets" / "vega.js", interactive.bundle())
    for paper in made:
        write_paper(material, paper, pages)
    write_data(material, pages)
    shell.write_page(material.out, "assumptions.html", "Assumptions and errata", _assumptions(material), planned=pages)
    shell.write_page(material.out, "index.html", "fedatlas", _index(material), planned=pages)
    return pages


def _made(material: Material) -> set[tuple[str, str]]:
    """(paper, figure) of everything that was run."""
    return {(e.paper, e.figure) for e in material.evidence.experiments.values()}


def _index(material: Material) -> str:
    evidence, runs = material.evidence, provenance.all_runs(material.evidence)
    published = Counter(v["published"]["status"] for v in material.verdicts if v["published"])
    return shell.render(
        "index.html.j2",
        scale=evidence.scale,
        counts=Counter(verdict["status"] for verdict in material.verdicts),
        published=published if evidence.scale != "paper" else None,
        total={"runs": len(runs), "seconds": provenance.seconds(runs), "machine": _machine(runs)},
        experiments=[_row(material, key) for key in evidence.experiments],
        papers=[_card(material, paper) for paper in material.papers],
        meanings=MEANINGS,
    )


def _machine(runs) -> str:
    cores = provenance.together(run.manifest["cores"] for run in runs)
    processor = provenance.together(run.manifest["processor"] for run in runs)
    return f"{cores} cores of {processor}, {provenance.peak_memory(runs)} at most"


def _row(material: Material, key: str) -> dict[str, Any]:
    experiment, runs = material.evidence.experiments[key], provenance.all_runs(material.evidence, key)
    anchor = experiment.figure.lower().replace(" ", "-")
    return {
        "href": f"{experiment.paper}.html#{anchor}",
        "figure": experiment.figure,
        "title": experiment.title,
        "counts": Counter(v["status"] for v in material.verdicts if v["experiment"] == key),
        "data": provenance.together(run.manifest["dataset"]["kind"] for run in runs),
        "seeds": len({run.manifest["seed"] for run in runs}),
        "seconds": provenance.seconds(runs),
        "memory": provenance.peak_memory(runs),
    }


def _card(material: Material, paper: Paper) -> dict[str, Any]:
    made = {figure for owner, figure in _made(material) if owner == paper.id}
    return {"paper": paper, "made": made, "href": f"{paper.id}.html" if made else None}


def _assumptions(material: Material) -> str:
    groups = [(paper, [a for a in material.assumptions if a.paper == paper.id]) for paper in material.papers]
    return shell.render("assumptions.html.j2", groups=[group for group in groups if group[1]], made=_made(material))
