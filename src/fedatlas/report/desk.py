"""What notebooks work with: every result of one scale, its figures, tables and verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd
from IPython.display import HTML

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.evidence import collect
from fedatlas.claims.quantities import Metric
from fedatlas.claims.schema import load_claims
from fedatlas.experiments.results import Axis, curves
from fedatlas.experiments.spec import load_experiments
from fedatlas.project import project_root
from fedatlas.report import client_pictures, frames, paper_tables, pictures, provenance, tables
from fedatlas.report.alt_texts import averaging_alt, figure_alt, savings_alt, side_by_side_alt, sweep_alt
from fedatlas.report.figure_whole import skipped
from fedatlas.report.figures import averaging
from fedatlas.report.figures import savings as savings_picture
from fedatlas.report.illustrations import primal_averaging
from fedatlas.report.inline import image, together
from fedatlas.report.paper_results import PaperResults
from fedatlas.report.papers import Figure, Paper, load_papers


class Desk:
    """The results of one scale.

    What its methods call `name` is an experiment, `fco/lasso_I`, or a figure of a paper, `fco/Figure 3`, which stands
    for every loaded experiment whose runs it shows. Where there are none, the methods say so instead of failing.

    Args:
        scale: `quick` or `paper`.
        experiments: `<paper>/<id>` of those to load; all if not given that have been run completely and as
            their files are now.

    Raises:
        AtlasError: if the current folder is not in the project, or a run of an experiment that is asked for is missing.
    """

    def __init__(self, scale: str = "quick", experiments: Sequence[str] | None = None):
        config, data = (root := project_root()) / "config", root / "data"
        known = load_experiments(config / "experiments", scale)
        chosen = experiments or [key for key, old in provenance.complete(data / "runs", known).items() if not old]
        self.evidence = collect(data / "runs", known, scale, list(chosen))
        self.papers = {paper.id: paper for paper in load_papers(config / "papers", known)}
        self.claims = load_claims(config / "claims")
        self._clients = data / "clients"
        self._paper_results = PaperResults(config / "paper_results")

    @property
    def experiments(self) -> pd.DataFrame:
        """The experiments that are loaded, one per row."""
        rows = [
            {"experiment": e.key, "figure": e.figure, "title": e.title, "data": self._kind(e.key)}
            for e in self.evidence.experiments.values()
        ]
        return pd.DataFrame(rows, columns=["experiment", "figure", "title", "data"]).set_index("experiment")

    def figure(self, *names: str) -> HTML:
        """The paper's figures, of every loaded experiment that makes them."""
        return together([part for name in names for part in self._pictures(name)])

    def table(self, name: str) -> pd.DataFrame:
        """A table of a paper, with our numbers beside the paper's."""
        paper, figure = self._named(name)
        made = paper_tables.make(paper, figure, self._paper_results, self.evidence)
        return pd.DataFrame(made.rows, columns=made.heads)

    def clients(self, name: str) -> HTML:
        """Pictures of single clients: how accuracies are spread, and mixture weights."""
        found = [
            (self._title(figure, key), image(made.draw, 2, made.alt))
            for figure, key in self._of(name)
            for made in client_pictures.of_clients(self.evidence, key, figure).values()
        ]
        return together(found or [(name, "No run of it has recorded single clients.")])

    def brain(self, name: str) -> HTML:
        """Maps of the models in the brain."""
        parts = [(f, key, pictures.of_brain(self.evidence, key, f, self._clients)) for f, key in self._of(name)]
        alt_text = "Maps of the brain with each algorithm's weights."
        found = [(self._title(figure, key), image(draw, 2, alt_text)) for figure, key, draw in parts if draw]
        return together(found or [(name, "No model of voxels is on this disk.")])

    def sweep(self, name: str) -> HTML:
        """Scores and curves of the whole sweep."""
        parts = [(figure, key, pictures.of_sweep(self.evidence, key)) for figure, key in self._of(name)]
        found = [(self._title(f, key), image(draw, 4, sweep_alt(self.evidence, key))) for f, key, draw in parts if draw]
        return together(found or [(name, "No sweep of it has been run.")])

    def best(self, name: str) -> pd.DataFrame:
        """The paper's best configurations beside ours."""
        return pd.concat([self._best(figure, key) for figure, key in self._of(name)] or [pd.DataFrame()])

    def verdicts(self, paper: str) -> pd.DataFrame:
        """Every claim of a paper, what was expected, what was measured on which data, and the verdict."""
        found = [check_claim(claim, self.evidence).as_json() for claim in self.claims if claim.paper == paper]
        columns = ["figure", "experiment", "statement", "expected", "measured", "data", "status"]
        return pd.DataFrame(found, columns=columns)

    def metrics(self, key: str) -> pd.DataFrame:
        """Every number of one experiment in long form, with algorithm, seed and hyper-parameters as columns."""
        parts = []
        for algorithm, by_seed in self.evidence.runs[key].items():
            for seed, run in by_seed.items():
                grid = pd.DataFrame(run.manifest["configurations"]).rename_axis("configuration").reset_index()
                parts.append(run.table.merge(grid, on="configuration").assign(algorithm=algorithm, seed=seed))
        return pd.concat(parts, ignore_index=True)

    def compare(self, metric: str, split: str, keys: Sequence[str], against: Axis = "rounds") -> alt.Chart:
        """One metric of the selected configurations of several experiments, side by side; those without it left out."""
        keys = [key for key in keys if self._holds(key, metric, split)]
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

    def _of(self, name: str) -> list[tuple[Figure, str]]:
        """(figure, experiment) of what is loaded of a name."""
        (paper, figure), loaded = self._named(name), self.evidence.experiments
        if name in self.evidence.known:
            return [(paper.with_panels(figure, loaded[name]), name)] if name in loaded else []
        return [(paper.with_panels(figure, e), e.key) for e in paper.experiments(figure, loaded)]

    def _pictures(self, name: str) -> list[tuple[str, str]]:
        parts = self._of(name)
        if parts and parts[0][0].illustration:
            parts = []  # the measured points are in it
        if len(parts) > 1 and parts[0][0].side_by_side:
            return [self._several(name)]
        found = [
            (self._title(f, k), image(pictures.of_figure(self.evidence, k, f), 2, figure_alt(self.evidence, k, f)))
            for f, k in parts
        ]
        if found:
            return found
        paper, figure = self._named(name)
        if figure.illustration:
            return [(f"{figure.id}: {figure.about}", self._illustration(paper, figure))]
        return [(f"{figure.id}: {figure.about}", f"Nothing of it has been run at {self.evidence.scale} scale.")]

    def _named(self, name: str) -> tuple[Paper, Figure]:
        paper, experiment = self.papers[name.split("/")[0]], self.evidence.known.get(name)
        return paper, paper.figure(experiment.figure if experiment else name.split("/", 1)[1])

    def _several(self, name: str) -> tuple[str, str]:
        """A figure whose experiments are its panels, as one picture."""
        paper, figure = self._named(name)
        draw, alt_text = (
            pictures.of_several(self.evidence, paper.id, figure),
            side_by_side_alt(self.evidence, paper.id, figure),
        )
        return f"{figure.id}: {figure.about}, {self.evidence.scale} scale", image(draw, 3, alt_text)

    def _illustration(self, paper: Paper, figure: Figure) -> str:
        if figure.illustration == "primal_averaging":
            drawn = primal_averaging()
            return image(lambda ground, columns: averaging.draw(drawn, ground, columns), 5, averaging_alt(drawn))
        points = skipped(self.evidence, paper, figure)
        return image(lambda ground, columns: savings_picture.draw(points, ground, columns), 3, savings_alt(points))

    def _title(self, figure: Figure, key: str) -> str:
        experiment = self.evidence.experiments[key]
        return f"{figure.id}: {experiment.title}, {self.evidence.scale} scale, data: {self._kind(key)}"

    def _kind(self, key: str) -> str:
        return frames.data_kind(self.evidence.runs[key])

    def _holds(self, key: str, metric: str, split: str) -> bool:
        return bool(frames.holding(self.evidence.runs[key], Metric(metric=metric, split=split)))

    def _best(self, figure: Figure, key: str) -> pd.DataFrame:
        rows = tables.best_configurations(self.evidence, key, figure, self.claims)
        ends = pd.DataFrame([row["ends"] for row in rows], columns=[panel.name for panel in figure.measures])
        table = pd.DataFrame(rows)[["name", "paper", "ours", "ties", "sent", "diverged"]].join(ends)
        return table.assign(experiment=key).set_index(["experiment", "name"])

    def _against(self, key: str, metric: Metric, against: Axis) -> pd.DataFrame:
        parts = []
        for algorithm, by_seed in frames.holding(self.evidence.runs[key], metric).items():
            for seed, run in by_seed.items():
                rows = curves(run.table, metric.metric, metric.split, against).rename(columns={"x": against})
                chosen = rows[rows["configuration"] == run.manifest["selected"]["configuration"]]
                parts.append(chosen.assign(algorithm=algorithm, seed=seed, experiment=key))
        return pd.concat(parts)
