"""What the pages of one build are made from."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fedatlas.claims.diagnoses import Diagnosis
from fedatlas.claims.schema import Claim
from fedatlas.data.sources import Source
from fedatlas.experiments.scales import Scale
from fedatlas.report.model.assumptions import Assumption
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper
from fedatlas.report.model.speed import Speed
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.published import Published


@dataclass(frozen=True)
class SiteInputs:
    """Everything that the pages of one build are made from.

    Attributes:
        out: the folder of all pages.
        stores: the folder of the client stores.
        results: what this machine has run.
        verdicts: the entries of reports/claims/<paper>.json.
        published: what is kept in git, by experiment.
        diagnoses: why claims were not reproduced, by paper and claim.
        registered: when each published claim was written, by `<paper>/<id>`.
        short_names: of all papers of the atlas, by id.
        sources: what can be fetched, for the page of the data.
        speed: what `make speed` measured last; None if it was never called.
        guides: executed notebooks about the library.
        navigation: what the links between pages say, by page.
    """

    out: Path
    stores: Path
    results: Results
    claims: Sequence[Claim]
    verdicts: Sequence[dict[str, Any]]
    published: Mapping[str, Published]
    papers: Sequence[Paper]
    assumptions: Sequence[Assumption]
    paper_results: PaperResults
    short_names: Mapping[str, str]
    diagnoses: Mapping[tuple[str, str], Diagnosis] = field(default_factory=dict)
    registered: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: Mapping[str, Source] = field(default_factory=dict)
    speed: Speed | None = None
    guides: Sequence[Path] = ()
    navigation: Mapping[str, str] = field(default_factory=dict)

    @property
    def scale(self) -> Scale:
        """Of what this machine has run."""
        return self.results.scale

    @functools.cached_property
    def kept(self) -> Results:
        """What counts as it is published, each experiment at its own scale."""
        kept = {key: one.results for key, one in self.published.items() if self.is_kept(key)}
        return Results(Scale.PAPER, self.results.known, kept)

    @property
    def shown(self) -> set[str]:
        """The experiments of which there is something to show: run, or published."""
        return {*self.results.experiments, *self.published}

    def is_larger(self, key: str) -> bool:
        """Whether what is published of an experiment comes before this build's: it is of a larger scale."""
        return key in self.published and self.published[key].scale.size > self.scale.size

    def is_kept(self, key: str) -> bool:
        """Whether what is published of an experiment counts: it is of a larger scale, or was not run here."""
        return self.is_larger(key) or (key in self.published and key not in self.results)

    def of(self, key: str) -> ExperimentResults | None:
        """What counts of an experiment: what is published of a larger scale, else what this machine has run."""
        return self.published[key].results if self.is_kept(key) else self.results.experiments.get(key)

    def published_verdicts(self, paper: str | None = None) -> list[dict[str, Any]]:
        """The published verdicts of a paper, or of all."""
        verdicts = [verdict for one in self.published.values() for verdict in one.verdicts]
        return [verdict for verdict in verdicts if paper in (None, verdict["paper"])]

    def figures_shown(self, paper: Paper) -> list[Figure]:
        """The figures that stand on the paper's page with something to see."""
        return [figure for figure in paper.figures if figure.is_made or self._any_shown(paper, figure)]

    def _any_shown(self, paper: Paper, figure: Figure) -> bool:
        return any(one.key in self.shown for one in paper.experiments(figure, self.results.known))
