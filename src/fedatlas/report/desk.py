"""What notebooks work with: every result of one scale, its figures, tables and verdicts."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

import altair as alt
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.evidence import collect
from fedatlas.claims.quantities import Metric
from fedatlas.claims.schema import load_claims
from fedatlas.experiments.results import Axis, curves
from fedatlas.experiments.spec import load_experiments
from fedatlas.project import project_root
from fedatlas.report import frames, tables
from fedatlas.report.alt_texts import curves_alt, sweep_alt
from fedatlas.report.figures import curves as lines
from fedatlas.report.figures import sweep, theme
from fedatlas.report.papers import Figure, load_papers


class Desk:
    """The results of one scale.

    Args:
        scale: `quick` or `paper`.
        experiments: `<paper>/<id>` of those to load; all if not given.

    Raises:
        AtlasError: if the current folder is not in the project, or a run is missing.
    """

    def __init__(self, scale: str = "quick", experiments: Sequence[str] | None = None):
        config = (root := project_root()) / "config"
        known = load_experiments(config / "experiments", scale)
        self.evidence = collect(root / "data" / "runs", known, scale, list(experiments) if experiments else None)
        self.papers = {paper.id: paper for paper in load_papers(config / "papers", known)}
        self.claims = load_claims(config / "claims")

    @property
    def experiments(self) -> pd.DataFrame:
        """The experiments that are loaded, one per row."""
        loaded = self.evidence.experiments.values()
        rows = [{"experiment": e.key, "figure": e.figure, "title": e.title} for e in loaded]
        return pd.DataFrame(rows).set_index("experiment")

    def figure(self, key: str) -> HTML:
        """The paper's figure of one experiment."""
        figure = self._figure(key)
        with theme.style(theme.LIGHT):
            picture = lines.draw(self.evidence, key, figure, theme.LIGHT, columns=2)
        return _image(picture, curves_alt(self.evidence, key, figure))

    def sweep(self, key: str) -> HTML:
        """Heat maps and curves of the whole sweep of one experiment."""
        with theme.style(theme.LIGHT):
            picture = sweep.draw(self.evidence, key, theme.LIGHT, columns=4)
        return _image(picture, sweep_alt(self.evidence, key))

    def _figure(self, key: str) -> Figure:
        experiment = self.evidence.experiments[key]
        return next(f for f in self.papers[experiment.paper].figures if f.id == experiment.figure)

    def best(self, key: str) -> pd.DataFrame:
        """The paper's best configurations beside ours."""
        figure = self._figure(key)
        rows = tables.best_configurations(self.evidence, key, figure, self.claims)
        ends = pd.DataFrame([row["ends"] for row in rows], columns=[panel.name for panel in figure.panels])
        return pd.DataFrame(rows)[["name", "paper", "ours", "ties", "sent", "diverged"]].join(ends).set_index("name")

    def verdicts(self, paper: str) -> pd.DataFrame:
        """Every claim of a paper, what was expected, what was measured, and the verdict."""
        found = [check_claim(claim, self.evidence).as_json() for claim in self.claims if claim.paper == paper]
        return pd.DataFrame(found)[["figure", "statement", "expected", "measured", "status"]]

    def metrics(self, key: str) -> pd.DataFrame:
        """Every number of one experiment in long form, with algorithm, seed and hyper-parameters as columns."""
        parts = []
        for algorithm, by_seed in self.evidence.runs[key].items():
            for seed, run in by_seed.items():
                grid = pd.DataFrame(run.manifest["configurations"]).rename_axis("configuration").reset_index()
                parts.append(run.table.merge(grid, on="configuration").assign(algorithm=algorithm, seed=seed))
        return pd.concat(parts, ignore_index=True)

    def compare(self, metric: str, split: str, keys: Sequence[str], against: Axis = "rounds") -> alt.Chart:
        """One metric of the selected configurations of several experiments, side by side."""
        parts = [self._against(key, Metric(metric=metric, split=split), against) for key in keys]
        names = {k: v for key in keys for k, v in frames.names(self.evidence.runs[key]).items()}
        colours = {k: v for key in keys for k, v in frames.colours(self.evidence.runs[key]).items()}
        colour = alt.Color("algorithm:N").scale(domain=list(names.values()), range=[colours[name] for name in names])
        rows = pd.concat(parts, ignore_index=True).replace({"algorithm": names})
        return (
            alt.Chart(rows)
            .mark_line()
            .encode(x=f"{against}:Q", y=alt.Y("value:Q", title=Metric(metric=metric, split=split).name), color=colour)
            .encode(detail="seed:N", facet=alt.Facet("experiment:N", columns=2, title=None), tooltip=list(rows))
            .properties(width=330, height=220)
        )

    def _against(self, key: str, metric: Metric, against: Axis) -> pd.DataFrame:
        parts = []
        for algorithm, by_seed in self.evidence.runs[key].items():
            for seed, run in by_seed.items():
                rows = curves(run.table, metric.metric, metric.split, against).rename(columns={"x": against})
                chosen = rows[rows["configuration"] == run.manifest["selected"]["configuration"]]
                parts.append(chosen.assign(algorithm=algorithm, seed=seed, experiment=key))
        return pd.concat(parts)


def _image(figure: plt.Figure, alt_text: str) -> HTML:
    """The figure as an image on white, whatever the notebook's theme."""
    with theme.style(theme.LIGHT):
        content = base64.b64encode(theme.svg(figure)).decode()
    source = f"data:image/svg+xml;base64,{content}"
    return HTML(f'<img style="background: white" alt="{html.escape(alt_text)}" src="{source}">')


def _offline(spec: dict, **_) -> dict[str, str]:
    """A chart with its script inside: it needs no network, in the notebook and in the page made from it."""
    return {"text/html": alt.Chart.from_dict(spec).to_html(inline=True, fullhtml=False)}


alt.renderers.register("fedatlas", _offline)
alt.renderers.enable("fedatlas")
pd.set_option("display.max_colwidth", None)
