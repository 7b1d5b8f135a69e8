"""Texts that try to be markup stay texts: a page has the same elements whatever it is called."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import altair as alt
import pandas as pd
import pytest
from bleach._vendor import html5lib
from html_page import Page
from made_results import made_experiment, made_run

from fedatlas.report.drawing.in_notebooks import _offline
from fedatlas.report.pages.study import write_study
from fedatlas.results.metric import Metric

HOSTILE = ["<!--<script>", "</script><script>alert(1)</script>", "-->]]><b onclick='x'>", '"><img src=x onerror=x>']


def elements(page: str) -> Counter[str]:
    """How many elements of each name a browser would make, by the parser of the HTML standard."""
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    return Counter(element.tag for element in tree.iter() if isinstance(element.tag, str))


def study(folder: Path, text: str) -> Path:
    """The page of a comparison in which everything that a person can name is called so."""
    curves = {("train", "loss"): [[3.0, 2.0, 1.0]]}
    names = [f"{text} {number}" for number in (1, 2)]
    own = {"spec": {"select": {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}}}
    runs = [made_run(id, curves, own=own, name=name) for id, name in zip(("fedavg", "fedprox"), names, strict=True)]
    results = made_experiment("fco/lasso_I", *runs)
    called = {"title": text, "question": text, "figure": text}
    object.__setattr__(results, "experiment", results.experiment.model_copy(update=called))
    return write_study(folder, results, [text], [Metric(metric="loss", split="train")])


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_has_the_same_elements_whatever_its_texts(tmp_path, text):
    plain, hostile = (study(tmp_path / name, words) for name, words in (("plain", "words"), ("hostile", text)))
    assert elements(hostile.read_text()) == elements(plain.read_text())
    (chart,) = Page(hostile).explorers.values()
    assert [algorithm["name"] for algorithm in chart["algorithms"]] == [f"{text} 1", f"{text} 2"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_chart_in_a_notebook_has_the_same_elements_whatever_its_texts(text):
    def page(words: str) -> str:
        table = pd.DataFrame({"x": [1, 2], "label": [words, "b"]})
        chart = alt.Chart(table, title=words).mark_point().encode(x="x", color="label")
        return f"<section>{_offline(chart.to_dict())['text/html']}</section><section>after</section>"

    assert elements(page(text)) == elements(page("words"))
    assert elements(page(text))["section"] == 2


def test_the_parser_sees_what_an_unescaped_text_would_do():
    def page(text: str) -> str:
        return f'<script>const spec = {{"title": "{text}"}};</script><section></section><script>1</script>'

    assert elements(page("words"))["section"] == 1
    assert elements(page("<!--<script>"))["section"] == 0
