"""What notebooks work with: every result of one scale, its figures, tables and verdicts."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence

import altair as alt
import pandas as pd
from IPython.display import HTML

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import subjects
from fedatlas.claims.schema import load_claims
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.sections import Split
from fedatlas.experiments.spec import load_experiments
from fedatlas.project import project_root
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.picture import Draw
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper, load_papers
from fedatlas.report.overviews import overview
from fedatlas.report.overviews._base import Overview
from fedatlas.report.pages.best import best_configurations
from fedatlas.report.tables import make_table
from fedatlas.report.views import view
from fedatlas.results.axes import AXES, Axis
from fedatlas.results.collection import ExperimentResults, read_results
from fedatlas.results.freshness import complete
from fedatlas.results.metric import Metric


class Atlas:
    """The results of one scale.

    What its methods call `name` is an experiment, `fco/lasso_I`, or a figure of a paper, `fco/Figure 3`, which stands
    for every loaded experiment whose runs it shows. Where there are none, the methods say so instead of failing.

    Args:
        scale: `quick`, `medium` or `paper`.
        experiments: `<paper>/<id>` of those to load; all if not given that have been run completely and as
            their files are now.

    Raises:
        AtlasError: if the current folder is not in the project, or a run of an experiment that is asked for is missing.
    """

    def __init__(self, scale: str = "quick", experiments: Sequence[str] | None = None):
        config, data = (root := project_root()) / "config", root / "data"
        known = load_experiments(config / "experiments", scale)
        chosen = experiments or [key for key, old in complete(data / "runs", known).items() if not old]
        self.results = read_results(data / "runs", known, Scale(scale), chosen, data / "clients")
        self.papers = {paper.id: paper for paper in load_papers(config / "papers", known)}
        self.claims = load_claims(config / "claims")
        self._printed = PaperResults(config / "paper_results")

    @property
    def experiments(self) -> pd.DataFrame:
        """The experiments that are loaded, one per row."""
        rows = [
            {"experiment": own.key, "figure": own.experiment.figure, "title": own.experiment.title, "data": own.data}
            for own in self.results.experiments.values()
        ]
        return pd.DataFrame(rows, columns=["experiment", "figure", "title", "data"]).set_index("experiment")

    def figure(self, *names: str) -> HTML:
        """The paper's figures, of every loaded experiment that makes them."""
        return _together([part for name in names for part in self._pictures(name)])

    def table(self, name: str) -> pd.DataFrame:
        """A table of a paper, with our numbers beside the paper's."""
        made = make_table(*self._named(name), self._printed, self.results)
        return pd.DataFrame(made.rows, columns=made.heads)

    def clients(self, name: str) -> HTML:
        """Pictures of single clients: how accuracies are spread, and mixture weights."""
        kinds = ("client_accuracies", "client_weights", "client_entropies")
        found = [part for figure, own in self._of(name) for kind in figure.views if kind in kinds
                 for part in self._view(kind, own, figure, 2)]  # fmt: skip
        return _together(found or [(name, "No run of it has recorded single clients.")])

    def brain(self, name: str) -> HTML:
        """Maps of the models in the brain."""
        found = [part for figure, own in self._of(name) if figure.brain for part in self._view("brain", own, figure, 2)]
        return _together(found or [(name, "No model of voxels is on this disk.")])

    def sweep(self, name: str) -> HTML:
        """Scores and curves of the whole sweep."""
        found = [part for figure, own in self._of(name) for part in self._view("sweep", own, figure, 4)]
        return _together(found or [(name, "No sweep of it has been run.")])

    def best(self, name: str) -> pd.DataFrame:
        """The paper's best configurations beside ours."""
        return pd.concat([self._best(figure, own) for figure, own in self._of(name)] or [pd.DataFrame()])

    def verdicts(self, paper: str) -> pd.DataFrame:
        """Every claim of a paper, what was expected, what was measured on which data, and the verdict."""
        mine = [one for claim in self.claims if claim.paper == paper for one in subjects(claim, self.results.known)]
        found = [check_claim(subject, self.results).as_json() for subject in mine]
        columns = ["figure", "experiment", "statement", "expected", "measured", "data", "status"]
        return pd.DataFrame(found, columns=columns)

    def metrics(self, key: str) -> pd.DataFrame:
        """Every number of one experiment in long form, with algorithm, seed and hyper-parameters as columns."""
        parts = []
        for algorithm, by_seed in self.results[key].runs.items():
            for seed, run in by_seed.items():
                grid = pd.DataFrame(run.grid).rename_axis("configuration").reset_index()
                parts.append(run.table.merge(grid, on="configuration").assign(algorithm=algorithm, seed=seed))
        return pd.concat(parts, ignore_index=True)

    def compare(self, metric: str, split: Split, keys: Sequence[str], against: Axis = "rounds") -> alt.Chart:
        """One metric of the selected configurations of several experiments, side by side; those without it left out."""
        wanted = Metric(metric=metric, split=split)
        held = {key: own for key in keys if (own := self.results[key].holding(wanted)).runs}
        parts = [
            own.curves(wanted, against).replace({"algorithm": own.names}).assign(experiment=key)
            for key, own in held.items()
        ]
        colours = {name: own.colours[id] for own in held.values() for id, name in own.names.items()}
        colour = alt.Color("algorithm:N").scale(domain=[*colours], range=[*colours.values()])
        rows = pd.concat(parts, ignore_index=True)
        return (
            alt.Chart(rows)
            .mark_line()
            .encode(x=alt.X("x:Q", title=AXES[against].title), y=alt.Y("value:Q", title=wanted.name), color=colour)
            .encode(detail="seed:N", facet=alt.Facet("experiment:N", columns=2, title=None), tooltip=list(rows))
            .properties(width=330, height=220)
        )

    def _of(self, name: str) -> list[tuple[Figure, ExperimentResults]]:
        """(figure, results) of what is loaded of a name."""
        (paper, figure), loaded = self._named(name), self.results.experiments
        if name in self.results.known:
            return [(paper.with_panels(figure, loaded[name].experiment), loaded[name])] if name in loaded else []
        experiments = {key: own.experiment for key, own in loaded.items()}
        return [(paper.with_panels(figure, e), loaded[e.key]) for e in paper.experiments(figure, experiments)]

    def _named(self, name: str) -> tuple[Paper, Figure]:
        paper, experiment = self.papers[name.split("/")[0]], self.results.known.get(name)
        return paper, paper.figure(experiment.figure if experiment else name.split("/", 1)[1])

    def _pictures(self, name: str) -> list[tuple[str, str]]:
        figure, parts = self._named(name)[1], self._of(name)
        title = f"{figure.id}: {figure.about}, {self.results.scale} scale"
        if figure.illustration:
            return [(title, self._overview(overview(figure.illustration), figure, parts))]
        if len(parts) > 1 and figure.side_by_side:
            return [(title, self._overview(overview("side_by_side"), figure, parts))]
        found = [picture for shown, own in parts for picture in self._view(shown.view, own, shown, 2)]
        return found or [(title, f"Nothing of it has been run at {self.results.scale} scale.")]

    def _overview(self, kind: Overview, figure: Figure, parts: Sequence[tuple[Figure, ExperimentResults]]) -> str:
        results = {own.experiment.id: own for _, own in parts}
        columns = kind.columns["wide"]
        return _image(lambda ground, n: kind.draw(results, figure, ground, n), columns, kind.alt(results, figure))

    def _view(self, kind: str, results: ExperimentResults, figure: Figure, columns: int) -> list[tuple[str, str]]:
        """(title, picture) of one kind; nothing where the results hold nothing to draw."""
        chosen, shown = view(kind), results.shown(figure.algorithms)
        if chosen.table(shown, figure).empty:
            return []
        title = f"{figure.id}: {results.experiment.title}, {results.scale} scale, data: {results.data}"
        draw: Draw = lambda ground, n: chosen.draw(shown, figure, ground, n)  # noqa: E731
        return [(title, _image(draw, columns, chosen.alt(shown, figure)))]

    def _best(self, figure: Figure, results: ExperimentResults) -> pd.DataFrame:
        rows = best_configurations(results, figure, self.claims)
        ends = pd.DataFrame([row.ends for row in rows], columns=[panel.name for panel in figure.measures])
        table = pd.DataFrame(rows)[["name", "paper", "ours", "ties", "sent", "diverged"]].join(ends)
        return table.assign(experiment=results.key).set_index(["experiment", "name"])


