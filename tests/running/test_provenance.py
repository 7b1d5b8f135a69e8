"""What a run says of the sources that it was made from."""

from __future__ import annotations

import subprocess

import fedatlas
from fedatlas.running.provenance import commit


def test_an_algorithm_that_git_does_not_have_makes_the_sources_differ(tmp_path, monkeypatch):
    package = tmp_path / "src/fedatlas"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    author = ["-c", "user.name=A", "-c", "user.email=a@a.org"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "All"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    monkeypatch.setattr(fedatlas, "__file__", str(package / "__init__.py"))
    revision, differs = commit()
    assert revision and not differs
    (tmp_path / "notes.txt").write_text("beside the sources")
    assert commit() == (revision, False)
    (package / "mine.py").write_text("")
    assert commit() == (revision, True)
