"""README and CONTRIBUTING say what is so: code as in its file, findings as configured, links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fedatlas.algorithms import registry
from fedatlas.config import read_yaml

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = [
    "README.md", "CONTRIBUTING.md", "docs/library.md", "docs/running.md", "docs/deep_experiments.md",
    "docs/verdicts.md", "data/README.md", "reports/README.md",
]  # fmt: skip
LINK = re.compile(r"\]\((?!https?://)([^)#]+)[^)]*\)")


def links(document: str) -> list[str]:
    return LINK.findall((ROOT / document).read_text(encoding="utf-8"))


def quoted(document: str) -> dict[str, str]:
    """By file, the code that follows a line with a link to it."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.findall(r"\[[^]]+\]\(([^)]+)\)[^`]*?\n\n```[a-z]+\n(.*?)```", text, re.DOTALL)
    return dict(found)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    folder = (ROOT / document).parent
    assert not [link for link in links(document) if not (folder / link).exists()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_made_can_be_made(document):
    """Targets of the Makefile, such as `make test`."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"(?:`|^    )make ([a-z]+)", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


def test_the_readme_is_short_and_has_two_commands():
    assert len(README.splitlines()) <= 120
    section = README.partition("## Two commands\n")[2].partition("\n## ")[0]
    assert re.findall(r"^    (make \w+)", section, re.MULTILINE) == ["make reports", "make test"]


WHOLE = {
    "README.md": {"src/fedatlas/algorithms/fedavg.py"},
    "CONTRIBUTING.md": {"src/fedatlas/algorithms/fednova.py", "config/experiments/fedpd/unequal_steps.yaml"},
}


@pytest.mark.parametrize("document", WHOLE)
def test_files_are_quoted_as_they_are(document):
    quotes = quoted(document)
    assert quotes.keys() >= WHOLE[document]
    for path, text in quotes.items():
        file = (ROOT / path).read_text(encoding="utf-8")
        assert text == file if path in WHOLE[document] else text in file, path


def test_the_readme_links_every_algorithm_once_by_its_name():
    table = README.partition("## Algorithms\n")[2].partition("\n## ")[0]
    found = re.findall(r"\[([^]]+)\]\(src/fedatlas/algorithms/(\w+)\.py\)", table)
    assert sorted(found) == sorted((cls.name, id) for id, cls in registry().items())


def test_the_readme_says_what_was_found_as_the_pages_do():
    rows = [line.split(" | ") for line in README.splitlines() if "(reports/published/README.md#" in line]
    found = {cells[3].strip(" |").partition("]")[0].strip("["): cells[1:3] for cells in rows}
    papers = {path.stem: read_yaml(path) for path in (ROOT / "config" / "papers").glob("*.yaml")}
    findings = {name: paper["findings"] for name, paper in papers.items() if "findings" in paper}
    assert found == {name: [one["claim"], one["answer"]["text"]] for name, one in findings.items()}
