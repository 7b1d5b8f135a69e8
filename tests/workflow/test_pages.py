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


JUDGED_AGAIN = {  # the pages that show a file, of those that change verdicts
    "config/experiments/fedpd/claim_2_2.yaml": {"fedpd", "index", "algorithms", "claims", "assumptions", "data"},
    "config/claims/fedpd/claim_2_2.yaml": {"fedpd", "index", "claims"},
    "config/claims/fco/figure_1.yaml": {"fco", "index", "claims"},
    "config/paper_results/fedpd_results.yaml": {"fedpd", "index", "claims"},
}
SHOWN = {  # and of the others
    # all link to the papers' figures
    "config/papers/fco.yaml": {"fco", "index", "algorithms", "claims", "assumptions", "data"},
    "data/sources.yaml": {"data"},
    "reports/published/fco/haxby_subject1/metrics.csv": {"fco", "index", "algorithms", "claims"},
    "config/assumptions/fedpd.yaml": {"fco", "fedpd", "assumptions"},  # papers quote each other's
    "reports/published/speed.json": {"speed"},
    "docs/running.md": set(),
}


@pytest.fixture(scope="module")
def reasons(published) -> dict[str, set[str]]:
    """The inputs for which each output is made anew, when everything was made and then these files have changed.

    Those that change verdicts do so in a call of their own: of an output with an input that is made anew, Snakemake
    does not say which others have changed.
    """
    reports = published.folder / "reports"
    (reports / "claims").mkdir()
    made = [*(f"claims/{paper}.json" for paper in PAPERS), *(f"{page}.html" for page in PAGES)]
    for name in made:
        (reports / name).write_text("[]")
        os.utime(reports / name, (time.time() + 5, time.time() + 5))
    assert not changed(published, ())
    both = changed(published, SHOWN), changed(published, JUDGED_AGAIN)
    for name in made:
        (reports / name).unlink()
    (reports / "claims").rmdir()
    return {output: both[0].get(output, set()) | both[1].get(output, set()) for output in {*both[0], *both[1]}}


def changed(project, paths) -> dict[str, set[str]]:
    """For each output that a dry run would make after these files have changed, the inputs that it names."""
    for path in paths:
        os.utime(project.folder / path, (time.time() + 60,) * 2)
    done = project.run("--dry-run", "--rerun-triggers", "mtime", *NOTHING)
    for path in paths:
        os.utime(project.folder / path)
    assert done.returncode == 0, done.stderr
    said = re.findall(r"(Writing|Checking the claims of) (\S+)\nReason: (.*)", done.stdout + done.stderr)
    found = {}
    for how, what, why in said:
        output = what if how == "Writing" else f"reports/claims/{what}.json"
        found[output] = {*re.findall(r"[\w./]+/[\w./]+", why)}
    return found


def concerned(reasons: dict[str, set[str]], path: str) -> set[str]:
    """The outputs that are made anew for a file, or for another output that is."""
    found = {output for output, inputs in reasons.items() if path in inputs}
    return found.union(*(concerned(reasons, output) for output in found))


@pytest.mark.parametrize("path", SHOWN | JUDGED_AGAIN)
def test_a_change_concerns_the_pages_that_show_it(reasons, path):
    pages = {Path(output).stem for output in concerned(reasons, path) if output.endswith(".html")}
    assert pages == (SHOWN | JUDGED_AGAIN)[path]


def test_a_changed_claim_is_judged_again(reasons):
    assert concerned(reasons, "config/claims/fco/figure_1.yaml") >= {"reports/claims/fco.json"}


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
    assert "None of this paper's experiments was run on this machine." in text
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
