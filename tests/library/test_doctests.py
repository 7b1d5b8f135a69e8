"""The examples in the docstrings of what `import fedatlas as fa` offers."""

from __future__ import annotations

import doctest
import sys

import pytest

pytest.importorskip("tensorflow")

import fedatlas as fa

SHOWN = ("algorithms", "clients", "compare", "keras_problem", "problems", "prox", "tff_process")


@pytest.mark.parametrize("name", SHOWN)
def test_the_example_of_a_docstring_is_so(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FEDATLAS_CACHE", str(tmp_path))
    found = getattr(fa, name)
    documented = found if callable(found) else type(found)
    module = sys.modules[documented.__module__]
    tests = doctest.DocTestFinder(recurse=False).find(documented, name, module, globs=dict(vars(module)))
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.attempted for result in results) > 0
    assert sum(result.failed for result in results) == 0
