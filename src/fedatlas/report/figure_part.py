"""What one experiment contributes to a figure of its paper's page."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import listed
from fedatlas.experiments.spec import Experiment
from fedatlas.report import (
    client_pictures,
    frames,
    guides,
    interactive,
    interactive_along,
    interactive_scatter,
    pictures,
    provenance,
    verdicts,
)
from fedatlas.report.alt_texts import figure_alt
from fedatlas.report.figure_details import details
from fedatlas.report.figures.marks import STAND_IN
from fedatlas.report.material import Material
from fedatlas.report.papers import Figure, Paper


def part(material: Material, paper: Paper, figure: Figure, experiment: Experiment) -> dict[str, Any]:
    """Pictures, claims and details of one experiment in one figure; draws what it names."""
    key, figure = experiment.key, paper.with_panels(figure, experiment)
    here = key in material.evidence.experiments
    views = [_published_view(material, figure, key)] if material.published_first(key) else []
    views += [_own_view(material, figure, key)] if here else []
    views += [_published_view(material, figure, key)] if key in material.published and not views else []
    kept = material.published.get(key)
    return {
        "experiment": kept.experiment if kept and not here else experiment,  # titles may differ between scales
        "views": views,
        "stand_in": bool(views) and all(STAND_IN in view["kind"] for view in views),
        "absent": None if here else absence(material, experiment),
        "claims": verdicts.rows(material, paper, figure, key),
        "details": details(material, figure, experiment) if here and experiment.figure == figure.id else None,
        "home": paper.figure(experiment.figure) if experiment.figure != figure.id else None,
    }


def absence(material: Material, experiment: Experiment) -> str:
    """Why this build has no runs of the experiment, and where what is shown instead comes from."""
    why = f"It was not among the experiments that this machine ran at {material.evidence.scale} scale."
    if not experiment.runs_here:
        why = f"It is run at {listed(experiment.scales)} scale only."
    if experiment.key not in material.published:
        return why
    scale = material.published[experiment.key].scale
    return f"{why} What is shown was computed at {scale} scale and published with the atlas."


def _view(material: Material, evidence: Evidence, figure: Figure, key: str, stem: str) -> dict[str, Any]:
    """One picture of the figure, its interactive view, and what made it."""
    runs, shown = provenance.all_runs(evidence, key), frames.shown(evidence, key, figure)
    return {
        "stem": pictures.save(
            material.out,
            stem,
            pictures.of_figure(evidence, key, figure),
            lines=frames.colours(shown.runs[key]).values(),
        ),
        "alt": figure_alt(evidence, key, figure),
        "drawn": _drawn(shown, key, figure),
        "explorer": script(_explorer(shown, key, figure)),
        "kind": frames.data_kind(evidence.runs[key]),
        "seeds": len({run.manifest["seed"] for run in runs}),
        "seconds": provenance.seconds(runs),
        "cores": provenance.together(run.manifest["cores"] for run in runs),
        "when": provenance.when(runs),
        "commit": provenance.commit(runs),
        "scale": evidence.scale,
        "clients": _of_clients(material, evidence, figure, key, stem),
        "brain": None,
        "brain_file": None,
    }


def _of_clients(material: Material, evidence: Evidence, figure: Figure, key: str, stem: str) -> list[dict[str, str]]:
    """The pictures of single clients."""
    return [
        {"stem": client_pictures.save(material.out, f"{stem}-{which}", made), "alt": made.alt, "caption": made.caption}
        for which, made in client_pictures.of_clients(evidence, key, figure).items()
    ]


def _explorer(shown: Evidence, key: str, figure: Figure) -> dict[str, Any]:
    if figure.scatter:
        return interactive_scatter.explorer(shown, key, figure)
    return (interactive_along if figure.is_sensitivity else interactive).explorer(shown, key, figure)


def _own_view(material: Material, figure: Figure, key: str) -> dict[str, Any]:
    """Of the runs of this build."""
    stem = f"figures/{key.replace('/', '-')}-{figure.anchor}"
    view = _view(material, material.evidence, figure, key, stem)
    brain = pictures.of_brain(material.evidence, key, figure, material.clients)
    return view | {
        "label": f"This machine, {material.evidence.scale} scale",
        "brain": pictures.save_twice(material.out, f"{stem}-brain", brain) if brain else None,
    }


def _published_view(material: Material, figure: Figure, key: str) -> dict[str, Any]:
    """Of the results that the atlas keeps."""
    published = material.published[key]
    stem = f"figures/{key.replace('/', '-')}-{figure.anchor}-published"
    return _view(material, published.evidence, figure, key, stem) | {
        "label": published.label,
        "brain_file": published.picture("brain", material.out) if figure.brain else None,
    }


def _drawn(evidence: Evidence, key: str, figure: Figure) -> str:
    """What the lines or dots are, for the caption."""
    if figure.scatter:
        within = figure.scatter.product
        which = f", those whose rates multiply to between {within[0]:g} and {within[1]:g}" if within else ""
        return f"Each dot is one configuration of the sweep{which}; what has diverged is left out."
    if figure.is_sensitivity:
        return (
            "Every point is the score of the sweep with this value and with what is best of all others, "
            "and the band spans the seeds. A value with which nothing converges has no point."
        )
    if figure.is_over_settings:
        return "A point is the best configuration of a sweep at the last round, mean over seeds; the band spans them."
    words = "Each algorithm with its best configuration of the sweep"
    if len({run.manifest["seed"] for run in provenance.all_runs(evidence, key)}) > 1:
        words += "; the line is the mean over seeds, the band spans them, every seed is drawn thin"
    if frames.baselines(evidence, key):
        words += "; a dashed level is where a baseline ends, whose rounds are epochs"
    rates = guides.guides(evidence, key, figure, figure.against)
    if rates:
        words += (
            "; grey dashes are rates of the theory, whose constant is chosen so that they start where {} does".format(
                listed(dict.fromkeys(rate.run.manifest["algorithm"]["name"] for rate in rates))
            )
        )
    return f"{words}."


def script(content: dict[str, Any]) -> Markup:
    """JSON that is safe inside a script element."""
    return Markup(json.dumps(content, allow_nan=False, separators=(",", ":")).replace("</", "<\\/"))
