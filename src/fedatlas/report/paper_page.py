"""The page of one paper: every figure with its claims, best configurations, assumptions and provenance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import hyperparameter_name, listed, metric_name
from fedatlas.experiments.results import Run
from fedatlas.experiments.spec import Experiment
from fedatlas.report import frames, provenance, shell, tables
from fedatlas.report.alt_texts import curves_alt, sweep_alt
from fedatlas.report.assumptions import Assumption
from fedatlas.report.figures import theme
from fedatlas.report.interactive import explorer
from fedatlas.report.material import Material
from fedatlas.report.notebooks import write_notebook
from fedatlas.report.papers import Figure, Paper
from fedatlas.report.pictures import draw_pictures


def write_paper(material: Material, paper: Paper, planned: Sequence[str]) -> None:
    """Writes `<paper>.html`, its figures and the pages of its executed notebooks."""
    made = [
        (figure, experiment)
        for figure in paper.figures
        for experiment in paper.experiments(figure, material.evidence.experiments)
    ]
    body = shell.render(
        "paper.html.j2",
        paper=paper,
        scale=material.evidence.scale,
        counts=Counter(verdict["status"] for verdict in material.verdicts if verdict["paper"] == paper.id),
        parts=[_part(material, figure, experiment) for figure, experiment in made],
        missing=[figure for figure in paper.figures if figure not in [figure for figure, _ in made]],
        colours=_colours(material.evidence, [experiment for _, experiment in made]),
        notebook=_paper_notebook(material, paper, [experiment for _, experiment in made]),
    )
    shell.write_page(material.out, f"{paper.id}.html", paper.title, body, planned=planned)


def _part(material: Material, figure: Figure, experiment: Experiment) -> dict[str, Any]:
    """One figure's section."""
    evidence, key = material.evidence, experiment.key
    runs = provenance.all_runs(evidence, key)
    stems = draw_pictures(material.out, evidence, key, figure)
    return {
        "figure": figure,
        "experiment": experiment,
        "data": provenance.together(run.manifest["dataset"]["kind"] for run in runs),
        "seeds": list(dict.fromkeys(run.manifest["seed"] for run in runs)),
        "seconds": provenance.seconds(runs),
        "cores": provenance.together(run.manifest["cores"] for run in runs),
        "commit": provenance.commit(runs),
        "curves": stems["curves"],
        "sweep": stems["sweep"],
        "alt": curves_alt(evidence, key, figure),
        "sweep_alt": sweep_alt(evidence, key),
        "drawn": _drawn(evidence, key, figure),
        "explorer": _script(explorer(evidence, key)),
        "verdicts": [verdict for verdict in material.verdicts if verdict["experiment"] == key],
        "best": tables.best_configurations(evidence, key, figure, material.claims),
        "rates": f"({', '.join(map(hyperparameter_name, experiment.sweep))})",
        "rule": _rule(experiment),
        "sweep_words": listed(
            f"{len(values)} {name.replace('_lr', ' rate')}s" for name, values in experiment.sweep.items()
        ),
        "assumptions": [a for a in material.assumptions if _concerns(a, experiment)],
        "facts": provenance.facts(runs),
        "runs": [provenance.row(run, material.out, _run_notebook(material, run)) for run in runs],
        "configuration": provenance.configuration(evidence, key),
    }


def _concerns(assumption: Assumption, experiment: Experiment) -> bool:
    listed_there = assumption.paper == experiment.paper and experiment.figure in assumption.figures
    return listed_there or assumption.id in experiment.assumptions


def _rule(experiment: Experiment) -> str:
    rule = experiment.select
    return ", ties by ".join(
        f"{c.best} {metric_name(c.metric, c.split)}, mean over the last {c.over_last} rounds"
        for c in (rule, rule.ties)
        if c is not None
    )


def _drawn(evidence: Evidence, key: str, figure: Figure) -> str:
    """What the lines are, for the caption."""
    words = "Each algorithm with its best configuration of the sweep"
    if len(evidence.experiments[key].seeds.tuned):
        words += "; the line is the mean over seeds, the band spans them, every seed is drawn thin"
    if frames.baselines(evidence, key):
        words += "; the dashed level is where the baseline ends, whose rounds are epochs"
    return f"{words}."


def _colours(evidence: Evidence, experiments: Iterable[Experiment]) -> Markup:
    """The algorithms' colours as style properties that follow the page's theme."""
    colours = {k: v for e in experiments for k, v in frames.colours(evidence.runs[e.key]).items()}
    light, dark = (
        "; ".join(f"--algorithm-{name}: {ground.readable(colour)}" for name, colour in colours.items())
        for ground in (theme.LIGHT, theme.DARK)
    )
    return Markup(f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}")


def _script(content: dict[str, Any]) -> Markup:
    """JSON that is safe inside a script element."""
    return Markup(json.dumps(content, allow_nan=False, separators=(",", ":")).replace("</", "<\\/"))


def _run_notebook(material: Material, run: Run) -> str | None:
    source = run.folder / "train.ipynb"
    if not source.is_file():
        return None
    m = run.manifest
    name = f"notebooks/{m['paper']}/{m['experiment']}-{m['algorithm']['id']}-seed{m['seed']}.html"
    title = f"{m['algorithm']['name']} on {m['experiment']}, seed {m['seed']}"
    return write_notebook(source, material.out, name, title)


def _paper_notebook(material: Material, paper: Paper, experiments: list[Experiment]) -> str | None:
    """The paper's executed figures notebook lies beside the folders of its experiments."""
    runs = provenance.all_runs(material.evidence, experiments[0].key)
    source = runs[0].folder.parents[2] / f"{paper.id}.ipynb"
    if not source.is_file():
        return None
    return write_notebook(source, material.out, f"notebooks/{paper.id}.html", f"{paper.title}: figures")