def _image(draw: Draw, columns: int, alt_text: str) -> str:
    """The picture as an HTML image on white, whatever the notebook's theme."""
    with theme.style(theme.LIGHT):
        content = base64.b64encode(svg(draw(theme.LIGHT, columns), follow=False)).decode()
    source = f"data:image/svg+xml;base64,{content}"
    return f'<img style="background: white" alt="{html.escape(alt_text)}" src="{source}">'


def _together(parts: Sequence[tuple[str, str]]) -> HTML:
    """Titles, and the HTML that stands under each."""
    return HTML("".join(f"<h4>{html.escape(title)}</h4>{content}" for title, content in parts))


MARK = "\\ue000"  # as JSON writes a letter of Unicode's private use area, in which no text is written


def _offline(spec: dict, **_) -> dict[str, str]:
    """A chart with its script inside: it needs no network, in the notebook and in the page made from it.

    No `<` of the chart's own texts stands in the script: `<!--` or `<script` there would change where it ends.
    """
    marked = json.loads(json.dumps(spec).replace("<", MARK))
    return {"text/html": alt.Chart.from_dict(marked).to_html(inline=True, fullhtml=False).replace(MARK, "\\u003c")}


alt.renderers.register("fedatlas", _offline)
alt.renderers.enable("fedatlas")
alt.data_transformers.disable_max_rows()  # the page is read from disk
pd.set_option("display.max_colwidth", None)
