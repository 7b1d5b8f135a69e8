"""Every figure in every layout and theme."""

from __future__ import annotations

from pathlib import Path

from fedatlas.claims.evidence import Evidence
from fedatlas.report.figures import curves, sweep, theme
from fedatlas.report.papers import Figure

CURVES = {"wide": 2, "narrow": 1}
SWEEP = {"wide": 4, "narrow": 2}


def draw_pictures(out: Path, evidence: Evidence, key: str, figure: Figure) -> dict[str, str]:
    """Writes `<stem>-<wide|narrow>-<light|dark>.svg` of the curves and of the sweep; returns the stems under `out`."""
    stems = {kind: f"figures/{key.replace('/', '-')}-{kind}" for kind in ("curves", "sweep")}
    for ground in theme.THEMES:
        with theme.style(ground):
            for layout, columns in CURVES.items():
                picture = curves.draw(evidence, key, figure, ground, columns)
                theme.save(picture, out / f"{stems['curves']}-{layout}-{ground.name}.svg")
            for layout, columns in SWEEP.items():
                picture = sweep.draw(evidence, key, ground, columns)
                theme.save(picture, out / f"{stems['sweep']}-{layout}-{ground.name}.svg")
    return stems
