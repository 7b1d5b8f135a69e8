"""A kind of figure or table is one file: configuration may ask for it, and the pages find it, by its name alone."""

import subprocess
import sys
from pathlib import Path

import pytest

import fedatlas.report
from fedatlas.config import validate
from fedatlas.errors import AtlasError
from fedatlas.report.model.figure import Panel, Table
from fedatlas.report.model.kinds import kinds
from fedatlas.report.overviews import overviews
from fedatlas.report.tables import tables
from fedatlas.report.views import views

PANEL = {"metric": "loss", "split": "train"}
NEW = """
from fedatlas.report.views._base import View


class Bars(View):
    def table(self, results, figure): ...
    def draw(self, results, figure, theme, columns): ...
    def alt(self, results, figure): ...
    def caption(self, results, figure): ...
"""
ASK = """
from fedatlas.report.model.figure import Panel
from fedatlas.report.views import view
panel = Panel(metric="loss", split="train", kind="bars_of_a_test")
print(panel.view, type(view(panel.view)).__name__)
"""


@pytest.mark.parametrize(("room", "registry"), [("views", views), ("overviews", overviews), ("tables", tables)])
def test_what_configuration_may_ask_for_is_what_there_is(room, registry):
    assert kinds(room) == tuple(registry)


def test_a_kind_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(AtlasError, match="'kind' is 'bars', .*curves"):
        validate({**PANEL, "kind": "bars"}, Panel, "the figure")
    with pytest.raises(AtlasError, match="'kind'.*'rate'.*'rates'"):
        validate({"kind": "rate", "source": "x", "columns": {"a": "b"}}, Table, "the table")


def test_a_new_file_is_a_new_kind_and_no_other_is_edited(tmp_path):
    """In a copy of the package, since a file beside the others would be seen by tests that run meanwhile."""
    source, copy = Path(fedatlas.report.__file__).parents[1], tmp_path / "fedatlas"
    subprocess.run(["cp", "-r", str(source), str(copy)], check=True)
    (copy / "report/views/bars_of_a_test.py").write_text(NEW)
    done = subprocess.run(
        [sys.executable, "-c", ASK], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["bars_of_a_test", "Bars"], done.stderr
