"""All pages of the atlas."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import replace

from fedatlas.errors import AtlasError
from fedatlas.report.drawing import vega
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.page_names import OVER_ALL
from fedatlas.report.pages.algorithms import write_algorithms
from fedatlas.report.pages.all_claims import write_claims
from fedatlas.report.pages.assumptions import write_assumptions
from fedatlas.report.pages.data import write_data
from fedatlas.report.pages.index import write_index
from fedatlas.report.pages.library import write_library
from fedatlas.report.pages.paper import write_paper
from fedatlas.report.pages.speed import write_speed


def build(inputs: SiteInputs, page: str | None = None, papers: Collection[str] | None = None) -> list[str]:
    """Writes pages, their figures and the assets under `inputs.out` and returns the names of the pages.

    Args:
        page: the one to write, a paper's id or one of OVER_ALL; all if not given. For a paper's page the inputs may
            lack what other papers have.
        papers: those that have a page, for the navigation; if not given, those of which the inputs show something.

    Raises:
        AtlasError: if nothing of the page's paper was run or published.
    """
    if papers is None:
        papers = {key.split("/")[0] for key in inputs.shown}
    made = [paper for paper in inputs.papers if paper.id in papers]
    inputs = replace(inputs, navigation=_navigation(inputs, papers))
    vega.write_bundle(inputs.out / "assets" / "vega.js")
    writers: dict[str, Callable[[SiteInputs], None]]
    writers = {paper.id: functools.partial(write_paper, paper=paper) for paper in made}
    writers |= {"data": write_data, "assumptions": write_assumptions, "index": write_index, "claims": write_claims}
    writers |= {"speed": write_speed, "algorithms": write_algorithms, "library": write_library}
    if page is not None and page not in writers:
        raise AtlasError(f"the page '{page}' would be empty: no experiment of the paper was run or published.")
    chosen = [*writers] if page is None else [page]
    for name in chosen:
        writers[name](inputs)
    return [f"{name}.html" for name in chosen]


def _navigation(inputs: SiteInputs, papers: Collection[str]) -> dict[str, str]:
    """What the links say, by page: the papers that have one between the first page and those about all."""
    of_papers = {f"{id}.html": short for id, short in inputs.short_names.items() if id in papers}
    return {"index.html": "fedatlas", **of_papers, **{f"{name}.html": name.capitalize() for name in OVER_ALL[1:]}}
