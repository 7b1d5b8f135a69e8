"""What a run says of the sources that it was made from."""

from __future__ import annotations

import os
import subprocess

import fedatlas
from fedatlas.running.provenance import Origin, commit


def test_an_algorithm_that_git_does_not_have_makes_the_sources_differ(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # not as the user has set git up
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_DIR", raising=False)
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


def test_a_run_that_goes_on_says_so_if_the_commit_is_another_one():
    first, same, other = Origin("1", "a", False), Origin("2", "a", True), Origin("3", "b", False)
    assert same.resumes(first) == Origin("1", "a", True)
    assert other.resumes(same.resumes(first)) == Origin("1", "a", True, ("b",))
    assert Origin("4", "c", False).resumes(other.resumes(first)).resumed == ("b", "c")
    assert Origin("5", None, False).resumes(first) == first
