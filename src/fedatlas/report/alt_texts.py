"""What the pictures show, for those who do not see them."""

from __future__ import annotations

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.words import hyperparameter_name, listed, number
from fedatlas.report import frames
from fedatlas.report.figures import sweep
from fedatlas.report.papers import Figure


def curves_alt(evidence: Evidence, key: str, figure: Figure) -> str:
    runs = frames.federated(evidence, key)
    first = figure.panels[0]
    ends = [
        f"{name} {number(frames.last_value(runs[algorithm], first))}" for algorithm, name in frames.names(runs).items()
    ]
    panels = listed(panel.name for panel in figure.panels)
    return f"Curves of {panels} over the rounds. {first.name} at the last round: {', '.join(ends)}."


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
    return f"Heat maps of the sweep. {'; '.join(chosen)}."
