"""The page of assumptions says which choices decide a verdict, and names the claims."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest
from configuration import CONFIG
from html_page import Page
from markupsafe import escape
from published_results import FOLDER

from fedatlas.claims.tally import HOLDS
from fedatlas.cli import main
from fedatlas.report.model.assumptions import load_assumptions
from fedatlas.results.published import seal

KEYS = ("lasso_III", "lasso_III_zero", "lasso_III_strong")
CLAIM = "fig7-perfect"


def made(out: Path, paper: str, keys: Sequence[str], other: Mapping[str, str] = MappingProxyType({})) -> Page:
    """The page of what some experiments of a paper have published; `other` are verdicts in place of the published."""
    for key in keys:
        shutil.copytree(FOLDER / paper / key, out / "published" / paper / key)
        path = out / "published" / paper / key / "claims.json"
        verdicts = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps([one | {"status": other.get(one["id"], one["status"])} for one in verdicts]))
    seal(out / "published")
    given = ["--published-only", "--out", out, "--config", CONFIG, "--page", "assumptions", "--papers", paper]
    assert main(["report", *map(str, given)]) == 0
    return Page(out / "assumptions.html")


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Page:
    return made(tmp_path_factory.mktemp("reports"), "fco", KEYS)


def statuses() -> dict[str, str]:
    """The published verdicts on one claim, by the reading."""
    verdicts = [one for key in KEYS for one in json.loads((FOLDER / "fco" / key / "claims.json").read_text("utf-8"))]
    mine = [one for one in verdicts if one["id"].split("@")[0] == CLAIM]
    return {one["reading"]["how"] if one["reading"] else "main": one["status"] for one in mine}


def test_the_choices_that_decide_a_verdict_come_first(page):
    first = page.text.index('id="decisive"')
    assert first < page.text.index('<section class="figure" id="fco">')


def test_a_claim_that_holds_under_one_reading_and_fails_under_the_other_is_named_with_both_verdicts(page):
    found = statuses()
    decisive = page.text[page.text.index('id="decisive"') : page.text.index('<section class="figure" id="fco">')]
    mine = re.findall(rf'<li>[^<]*<a href="fco.html#{CLAIM}">.*?</li>', decisive, re.DOTALL)
    said = [re.findall(r'data-sign=".">([a-z ]+)</span>', line) for line in mine]
    holds = {how: status in HOLDS for how, status in found.items()}
    assert sorted(said) == sorted([found["main"], found[how]] for how in found if holds[how] != holds["main"])
    assert said


@pytest.mark.parametrize(
    ("verdict", "decides"), [("indicated", False), ("inconclusive", False), ("not reproduced", True)]
)
def test_what_another_reading_does_not_decide_does_not_depend_on_it(tmp_path, verdict, decides):
    other = {"table2-gap": "reproduced", "table2-gap@synthetic_code": verdict}
    page = made(tmp_path, "fedem", ("synthetic", "synthetic_code"), other)
    decisive = page.text.partition('<section class="figure" id="fedem">')[0]
    assert ("fedem.html#table2-gap" in decisive) == decides


def test_a_claim_that_two_readings_turn_counts_once(page):
    decisive = page.text[page.text.index('id="decisive"') : page.text.index('<section class="figure" id="fco">')]
    listed = re.findall(r"<h3 id=.*?</ul>", decisive, re.DOTALL)
    assert listed
    for text in listed:
        claims = set(re.findall(r'<li>[^<]*<a href="([^"]*)"', text))
        changed, judged = map(int, re.search(r">(\d+) of (\d+) claims<", text).groups())
        assert changed == len(claims) <= judged


def test_entries_are_listed_and_those_that_decide_are_marked(page):
    listed = re.search(r"<summary>List of the entries</summary>.*?</details>", page.text, re.DOTALL).group()
    ids = re.findall('<li><a href="#(.*?)">', listed)
    assert ids and set(ids) <= set(page.ids)
    marked = re.findall(r'<li><a href="#([^"]*)">[^<]*</a> <span class="badge">decides a verdict</span>', listed)
    assert "fco-start" in marked
    assert "fco-lasso-cutoff" not in marked


def test_errata_link_to_their_entries(page):
    listed = re.search(r'<section class="figure" id="errata">.*?</section>', page.text, re.DOTALL).group()
    named = {a.id: str(escape(a.erratum)) for a in load_assumptions(CONFIG / "assumptions") if a.erratum}
    found = dict(re.findall(r'<li><a href="#(.*?)">[A-Za-z]+</a>: (.*?)</li>', listed))
    assert found == named
