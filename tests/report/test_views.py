"""Every kind of figure, overview and table does what its base class says, on published results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import configuration
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from configuration import CONFIG, known
from made_runs import results_in_memory
from published_results import published

from fedatlas.algorithms import algorithms
from fedatlas.experiments.scales import Scale
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.figure import Figure
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper
from fedatlas.report.overviews import overview, overviews
from fedatlas.report.pages.details import rule_words
from fedatlas.report.tables import make_table, tables
from fedatlas.report.views import view, views
from fedatlas.results.collection import ExperimentResults, Results
from fedatlas.results.published import Published

pytestmark = pytest.mark.usefixtures("all_published")
OF_STORES = {"brain"}  # drawn from models and stores, of which nothing is published; see test_brain.py
SENTENCE = re.compile(r"[A-ZÀ-ÿ0-9].*[.]", re.DOTALL)


@cache
def papers() -> list[Paper]:
    return configuration.papers()


def showing(kind: str) -> Iterator[tuple[Figure, Published]]:
    """The published experiments that a kind of figure shows, with the figure."""
    for paper in papers():
        for one in published(paper.id).values():
            figures = paper.showing(one.experiment)
            yield from ((figure, one) for figure in figures if kind in (*figure.views, "sweep"))


def shown(kind: str) -> tuple[ExperimentResults, Figure]:
    """The smallest published results of which the kind draws something."""
    found = sorted(showing(kind), key=lambda use: sum(len(run.table) for run in use[1].results.all))
    for figure, one in found:
        results = one.results.shown(figure.algorithms)
        if not view(kind).table(results, figure).empty:
            return results, figure
    raise AssertionError(f"nothing that is published is drawn by views/{kind}.py")


@pytest.mark.parametrize("kind", [kind for kind in views if kind not in OF_STORES])
def test_a_kind_of_figure(kind):
    results, figure = shown(kind)
    chosen = view(kind)
    table = chosen.table(results, figure)
    assert isinstance(table, pd.DataFrame)
    assert all(isinstance(column, str) for column in table.columns)
    assert chosen.panels(results, figure) >= 1
    is_drawn(lambda ground, columns: chosen.draw(results, figure, ground, columns), chosen.columns)
    alt = chosen.alt(results, figure)
    assert SENTENCE.fullmatch(alt.strip()), alt
    assert re.search(r"\d", alt), "an alt text holds the numbers that the picture shows"
    names = {*results.names.values()} | {algorithms[run.manifest.algorithm.method].name for run in results.all}
    assert any(name in alt for name in names), alt
    assert SENTENCE.fullmatch(chosen.caption(results, figure).strip())


def is_drawn(draw, layouts) -> None:
    """In every layout, of letters that stay letters, and colours that follow the page's theme."""
    for columns in layouts.values():
        with theme.style(theme.LIGHT):
            canvas = draw(theme.LIGHT, columns)
            assert canvas.axes
            text = svg(canvas).decode()
            plt.close(canvas)
        assert text.startswith("<svg") and "<text" in text
        assert "var(--" in text
        assert "nan" not in re.findall(r">([^<>]+)</t(?:ext|span)>", text)


@pytest.mark.parametrize("kind", [*views])
def test_the_chart_of_a_kind_names_what_it_shows(kind):
    if kind in OF_STORES or (chart := view(kind).chart(*shown(kind))) is None:
        return
    spec = json.loads(json.dumps(chart, allow_nan=False))["spec"]
    rows = [row for data in spec["datasets"].values() for row in data]
    fields = {name for row in rows for name in row} | set(calculated(spec))
    tips = [tip for encoding in encodings(spec) for tip in encoding.get("tooltip", ())]
    assert {"algorithm", "seed"} & {tip["field"] for tip in tips}, "a point says which algorithm or seed it is of"
    assert {tip["field"] for tip in tips} <= fields
    assert chart["titles"]["x"] or chart["titles"]["y"]
    assert [*chart["algorithms"]]


def encodings(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for layer in spec.get("layer", [spec]):
        yield layer.get("encoding", {})


def calculated(spec: dict[str, Any]) -> Iterator[str]:
    for layer in (spec, *spec.get("layer", ())):
        yield from (step["as"] for step in layer.get("transform", ()) if "calculate" in step)


@pytest.mark.parametrize("kind", [*overviews])
def test_a_kind_of_overview(kind):
    chosen = overview(kind)
    for paper in papers():
        for figure in paper.figures:
            keys = figure.side_by_side if kind == "side_by_side" else figure.of or ()
            by_id = {one.experiment.id: one.results for one in published(paper.id).values()}
            results = {id: by_id[id] for id in keys if id in by_id}
            if (kind == figure.illustration) or (kind == "side_by_side" and results):
                results = results or by_id
                is_drawn(lambda ground, columns: chosen.draw(results, figure, ground, columns), chosen.columns)  # noqa: B023
                assert SENTENCE.fullmatch(chosen.alt(results, figure).strip())
                assert SENTENCE.fullmatch(chosen.caption(results, figure).strip())
                return
    raise AssertionError(f"no figure of a paper is drawn by overviews/{kind}.py")


@pytest.mark.parametrize("kind", [*tables])
def test_a_kind_of_table(kind):
    printed = PaperResults(CONFIG / "paper_results")
    uses = [(paper, figure) for paper in papers() for figure in paper.figures
            if figure.table and figure.table.kind == kind]  # fmt: skip
    assert uses, f"no figure of a paper has a table of tables/{kind}.py"
    for paper, figure in uses:
        kept = {one.key: one.results for one in published(paper.id).values()}
        made = make_table(paper, figure, printed, Results(Scale.PAPER, known(Scale.PAPER), kept))
        assert made.rows
        assert all(len(row) == len(made.heads) for row in made.rows)
        assert all(isinstance(cell, str) for row in made.rows for cell in row)
        assert 0 < made.ours <= len(made.heads)
        assert not any("nan" in cell.lower().split() for row in made.rows for cell in row)


def test_panels_side_by_side_are_called_what_their_data_is():
    paper = next(paper for paper in papers() if paper.id == "feddua")
    figure, key = paper.figure("Figure 1"), "feddua/cifar10"
    found = results_in_memory({key: known(Scale.QUICK, "feddua")[key]}, Scale.QUICK)  # whose digits stand for CIFAR-10
    results = {"cifar10": found[key]}
    with theme.style(theme.LIGHT):
        canvas = overview("side_by_side").draw(results, figure, theme.LIGHT, 3)
    titles = [axis.get_title("left") for axis in canvas.axes]
    plt.close(canvas)
    assert "The digits that come with scikit-learn,\nquick scale, without momentum" in titles
    assert not any(title.startswith("CIFAR-10, quick") for title in titles)


@pytest.mark.parametrize(
    ("over_last", "until", "words"),
    [
        (1, None, "highest test accuracy at the last round"),
        (5, None, "highest test accuracy, mean over the last 5 rounds"),
        (1, 16, "highest test accuracy at round 16, after which it alone is trained"),
        (5, 40, "highest test accuracy, mean over the 5 rounds up to round 40, after which it alone is trained"),
    ],
)
def test_how_a_configuration_is_selected_in_words(over_last, until, words):
    experiment = known(Scale.PAPER, "feddua")["feddua/synthetic"]
    rule = experiment.select.model_copy(
        update={"metric": "accuracy", "split": "test", "best": "highest", "over_last": over_last, "until": until}
    )
    assert rule_words(experiment.model_copy(update={"select": rule.model_copy(update={"ties": None})})) == words
