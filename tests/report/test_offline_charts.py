"""Charts inside notebooks and the pages made of them."""

from __future__ import annotations

import re

import altair as alt
import pandas as pd

from fedatlas.report.drawing import vega
from fedatlas.report.drawing.in_notebooks import MARK, _offline

HOSTILE = "<!--<script>alert(1)</script>"


def test_no_text_of_a_chart_ends_or_opens_a_script():
    table = pd.DataFrame({"x": [1, 2], "label": [HOSTILE, "b"]})
    chart = alt.Chart(table, title=HOSTILE).mark_point().encode(x="x", color="label").transform_filter("datum.x < 3")
    page = _offline(chart.to_dict())["text/html"]
    scripts = re.findall(r"<script.*?</script>", page, re.DOTALL)
    spec = scripts[-1]
    assert MARK not in page and "<!--" not in spec and spec.count("<script") == 1
    assert r"\u003c!--\u003cscript>alert(1)\u003c/script>" in spec and r"datum.x \u003c 3" in spec


def test_a_chart_may_have_more_rows_than_altair_writes_by_itself():
    chart = alt.Chart(pd.DataFrame({"x": range(6000)})).mark_point().encode(x="x")
    with alt.data_transformers.enable("default"):  # which a notebook's charts change for the whole process
        assert len(str(vega.explorer(chart, [], {}, "x", "y"))) > 6000


def test_the_script_of_the_charts_is_made_once_and_anew_by_another_version(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(vega.vl_convert, "javascript_bundle", lambda: made.append(1) or "drawn")
    path = tmp_path / "assets" / "vega.js"
    for version in ("1.0", "1.0", "2.0"):
        monkeypatch.setattr(vega, "version", lambda name, version=version: version)
        vega.write_bundle(path)
    assert len(made) == 2
    assert path.read_text() == "// vl-convert-python 2.0\ndrawn"
