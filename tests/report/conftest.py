"""Pages made from whole runs whose numbers are made up."""

from __future__ import annotations

from pathlib import Path

import configuration
import nbformat
import pytest
from made_runs import best, write_runs
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from fedatlas.cli import main
from fedatlas.experiments.runs import RunId
from fedatlas.results.collection import Results, read_results

CONFIG = Path(__file__).parents[2] / "config"
KEYS = ["fco/haxby", "fco/lasso_I", "fco/lasso_II"]
PUBLISHED = ["fco/haxby_stand_in", "fco/lasso_I", "fco/lasso_II"]


def too_large(run: RunId) -> list[int]:
    """Client rates above 0.001 diverge, but for the configuration that is selected."""
    grid = run.configurations
    large = [i for i, rates in enumerate(grid) if rates.get("client_lr", 0) > 0.001]
    return [i for i in large if i != best(run) and run.stage == "sweep"]


@pytest.fixture(scope="session")
def runs(tmp_path_factory) -> Path:
    """data/runs with every experiment of quick scale, with executed notebooks, and some at paper scale."""
    folder = tmp_path_factory.mktemp("project") / "data" / "runs"
    for scale in ("quick", "paper"):
        known = configuration.known(scale)
        write_runs(folder, [known[key] for key in (PUBLISHED if scale == "paper" else known)], diverged=too_large)
    for run in (folder / "quick").glob("*/*/*/seed*"):
        nbformat.write(executed_notebook(), run / "train.ipynb")
    nbformat.write(executed_notebook(), folder / "quick" / "fco" / "fco.ipynb")
    return folder


def executed_notebook() -> nbformat.NotebookNode:
    output = new_output("stream", text="round 100 of 100\n")
    cells = [new_markdown_cell("# Training"), new_code_cell("print('<tag>')", outputs=[output], execution_count=1)]
    return new_notebook(cells=cells)


@pytest.fixture(scope="session")
def evidence(runs) -> Results:
    """At paper scale: one seed that selects, and several that are scored."""
    return read_results(runs, configuration.known("paper"), "paper", ["fco/lasso_I", "fco/lasso_II"])


@pytest.fixture(scope="session")
def site(runs, tmp_path_factory) -> Path:
    """The pages at quick scale, made by the commands of the workflow; paper scale has been published before."""
    out = tmp_path_factory.mktemp("reports")
    common = ["--runs", str(runs), "--config", str(CONFIG)]
    assert main(["publish", *common, "--out", str(out / "published")]) == 0
    chosen = [*common, "--scale", "quick", "--experiments", *KEYS]
    assert main(["claims", *chosen, "--out", str(out / "claims")]) == 0
    paths = ["--claims", str(out / "claims"), "--out", str(out), "--clients", str(out / "no-clients")]
    assert main(["report", *chosen, *paths]) == 0
    return out


@pytest.fixture(scope="module")
def lasso(evidence):
    return evidence["fco/lasso_I"]
