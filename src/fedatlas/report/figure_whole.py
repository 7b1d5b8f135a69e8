"""What stands above the experiments of a figure: illustrations, all of them side by side, and tables."""

from __future__ import annotations

from typing import Any

from fedatlas.claims.evidence import Evidence
from fedatlas.report import frames, paper_tables, pictures, savings
from fedatlas.report.alt_texts import averaging_alt, savings_alt, side_by_side_alt
from fedatlas.report.figures import averaging
from fedatlas.report.figures import savings as savings_picture
from fedatlas.report.illustrations import primal_averaging
from fedatlas.report.material import Material
from fedatlas.report.papers import Figure, Paper
from fedatlas.report.published import LABELS

AVERAGING = {"wide": 5, "narrow": 2}
SAVINGS = {"wide": 3, "narrow": 1}
ABOUT = {
    "primal_averaging": (
        "A small computation, made anew with this page and not an experiment: two clients with few noisy examples of "
        "the same sparse model each take local steps with an ℓ1 penalty. Averaged as models, the mistakes of both "
        "stay; averaged as dual states, before the proximal step, mistakes that are not shared fall below its "
        "threshold.",
        "Every square holds 64 coefficients, the stronger the larger; an empty cell is zero.",
    ),
    "communication_savings": (
        "Computed from Theorem 1, not measured: the largest share p of skipped communications with C(p) ≤ ε / (3 δ²), "
        "for the step size of Table 2 and L = 1, and Table 2's two approximations of it. δ bounds how much the "
        "clients' gradients differ anywhere, so what is measured can only be drawn against ε.",
        "Below the dotted share C₃ is smaller than one, above it larger: the two rows of Table 2, ε / (36 η δ²) and "
        "1 − 2 / log(ε / (42 η δ²)).",
    ),
}


def sources(material: Material, paper: Paper) -> list[tuple[str, Evidence]]:
    """What the page of a paper shows, with its label: published results of larger scales, then the build's own."""
    scale = material.evidence.scale
    own = (f"This machine, {scale} scale", material.evidence)
    if scale == "paper":
        return [own]
    kept = {one.scale for key, one in material.published.items() if key.split("/")[0] == paper.id}
    label = LABELS["paper"] if kept <= {"paper"} else "Every experiment at the largest scale at which it was run"
    return [(f"{label}, published with the atlas", material.kept), own]


def illustration(material: Material, paper: Paper, figure: Figure) -> dict[str, str]:
    """Draws the figure's illustration."""
    about, caption = ABOUT[figure.illustration]
    if figure.illustration == "primal_averaging":
        drawn, stem = primal_averaging(), "figures/primal-averaging"
        pictures.save_twice(material.out, stem, lambda ground, n: averaging.draw(drawn, ground, n), AVERAGING)
        return {"stem": stem, "alt": averaging_alt(drawn), "about": about, "caption": caption}
    stem = f"figures/{paper.id}-{figure.anchor}-theory"
    found = [
        (points, evidence) for _, evidence in sources(material, paper) if (points := skipped(evidence, paper, figure))
    ]
    points = found[0][0] if found else None
    pictures.save_twice(material.out, stem, lambda ground, n: savings_picture.draw(points, ground, n), SAVINGS)
    if points:
        caption += " Right: " + measured_words(found[0][1].scale)
    return {"stem": stem, "alt": savings_alt(points), "about": about, "caption": caption}


def measured_words(scale: str) -> str:
    return (
        f"the largest share of the sweep whose gap at the last round is at most ε, measured at {scale} scale; "
        "dots are its configurations, but for those that come nearer than any that skips."
    )


def skipped(evidence: Evidence, paper: Paper, figure: Figure) -> savings.Measured | None:
    """What the figure's experiment measured of skipping, if it was run."""
    found = [e for e in paper.experiments(figure, evidence.known) if e.key in evidence.runs]
    return savings.measured(evidence, found[0].key, figure.panels[0]) if found and figure.panels else None


def overviews(material: Material, paper: Paper, figure: Figure) -> list[dict[str, Any]]:
    """Draws the figure's experiments side by side, of every source that has any."""
    found = []
    for label, evidence in sources(material, paper):
        keys = [key for id in figure.side_by_side if (key := f"{paper.id}/{id}") in evidence.runs]
        if keys:
            stem = f"figures/{paper.id}-{figure.anchor}-{evidence.scale}-panels"
            lines = {colour for key in keys for colour in frames.colours(evidence.runs[key]).values()}
            draw = pictures.of_several(evidence, paper.id, figure)
            pictures.save(material.out, stem, draw, pictures.SIDE_BY_SIDE, sorted(lines))
            alt = side_by_side_alt(evidence, paper.id, figure)
            found.append({"label": label, "stem": stem, "alt": alt, "kinds": _kinds(evidence, keys)})
    return found


def _kinds(evidence: Evidence, keys: list[str]) -> list[str]:
    return list(dict.fromkeys(frames.data_kind(evidence.runs[key]) for key in keys))


def tables(material: Material, paper: Paper, figure: Figure) -> list[dict[str, Any]]:
    """The figure's table, with the runs of every source that has any beside it; at least once."""
    keys = {f"{paper.id}/{id}" for id in figure.table.of.values()}
    used = [(label, evidence) for label, evidence in sources(material, paper) if keys & set(evidence.runs)]
    return [
        {"label": label, "made": paper_tables.make(paper, figure, material.paper_results, evidence)}
        for label, evidence in used or [(None, material.evidence)]
    ]
