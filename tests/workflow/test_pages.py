"""One job for each page: what makes it anew, and the pages of what is published alone."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from html_page import Page

from fedatlas.results.published import seal

ROOT = Path(__file__).parents[2]
PUBLISHED = ("fco/haxby_subject1", "fedpd/claim_2_2")
NOTHING = ["--config", "experiments=[]"]
PAPERS = {"fco", "fedpd"}
PAGES = {"index", "library", "algorithms", "claims", "assumptions", "data", "speed", *PAPERS}


@pytest.fixture(scope="module")
def published(make_project):
    """A project that keeps two published experiments of two papers, and nothing else."""
    project = make_project(Path(sys.executable))
    for key in PUBLISHED:
        shutil.copytree(ROOT / "reports/published" / key, project.folder / "reports/published" / key)
    shutil.copy(ROOT / "reports/published/speed.json", project.folder / "reports/published")
    seal(project.folder / "reports/published")
    return project


@pytest.fixture
def made(published):
    """The same with every page made, later than all that it is made from."""
    reports = published.folder / "reports"
    (reports / "claims").mkdir()
    made = [*(f"claims/{paper}.json" for paper in PAPERS), *(f"{page}.html" for page in PAGES)]
    for name in made:
        (reports / name).write_text("[]")
        os.utime(reports / name, (time.time() + 5, time.time() + 5))
    yield published
    for name in made:
        (reports / name).unlink()
    (reports / "claims").rmdir()


def planned(project) -> set[str]:
    """The pages that would be made anew."""
    done = project.run("--dry-run", "--rerun-triggers", "mtime", *NOTHING)
    assert done.returncode == 0, done.stderr
    return {*re.findall(r"Writing reports/(\w+)\.html", done.stdout + done.stderr)}


@pytest.mark.parametrize(
    ("path", "pages"),
    [
        # all link to the papers' figures
        ("config/papers/fco.yaml", {"fco", "index", "algorithms", "claims", "assumptions"}),
        ("config/experiments/fedpd/claim_2_2.yaml", {"fedpd", "index", "claims", "data"}),
        ("data/sources.yaml", {"data"}),
        ("reports/published/fco/haxby_subject1/metrics.csv", {"fco", "index", "algorithms", "claims"}),
        ("config/assumptions/fedpd.yaml", {"fco", "fedpd", "assumptions"}),  # papers quote each other's
        ("config/claims/fedpd/claim_2_2.yaml", {"fedpd", "index", "claims"}),
        ("reports/claims/fco.json", {"fco", "index", "claims"}),
        ("reports/published/speed.json", {"speed"}),
        ("docs/running.md", set()),
    ],
)
def test_a_change_concerns_the_pages_that_show_it(made, path, pages):
    later = time.time() + 60
    os.utime(made.folder / path, (later, later))
    try:
        assert planned(made) == pages
    finally:
        os.utime(made.folder / path)


def test_a_changed_claim_is_judged_again(made):
    def due() -> bool:
        done = made.run("--dry-run", "--rerun-triggers", "mtime", *NOTHING, "--", "reports/claims/fco.json")
        assert done.returncode == 0, done.stderr
        return "Checking the claims of fco" in done.stdout + done.stderr

    assert not due()
    path = made.folder / "config/claims/fco/figure_1.yaml"
    os.utime(path, (time.time() + 60,) * 2)
    try:
        assert due()
    finally:
        os.utime(path)


@pytest.fixture(scope="module")
def site(published) -> Path:
    """The folder of the pages that `make site` writes."""
    done = published.run("--quiet", "all", "--", "site")
    assert done.returncode == 0, done.stderr
    return published.folder / "reports/site"


def test_what_is_published_has_pages_without_any_run(site):
    assert {path.stem for path in site.glob("*.html")} == PAGES
    assert not (site.parents[1] / "data/runs").exists()
    assert not (site.parents[1] / "data/clients").exists()
    assert not (site.parent / "index.html").exists()


def test_pages_say_that_nothing_was_run_here(site):
    assert "Nothing was run on this machine at quick scale" in (site / "index.html").read_text()
    text = (site / "fco.html").read_text()
    assert "Nothing of this paper was run on this machine." in text
    assert "This machine has not run it" not in text  # said once, above
    assert "Published, paper scale: half a slice of one brain, where the paper has six whole ones" in text


def test_everything_that_the_pages_show_is_there(site):
    for page in (Page(path) for path in site.glob("*.html")):
        assert not page.from_network
        parts = [urlsplit(address) for address in (*page.loads, *page.links)]
        missing = [part.path for part in parts if not part.scheme and part.path and not (site / part.path).is_file()]
        assert not missing, page.path


def test_figures_and_data_of_what_is_published(site):
    assert list((site / "figures").glob("fco-haxby_subject1-*-published.js"))
    assert "published/fco/haxby_subject1/figure-5-brain.svg" in (site / "fco.html").read_text()
    data = (site / "data.html").read_text()
    assert "generated here" in data and "CC BY-SA 3.0" in data
