"""Results as a reader asks for them."""

from __future__ import annotations

import shutil
from pathlib import Path

import configuration
import pytest
from made_runs import write_runs

from fedatlas.errors import AtlasError
from fedatlas.results.opened import open_results

ROOT = Path(__file__).parents[2]
KEY = "fco/lasso_I"


def test_runs_older_than_their_file_are_not_shown_as_those_of_today(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    write_runs(tmp_path / "data/runs", [configuration.known("quick")[KEY]])
    assert list(open_results(tmp_path, "quick").experiments) == [KEY]
    file = tmp_path / f"config/experiments/{KEY}.yaml"
    file.write_text(file.read_text().replace("weighting: uniform", "weighting: examples"))
    with pytest.warns(UserWarning, match=f"was run before the file of {KEY} was changed: left out"):
        assert not open_results(tmp_path, "quick").experiments
    with pytest.raises(AtlasError, match=f"was run before the file of {KEY} was changed: run it again"):
        open_results(tmp_path, "quick", [KEY])


def test_one_experiment_is_a_list_of_one():
    with pytest.raises(AtlasError, match=rf"'experiments' is '{KEY}', but must be a list, such as \['{KEY}'\]"):
        open_results(ROOT, "published", KEY)
