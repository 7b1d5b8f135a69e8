"""What notebooks work with: every result of one scale, its figures, tables and verdicts."""

from __future__ import annotations

import html
from collections.abc import Sequence

import altair as alt
import pandas as pd
from IPython.display import HTML

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import subjects
from fedatlas.claims.schema import load_claims
from fedatlas.errors import AtlasError
from fedatlas.experiments.sections import Split
from fedatlas.formatting import listed, metric_name
from fedatlas.names import instead
from fedatlas.project import project_root
from fedatlas.report.drawing.in_notebooks import facets, image, together
from fedatlas.report.drawing.picture import Draw
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper, load_papers
from fedatlas.report.overviews import overview
from fedatlas.report.overviews._base import Overview
from fedatlas.report.pages.best import best_configurations
from fedatlas.report.tables import make_table
from fedatlas.report.views import view
from fedatlas.results.axes import AXES, Axis
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.metric import Metric
from fedatlas.results.opened import PUBLISHED, PUBLISHED_FOLDER, open_results
from fedatlas.results.published import read_verdicts
from fedatlas.results.table import COLUMNS, OVER_ALL_CLIENTS


class Atlas:
    """Results of the atlas.

    What its methods call `name` is an experiment, `fco/lasso_I`, or a figure of a paper, `fco/Figure 3`, which stands
    for every loaded experiment whose runs it shows. Where there are none, the methods say so instead of failing.

    Args:
        scale: `quick`, `medium` or `paper`, of this machine's runs; `published`, what is kept in git; or `by-hand`,
            what `train.ipynb` has left.
        experiments: `<paper>/<id>` of those to load; all if not given that have been run completely and as
            their files are now.

    Raises:
        AtlasError: if the current folder is not in the project, or a run of an experiment that is asked for is missing.
    """

    def __init__(self, scale: str = "quick", experiments: Sequence[str] | None = None):
        config = (root := project_root()) / "config"
        self.results = open_results(root, scale, experiments)
        self._published = root / PUBLISHED_FOLDER if scale == PUBLISHED else None
        self.papers = {paper.id: paper for paper in load_papers(config / "papers", self.results.known)}
        self.claims = load_claims(config / "claims")
        self._printed = PaperResults(config / "paper_results")
        if not self.results.experiments:
            print(f"Nothing has been run {_where(scale)} yet. Atlas('published') opens what is kept in git.")

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
        return together([part for name in names for part in self._pictures(name)])

    def table(self, name: str) -> pd.DataFrame:
        """A table of a paper, with our numbers beside the paper's."""
        made = make_table(*self._named(name), self._printed, self.results)
        return pd.DataFrame(made.rows, columns=made.heads)

    def clients(self, name: str) -> HTML:
        """Pictures of single clients: how accuracies are spread, and mixture weights."""
        kinds = ("client_accuracies", "client_weights", "client_entropies")
        found = [part for figure, own in self._of(name) for kind in figure.views if kind in kinds
                 for part in self._view(kind, own, figure, 2)]  # fmt: skip
        return together(found or [(name, "No run of it has recorded single clients.")])

    def brain(self, name: str) -> HTML:
        """Maps of the models in the brain."""
        found = [part for figure, own in self._of(name) if figure.brain for part in self._view("brain", own, figure, 2)]
        return together(found or [(name, "No model of voxels is on this disk.")])

    def sweep(self, name: str) -> HTML:
        """Scores and curves of the whole sweep."""
        found = [part for figure, own in self._of(name) for part in self._view("sweep", own, figure, 4)]
        return together(found or [(name, "No sweep of it has been run.")])

    def best(self, name: str) -> pd.DataFrame:
        """The paper's best configurations beside ours."""
        return pd.concat([self._best(figure, own) for figure, own in self._of(name)] or [pd.DataFrame()])

    def names(self, paper: str) -> list[str]:
        """The figures of a paper that there is something of to draw."""
        names = {f"{paper}/{figure.id}": figure for figure in self._paper(paper).figures}
        return [name for name, figure in names.items() if figure.illustration or self._of(name)]

    def best_of(self, paper: str) -> pd.DataFrame:
        """The best configurations of all its figures."""
        return pd.concat([self.best(name) for name in self.names(paper)] or [pd.DataFrame()])

    def verdicts(self, paper: str) -> pd.DataFrame:
        """Every claim of a paper, what was expected, what was measured on which data, and the verdict.

        Of what is published these are the verdicts that were published: its tables keep too little for some of them.
        """
        self._paper(paper)  # an unknown one is told
        if self._published:
            mine = [key for key in self.results.experiments if key.startswith(f"{paper}/")]
            found = [one for key in mine for one in read_verdicts(self._published / key / "claims.json")]
        else:
            own = [claim for claim in self.claims if claim.paper == paper]
            judged = [check_claim(one, self.results) for claim in own for one in subjects(claim, self.results.known)]
            found = [verdict.as_json() for verdict in judged]
        columns = ["figure", "experiment", "statement", "expected", "measured", "data", "status"]
        return pd.DataFrame(found, columns=columns)

    def metrics(self, key: str) -> pd.DataFrame:
        """Every number of one experiment in long form, with algorithm, seed and hyper-parameters as columns."""
        if key not in self.results:
            print(self._absent(key))
            return pd.DataFrame(columns=[*COLUMNS, "algorithm", "seed"])
        parts = []
        for algorithm, by_seed in self.results[key].runs.items():
            for seed, run in by_seed.items():
                grid = pd.DataFrame(run.grid).rename_axis("configuration").reset_index()
                parts.append(run.table.merge(grid, on="configuration").assign(algorithm=algorithm, seed=seed))
        return pd.concat(parts, ignore_index=True)

    def ends(self, key: str) -> pd.DataFrame:
        """Where an experiment ends: a row for each algorithm, configuration and seed, a column for each metric."""
        rows = self.metrics(key)
        rows = rows[(rows["client"] == OVER_ALL_CLIENTS) & (rows["split"] != "cost")]
        last = rows[rows["round"] == rows.groupby("algorithm")["round"].transform("max")]
        rates = [name for name in rows.columns if name not in (*COLUMNS, "algorithm", "seed")]
        named = last.assign(metric=[metric_name(m, s) for m, s in zip(last["metric"], last["split"], strict=True)])
        return named.pivot(index=["algorithm", "seed", *rates], columns="metric", values="value")

    def compare(
        self,
        metric: str | None = None,
        split: Split = "test",
        keys: Sequence[str] | None = None,
        against: Axis = "rounds",
    ) -> alt.Chart | HTML:
        """A metric of the selected configurations of several experiments, side by side; those without it left out.

        Drawn are the algorithms that communicate, on the seeds that selected nothing, on all where there are none.

        Args:
            metric: if not given, that which selects configurations in the first of the experiments.
            keys: the experiments, all that are loaded if not given.
        """
        loaded = [key for key in keys or self.results.experiments if key in self.results]
        if not loaded:
            return HTML(html.escape(self._absent(*(keys or ()))))
        rule = self.results[loaded[0]].experiment.select
        wanted = Metric(metric=metric, split=split) if metric else Metric(metric=rule.metric, split=rule.split)
        held = {key: own for key in loaded if (own := self.results[key].holding(wanted).only_scored.federated).runs}
        if not held:
            return HTML(f"None of these has recorded {html.escape(wanted.name)}.")
        parts = [
            own.curves(wanted, against).replace({"algorithm": own.names}).assign(experiment=key)
            for key, own in held.items()
        ]
        colours = {name: own.colours[id] for own in held.values() for id, name in own.names.items()}
        return facets(pd.concat(parts, ignore_index=True), colours, AXES[against].title, wanted.name)

    def with_readings(self, key: str) -> list[str]:
        """An experiment and those loaded that are other readings of it, for `compare`."""
        loaded = [own.experiment for own in self.results.experiments.values()]
        return [key, *(one.key for one in loaded if one.reading and f"{one.paper}/{one.reading.of}" == key)]

    def _absent(self, *keys: str) -> str:
        """A sentence on experiments that are not loaded."""
        there = ", ".join(self.results.experiments) or "nothing"
        return f"{', '.join(keys) or 'Nothing'} has not been run here; loaded: {there}."

    def _of(self, name: str) -> list[tuple[Figure, ExperimentResults]]:
        """(figure, results) of what is loaded of a name."""
        (paper, figure), loaded = self._named(name), self.results.experiments
        if name in self.results.known:
            return [(paper.with_panels(figure, loaded[name].experiment), loaded[name])] if name in loaded else []
        experiments = {key: own.experiment for key, own in loaded.items()}
        return [(paper.with_panels(figure, e), loaded[e.key]) for e in paper.experiments(figure, experiments)]

    def _paper(self, id: str) -> Paper:
        if id not in self.papers:
            raise AtlasError(f"there is no paper '{id}'; {instead(id, self.papers)}")
        return self.papers[id]

    def _named(self, name: str) -> tuple[Paper, Figure]:
        id, _, figure = name.partition("/")
        if id not in self.papers or not figure:
            known = [
                *self.results.known,
                *(f"{paper.id}/{f.id}" for paper in self.papers.values() for f in paper.figures),
            ]
            raise AtlasError(f"there is no figure or experiment '{name}'; {instead(name, known)}")
        paper, experiment = self.papers[id], self.results.known.get(name)
        return paper, paper.figure(experiment.figure if experiment else figure)

    def _pictures(self, name: str) -> list[tuple[str, str]]:
        figure, parts = self._named(name)[1], self._of(name)
        scales = dict.fromkeys(own.scale for _, own in parts) or [self.results.scale]
        title = f"{figure.id}: {figure.about}, {listed(scales)} scale"
        if figure.illustration:
            return [(title, self._overview(overview(figure.illustration), figure, parts))]
        if len(parts) > 1 and figure.side_by_side:
            return [(title, self._overview(overview("side_by_side"), figure, parts))]
        found = [picture for shown, own in parts for picture in self._view(shown.view, own, shown, 2)]
        return found or [(title, f"Nothing of it has been run at {listed(scales)} scale.")]

    def _overview(self, kind: Overview, figure: Figure, parts: Sequence[tuple[Figure, ExperimentResults]]) -> str:
        results = {own.experiment.id: own for _, own in parts}
        columns = kind.columns["wide"]
        return image(lambda ground, n: kind.draw(results, figure, ground, n), columns, kind.alt(results, figure))

    def _view(self, kind: str, results: ExperimentResults, figure: Figure, columns: int) -> list[tuple[str, str]]:
        """(title, picture) of one kind; nothing where the results hold nothing to draw."""
        chosen, shown = view(kind), results.shown(figure.algorithms)
        if chosen.table(shown, figure).empty:
            return []
        title = f"{figure.id}: {results.experiment.title}, {results.scale} scale, data: {results.data}"
        draw: Draw = lambda ground, n: chosen.draw(shown, figure, ground, n)  # noqa: E731
        return [(title, image(draw, columns, chosen.alt(shown, figure)))]

    def _best(self, figure: Figure, results: ExperimentResults) -> pd.DataFrame:
        rows = best_configurations(results, figure, self.claims)
        ends = pd.DataFrame([row.ends for row in rows], columns=[panel.name for panel in figure.measures])
        table = pd.DataFrame(rows)[["name", "paper", "ours", "ties", "sent", "diverged"]].join(ends)
        return table.assign(experiment=results.key).set_index(["experiment", "name"])


def _where(scale: str) -> str:
    return {"by-hand": "by hand", "published": "and published"}.get(scale, f"at {scale} scale")
