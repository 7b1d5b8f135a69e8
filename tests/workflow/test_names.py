"""Names of files are never words of a command: whoever calls a file so is told, and nothing runs."""

from __future__ import annotations

import shutil

import pytest


@pytest.mark.parametrize(
    ("folder", "name"),
    [("experiments/fco", "$(touch pwned)"), ("claims/fco", "a;touch pwned;b")],
)
def test_a_file_that_is_called_as_a_command(project, folder, name):
    inside = project.folder / "config" / folder
    some = sorted(inside.glob("*.yaml"))[0]
    shutil.copy(some, inside / f"{name}.yaml")
    done = project.run("--dry-run")
    assert done.returncode == 1
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith(f"fedatlas: config/{folder}/{name}.yaml: the name of ") and sentence.endswith(
        "rename it."
    )
    assert not list(project.folder.rglob("pwned"))
