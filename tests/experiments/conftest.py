"""Experiment files with mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fedatlas.config import read_yaml

CONFIG = Path(__file__).parents[2] / "config/experiments"


@pytest.fixture
def write(tmp_path):
    """Writes an experiment with changes, a dotted key each, and returns the file; `...` removes a key."""

    def change(experiment="fco/lasso_I", **changes):
        content = read_yaml(CONFIG / f"{experiment}.yaml")
        for key, value in changes.items():
            *parents, last = key.split("__")
            place = content
            for parent in parents:
                place = place[parent]
            if value is ...:
                del place[last]
            else:
                place[last] = value
        path = tmp_path / Path(experiment).parent / "changed.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        return path

    return change
