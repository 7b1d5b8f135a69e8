"""The cards of the first page and the summary of a paper's, made from what is published."""

import re
import shutil
from pathlib import Path

import configuration
import pytest
import yaml
from html_page import Page
from markupsafe import escape

from fedatlas.claims.status import Status
from fedatlas.cli import main
from fedatlas.formatting import unbroken
from fedatlas.report.model.findings import HEADINGS, NOT_PUBLISHED, counted, summary_of
from fedatlas.results.published import read_verdicts, seal

ROOT = Path(__file__).parents[2]
PAPERS = configuration.summarised()
PAPER = next(paper for paper in PAPERS if paper.id == "fedpd")


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Page]:
    """The first page with all papers, and the page of one."""
    out = tmp_path_factory.mktemp("site")
    chosen = ["--published", str(ROOT / "reports" / "published"), "--config", str(ROOT / "config"), "--out", str(out)]
    for name in (PAPER.id, "index"):
        papers = [paper.id for paper in PAPERS]
        assert main(["report", "--published-only", *chosen, "--page", name, "--papers", *papers]) == 0
    return {name: Page(out / f"{name}.html") for name in (PAPER.id, "index")}


def published(paper: str) -> list[dict]:
    files = sorted((ROOT / "reports" / "published" / paper).glob("*/claims.json"))
    return [verdict for path in files for verdict in read_verdicts(path)]


def test_the_first_page_opens_with_a_card_for_each_paper(pages):
    text = pages["index"].text
    cards = re.findall(r'<article class="finding">.*?</article>', text, re.DOTALL)
    for paper, card in zip(PAPERS, cards, strict=True):
        assert str(escape(unbroken(paper.findings.claim))) in card
        assert str(escape(unbroken(paper.findings.answer.text))) in card
        assert f'href="{paper.id}.html"' in card
        assert f'src="figures/{paper.id}-card.svg"' in card
        assert (pages["index"].path.parent / f"figures/{paper.id}-card.svg").is_file()
        bar = {Status(s): int(n) for n, s in re.findall(r">(\d+) ([a-z ]+)</span>", card)}
        assert bar == counted(paper.findings, published(paper.id))
    assert text.index(cards[0]) < text.index("How to read a verdict") < text.index('class="published stacked"')


def test_a_papers_page_opens_with_what_we_found_and_a_picture_and_its_summary(pages):
    text = pages[PAPER.id].text
    opening = re.search(r'<article class="finding">.*?</article>', text, re.DOTALL).group()
    assert str(escape(unbroken(PAPER.findings.answer.text))) in opening
    assert f'src="figures/{PAPER.id}-opening.svg"' in opening
    assert (pages[PAPER.id].path.parent / f"figures/{PAPER.id}-opening.svg").is_file()
    assert text.index(opening) < text.index('<section class="in-short"')
    summary = re.search(r'<section class="in-short".*?</section>', text, re.DOTALL).group()
    assert text.index(summary) < text.index('class="figure"')
    said = [words for name, words in HEADINGS.items() if getattr(PAPER.findings.summary, name)]
    assert re.findall("<h2>(.*?)</h2>", summary) == said
    for sentence in [*PAPER.findings.sentences][1:]:
        before, _, after = summary.partition(str(escape(unbroken(sentence.text))))
        if sentence not in PAPER.findings.summary.claims:
            assert f"<summary>{escape(unbroken(sentence.head))}</summary>" in before.rpartition("<li>")[2]
        item = after.partition("</li>")[0]
        links = re.findall('href="#(.*?)"', item)
        assert all(id.startswith(link) for id, link in zip(sentence.rests_on, links, strict=True))
        assert set(links) <= set(pages[PAPER.id].ids)  # the claims themselves, also of other readings
        # A figure is named once where several of its claims in a row came out alike.
        chips = re.findall(r'class="status ([\w-]+)".*? aria-label="(.*?):.*?>(.*?)</a>', item)
        assert len(chips) == len(links)
        for (look, figure, label), before in zip(chips, [None, *chips], strict=False):
            assert label == ("" if before and before[:2] == (look, figure) else figure)


def test_a_claim_that_nothing_has_judged_is_named_without_a_link():
    fco = next(paper for paper in PAPERS if paper.id == "fco")
    wanted = {id for one in fco.findings.sentences for id, was in one.rests_on.items() if was == NOT_PUBLISHED}
    groups = summary_of(fco.findings, published("fco"), [], {})
    claims = [claim for group in groups for one in group["sentences"] for claim in one["claims"]]
    assert {claim["label"] for claim in claims if claim["href"] is None} == wanted != set()
    unjudged = {id: {"figure": "Figure 7", "statement": f"{id} is so"} for id in wanted}
    named = summary_of(fco.findings, [], [], unjudged)
    said = {(c["statement"], c["label"]) for group in named for one in group["sentences"] for c in one["claims"]}
    assert {(f"{id} is so", "Figure 7") for id in wanted} <= said
    entry = {"figure": "Figure 9", "statement": "s", "status": Status.NOT_RUN, "reading": None}
    here = [{"id": id, **entry} for id in wanted]
    linked = [
        c for group in summary_of(fco.findings, [], here, {}) for one in group["sentences"] for c in one["claims"]
    ]
    assert {claim["href"] for claim in linked} - {None} == {f"#{id}" for id in wanted}
    assert all(claim["status"] is None for claim in linked)  # what this machine has run is not what was published


def test_a_paper_without_findings_has_a_page_but_no_card(tmp_path):
    config, kept = tmp_path / "config", tmp_path / "published"
    shutil.copytree(ROOT / "config", config)
    path = config / "papers" / f"{PAPER.id}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    del content["findings"]
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    shutil.copytree(ROOT / "reports" / "published" / PAPER.id, kept / PAPER.id)
    seal(kept)
    paths = ["--published", str(kept), "--config", str(config), "--out", str(tmp_path / "site")]
    for name in (PAPER.id, "index"):
        assert main(["report", "--published-only", *paths, "--page", name, "--papers", PAPER.id]) == 0
    texts = {name: (tmp_path / "site" / f"{name}.html").read_text(encoding="utf-8") for name in (PAPER.id, "index")}
    assert texts["index"].count('<article class="finding">') == len(PAPERS) - 1
    assert 'class="in-short"' not in texts[PAPER.id]
    assert 'class="figure"' in texts[PAPER.id]
