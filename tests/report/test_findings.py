"""The sentences about the papers rest on the published verdicts, all of them."""

from pathlib import Path

import configuration
import pandas as pd
import pytest

from fedatlas.claims.readings import subjects
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.report.model.findings import NOT_PUBLISHED, Findings, check, counted
from fedatlas.report.model.papers import Paper, load_papers
from fedatlas.results.published import read_verdicts

ROOT = Path(__file__).parents[2]
KNOWN = configuration.known("paper")
PAPERS = configuration.summarised()
BY_ID = pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
SUMMARY = {"claims": [{"text": "It is fast."}], "held": [], "failed": [], "undecided": []}
FINDINGS = {
    "claim": "It is fast.",
    "answer": {"text": "It is.", "rests_on": {"a": "reproduced"}},
    "picture": {"experiment": "e", "figure": "Figure 1"},
    "summary": SUMMARY,
}


def published(paper: Paper) -> list[dict]:
    files = sorted((ROOT / "reports" / "published" / paper.id).glob("*/claims.json"))
    return [verdict for path in files for verdict in read_verdicts(path)]


@BY_ID
def test_every_sentence_rests_on_what_is_published(paper):
    outdated = check(paper.findings, published(paper))
    assert not outdated, "\n" + "\n".join(f"config/papers/{paper.id}.yaml: {one}" for one in outdated)


@BY_ID
def test_the_findings_name_claims_experiments_and_figures_that_there_are(paper):
    known = configuration.known(Scale.PAPER, paper.id)
    every = configuration.claims(paper.id)
    medium = configuration.known(Scale.MEDIUM, paper.id)  # some readings are of experiments that only run there
    claims = {subject.id for claim in every for there in (known, medium) for subject in subjects(claim, there)}
    named = {claim for sentence in paper.findings.sentences for claim in sentence.rests_on}
    assert named <= claims
    shown = paper.findings.picture
    folders = {path.name for path in (ROOT / "reports" / "published" / paper.id).iterdir()}
    assert shown.experiment in folders
    assert {f"{paper.id}/{id}" for id in paper.findings.not_counted} <= set(known)
    assert paper.figure(shown.figure).panels_of(shown.experiment)
    metrics = pd.read_csv(ROOT / "reports" / "published" / paper.id / shown.experiment / "metrics.csv")
    assert set(shown.algorithms) <= set(metrics["algorithm"])


@BY_ID
def test_what_stands_for_the_papers_data_is_not_counted(paper):
    at_paper_scale = {v["experiment"] for v in published(paper) if v["scale"] == "paper"}
    proxies = {KNOWN[key].id for key in at_paper_scale if KNOWN[key].proxy_for}
    assert proxies <= set(paper.findings.not_counted)


@BY_ID
def test_a_summary_is_short_and_says_what_was_found(paper):
    summary = paper.findings.summary
    assert summary.claims and summary.undecided
    assert summary.held or summary.failed or summary.indicated
    lists = (summary.claims, summary.held, summary.failed, summary.indicated, summary.undecided)
    assert sum(map(len, lists)) <= 14
    assert all(sentence.text.endswith(".") for sentence in paper.findings.sentences)
    assert all(sentence.head.endswith(".") for part in lists[1:] for sentence in part)
    assert len(paper.findings.answer.text.split()) <= 115


def findings(**rests_on: str) -> Findings:
    return Findings.model_validate(FINDINGS | {"answer": {"text": "It is.", "rests_on": rests_on}})


def verdict(id: str, status: str, **changes) -> dict:
    entry = {"id": id, "status": status, "scale": "paper", "data": "real", "experiment": "p/e"}
    return entry | {"reading": None, "about": "a result", "details": {"by_construction": None}} | changes


def test_a_changed_a_missing_and_a_new_verdict_are_told_with_what_they_were():
    rests = findings(a="reproduced", b="inconclusive", c=NOT_PUBLISHED, d="reproduced", e=NOT_PUBLISHED)
    found = check(rests, [verdict("a", "not reproduced"), verdict("c", "reproduced"), verdict("d", "reproduced")])
    assert [(one.claim, one.was, one.now) for one in found] == [
        ("a", "reproduced", "not reproduced"),
        ("b", "inconclusive", NOT_PUBLISHED),
        ("c", NOT_PUBLISHED, "reproduced"),
    ]
    assert str(found[0]) == "“It is.” rests on a, which was “reproduced” and is “not reproduced”: read it again"


def test_only_verdicts_at_the_papers_own_scale_and_on_its_own_data_are_counted():
    atlas = Findings.model_validate(FINDINGS | {"not_counted": {"half": "half of the data"}})
    verdicts = [
        verdict("a", "reproduced"),
        verdict("b", "reproduced", scale="medium"),
        verdict("c", "reproduced", data="stand-in"),
        verdict("d", "reproduced", experiment="p/half"),
        verdict("e", "inconclusive", data="synthetic as in the paper"),
        verdict("f", "reproduced", about="a setting"),
        verdict("g", "holds by construction"),
        verdict("a@other", "reproduced", reading={"of": "e", "claim": "a"}),
    ]
    assert counted(atlas, verdicts) == {"reproduced": 1, "inconclusive": 1}


@pytest.mark.parametrize("place", ["held", "failed", "undecided"])
def test_only_what_a_paper_claims_may_rest_on_nothing(place):
    with pytest.raises(ValueError, match="'It did.' names no claim; say under 'rests_on'"):
        Findings.model_validate(FINDINGS | {"summary": SUMMARY | {place: [{"text": "It did."}]}})
    with pytest.raises(ValueError, match="'It did.' has no head; say under 'head' in one line what was found"):
        sentence = {"text": "It did.", "rests_on": {"a": "reproduced"}}
        Findings.model_validate(FINDINGS | {"summary": SUMMARY | {place: [sentence]}})
    with pytest.raises(ValueError, match="the 'answer' names no claim"):
        Findings.model_validate(FINDINGS | {"answer": {"text": "It is."}})


def test_a_status_that_there_is_not_is_refused_with_some_that_there_are(tmp_path):
    content = (ROOT / "config" / "papers" / "fco.yaml").read_text(encoding="utf-8")
    (tmp_path / "fco.yaml").write_text(content.replace("fig8-smoothed: reproduced", "fig8-smoothed: held", 1))
    with pytest.raises(AtlasError, match=r"fig8-smoothed' is 'held', but must be one of \d+ names; .*reproduced"):
        load_papers(tmp_path, {})
