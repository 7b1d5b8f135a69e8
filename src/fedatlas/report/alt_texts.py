"""What the pictures show, for those who do not see them."""

from __future__ import annotations

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import hyperparameter_name, listed, number
from fedatlas.report import frames
from fedatlas.report.figures import scatter, sweep
from fedatlas.report.illustrations import Averaging
from fedatlas.report.papers import Figure


def figure_alt(evidence: Evidence, key: str, figure: Figure) -> str:
    """Of the figure's picture of one experiment, which `evidence` holds as the figure shows it."""
    evidence = frames.shown(evidence, key, figure)
    text = _scatter_alt(evidence, key, figure) if figure.scatter else _curves_alt(evidence, key, figure)
    return ("Stand-in data. " if "stand-in" in frames.data_kind(evidence.runs[key]) else "") + text


def _curves_alt(evidence: Evidence, key: str, figure: Figure) -> str:
    runs = frames.federated(evidence, key)
    first = figure.panels[0]
    ends = [
        f"{name} {number(frames.last_value(runs[algorithm], first))}" for algorithm, name in frames.names(runs).items()
    ]
    panels = listed(panel.name for panel in figure.panels)
    return f"Curves of {panels} over the rounds. {first.name} at the last round: {', '.join(ends)}."


def _scatter_alt(evidence: Evidence, key: str, figure: Figure) -> str:
    table, plan = scatter.dots(evidence, key, figure), figure.scatter
    last = table[table["round"] == table["round"].max()].groupby("algorithm")[["x", "y"]].median()
    names = frames.names(frames.federated(evidence, key))
    medians = [
        f"{names[algorithm]} {plan.x.name} {number(row.x)}, {plan.y.name} {number(row.y)}"
        for algorithm, row in last.iterrows()
    ]
    rounds = listed(map(str, sorted(table["round"].unique())))
    return (
        f"{plan.y.name} against {plan.x.name} of every configuration after rounds {rounds}. "
        f"Medians at the last: {'; '.join(medians)}."
    )


def averaging_alt(averaging: Averaging) -> str:
    densities = listed(f"{name} {density:.0%}" for name, density in averaging.densities.items())
    return f"Squares of coefficients. Share that is not zero: {densities}."


def sweep_alt(evidence: Evidence, key: str) -> str:
    runs = sweep.swept(evidence, key)
    chosen = []
    for algorithm, name in frames.names(runs).items():
        manifest = frames.sweep_run(runs[algorithm]).manifest
        configuration = manifest["configurations"][manifest["selected"]["configuration"]]
        words = ", ".join(f"{hyperparameter_name(k)} {number(v)}" for k, v in configuration.items())
        chosen.append(
            f"{name} selects {words}, {len(manifest['diverged'])} of {len(manifest['configurations'])} diverged"
        )
    return f"Scores of the sweep. {'; '.join(chosen)}."
