"""The list of what is published, and pictures for documents."""

from __future__ import annotations

import re
from pathlib import Path

import configuration
import pytest
from configuration import ROOT
from published_results import FOLDER, published

from fedatlas.cli import main
from fedatlas.report.published_table import FILE, published_list


@pytest.fixture(scope="module")
def listed(all_published):
    return published(), configuration.papers()


def test_the_committed_list_is_fresh(listed):
    """`make publish` and `fedatlas redraw` write it."""
    assert (FOLDER / FILE).read_text(encoding="utf-8") == published_list(*listed)


def test_every_experiment_has_a_row_with_its_picture(listed):
    published, _ = listed
    pictures = re.findall(r"\]\(([^)]+\.svg)\)", (FOLDER / FILE).read_text(encoding="utf-8"))
    assert sorted(str(Path(picture).parent) for picture in pictures) == sorted(published)
    assert all((FOLDER / picture).is_file() for picture in pictures)


def test_stand_ins_and_smaller_scales_are_marked(listed):
    published, papers = listed
    lines = published_list(*listed).splitlines()
    rows = {key: row for key in published for row in lines if f"({key}/" in row}
    for key, one in published.items():
        assert ("**simulated stand-in**" in rows[key]) == ("on stand-in data" in rows[key]) == one.results.is_stand_in
        assert ("medium scale" in rows[key]) == (one.scale == "medium")
    assert published_list({}, papers).count("\n## ") == 0


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def test_the_picture_of_the_readme_is_a_panel_of_a_published_figure(tmp_path):
    command = ["picture", "fco/lasso_IV", "--config", str(ROOT / "config"), "--published", str(FOLDER)]
    assert main([*command, "--out", str(tmp_path / "new.svg")]) == 0
    new, committed = (tmp_path / "new.svg").read_text(), (ROOT / "docs/lasso_IV.svg").read_text()
    assert words(committed) == words(new)
    assert committed.count("<path") == new.count("<path")  # as many seeds; where they lie differs by a tenth of a point
    assert {"F1", "FedDualAvg", "FedMiD", "round"} <= set(words(new)) and "Recall" not in words(new)
    assert '<rect width="100%" height="100%" fill="#ffffff"/>' in new and "prefers-color-scheme" not in new


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fco/lasso_I", "--panel", "9"], "Figure 3 of fco has 4 panels, but no panel 9"),
        (["fco/lasso_V"], "fco/lasso_V is not in .*published; there is fco/haxby_stand_in, "),
    ],
)
def test_a_picture_that_there_is_not(tmp_path, capsys, arguments, sentence):
    folders = ["--config", str(ROOT / "config"), "--published", str(FOLDER)]
    assert main(["picture", *arguments, *folders, "--out", str(tmp_path / "a.svg")]) == 2
    assert re.search(sentence, capsys.readouterr().err)
    assert not (tmp_path / "a.svg").exists()
