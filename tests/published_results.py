"""What is kept under reports/published, as the results that claims and pages are made from."""

from __future__ import annotations

import functools

from configuration import ROOT, known

from fedatlas.experiments.scales import Scale
from fedatlas.results.collection import Results
from fedatlas.results.published import Published, load_published
from fedatlas.results.published.read import KEPT_SCALES

FOLDER = ROOT / "reports" / "published"
PAPERS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@functools.cache
def published(paper: str = "*") -> dict[str, Published]:
    """By experiment's key; each paper's tables are read once, whoever asks.

    That takes seconds, which the first test that asks would be charged with and those after it would not: a test of
    the tables of every paper uses the fixture `all_published`.
    """
    if paper == "*":
        return {key: one for each in PAPERS for key, one in published(each).items()}
    return load_published(FOLDER, {scale: known(scale, paper) for scale in KEPT_SCALES}, paper)


def results(scale: Scale, paper: str = "*") -> Results:
    """The experiments that were published at a scale."""
    kept = {key: one.results for key, one in published(paper).items() if one.scale == scale}
    return Results(scale, known(scale, paper), kept)
