"""The rules of judgement hold for everything that is published, and the audit sees what breaks them."""

from __future__ import annotations

import copy
from dataclasses import replace

import configuration
import pytest
from configuration import CONFIG, known
from published_results import FOLDER, published

from fedatlas.claims.audit import audit
from fedatlas.claims.diagnoses import load_diagnoses
from fedatlas.claims.judgement import judge
from fedatlas.claims.readings import subjects
from fedatlas.claims.registered import read_registered
from fedatlas.claims.verdict import read_condition
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.results.published.read import KEPT_SCALES

KEY = "fedpd/figure_2b"
CLAIMS, DIAGNOSES = configuration.claims(), load_diagnoses(CONFIG / "diagnoses")
REGISTERED = read_registered(FOLDER)


def test_everything_published_keeps_the_rules(all_published):
    assert audit(published(), {scale: known(scale) for scale in KEPT_SCALES}, CLAIMS, DIAGNOSES, REGISTERED) == []


def test_every_diagnosis_is_of_a_claim_and_names_known_runs():
    claims = {(claim.paper, one.id) for claim in CLAIMS for one in subjects(claim, known(Scale.PAPER))}
    experiments = {f"{path.parent.name}/{path.stem}" for path in (CONFIG / "experiments").glob("*/*.yaml")}
    for (paper, id), diagnosis in DIAGNOSES.items():
        assert (paper, id) in claims, id
        assert diagnosis.shown_by is None or f"{paper}/{diagnosis.shown_by}" in experiments, diagnosis.shown_by


def test_two_diagnoses_of_one_claim(tmp_path):
    one = "  - {claims: [a], cause: the paper, why: It says two things about this.}\n"
    (tmp_path / "toy.yaml").write_text(f"diagnoses:\n{one}{one}")
    with pytest.raises(AtlasError, match="toy.yaml, line 3: 'claims' has 'a', which has two diagnoses: keep one"):
        load_diagnoses(tmp_path)


def changed(of, **changes):
    """The published experiment whose first verdict of a status is changed: (id, {key: published})."""
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["status"] == of)
    verdict |= changes
    return verdict["id"], {KEY: one}


def status_of_numbers(verdict):
    """The status that follows from a verdict's own numbers."""
    claim = next(one for one in CLAIMS if one.id == verdict["id"])
    return judge(claim, [read_condition(condition, "") for condition in verdict["details"]["conditions"]]).status


def breaches(those, diagnoses=DIAGNOSES, registered=REGISTERED, claims=CLAIMS):
    paper = next(iter(those)).partition("/")[0]
    experiments = {scale: known(scale, paper) for scale in KEPT_SCALES}
    return audit(those, experiments, [one for one in claims if one.paper == paper], diagnoses, registered)


def test_a_status_that_its_numbers_do_not_give():
    id, those = changed("reproduced", status="not reproduced")
    assert any(f"{KEY} {id} is 'not reproduced', but its numbers say 'reproduced'" in one for one in breaches(those))


def test_too_few_independent_seeds():
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["status"] == "reproduced")
    for condition in verdict["details"]["conditions"]:
        condition["independent"] = condition["independent"][:2]
    assert any("is 'reproduced', but its numbers say 'indicated'" in breach for breach in breaches({KEY: one}))


def test_an_open_verdict_that_its_tables_decide():
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["status"] == "reproduced")
    for condition in verdict["details"]["conditions"]:
        condition["values"] |= {str(condition["independent"][0]): condition["threshold"]}
    status = status_of_numbers(verdict)
    verdict["status"] = status
    assert status not in ("reproduced", "not reproduced")
    assert f"{KEY} {verdict['id']} is '{status}', but its tables say 'reproduced': run `fedatlas rejudge`" in breaches(
        {KEY: one}
    )


def test_a_failure_without_a_cause_and_a_verdict_without_registration():
    id, those = changed("not reproduced")
    assert f"{KEY} {id} is not reproduced and has no diagnosis in config/diagnoses/fedpd.yaml" in breaches(those, {})
    assert f"{KEY} {id} has no registration state: run `fedatlas register`" in breaches(those, registered={})


def test_a_reading_that_fails_alone_needs_a_cause_of_its_own():
    key = "fedpd/figure_2a_theory"
    mine = {key: published("fedpd")[key]}
    failed = [one["id"] for one in mine[key].verdicts if one["status"] == "not reproduced"]
    alone = [id for id in failed if ("fedpd", id) in DIAGNOSES]
    assert alone and len(alone) < len(failed) and breaches(mine) == []
    without = {of: why for of, why in DIAGNOSES.items() if of[1] not in alone}
    assert breaches(mine, without) == [
        f"{key} {id} is not reproduced and has no diagnosis in config/diagnoses/fedpd.yaml" for id in alone
    ]


@pytest.mark.parametrize(
    "breaks, what",
    [
        (lambda condition: {"values": dict.fromkeys(condition["values"], condition["threshold"])}, "a tie"),
        (lambda condition: {"values": dict.fromkeys(condition["values"], "nan")}, "never against never"),
        (lambda condition: {"comparable": False}, "a competitor that has diverged"),
        (lambda condition: {"saturated": True}, "a task that all methods solve"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_what_decides_nothing(breaks, what):
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["id"] == "fig2b-ahead")
    for condition in verdict["details"]["conditions"]:
        condition |= breaks(condition)
    assert any(f"{verdict['id']} is 'reproduced', but its numbers say" in each for each in breaches({KEY: one})), what


def test_a_claim_that_holds_by_construction_does_not_count():
    id, those = changed("reproduced")
    claims = [claim.model_copy(update={"by_construction": "It does."}) if claim.id == id else claim for claim in CLAIMS]
    assert f"{KEY} {id} is counted, though it holds by construction" in breaches(those, claims=claims)
    those[KEY].verdicts[0]["details"]["by_construction"] = "It does."
    of_first = those[KEY].verdicts[0]["id"]
    claims = [one.model_copy(update={"by_construction": "It does."}) if one.id == of_first else one for one in CLAIMS]
    assert not any(f"{of_first} is counted" in one for one in breaches(those, claims=claims))


def with_edges():
    """An experiment of which a decided verdict has selected values on edges, a copy, and that verdict."""
    one = copy.deepcopy(published("fco")["fco/lasso_IV"])
    return one, next(v for v in one.verdicts if v["status"] == "reproduced" and v["details"]["edges"])


def test_an_edge_that_is_not_told():
    one, verdict = with_edges()
    edge = verdict["details"]["edges"].pop()
    told = f"fco/lasso_IV {verdict['id']} does not say that a selected value lies on the edge of its grid: {edge}"
    assert told in breaches({"fco/lasso_IV": one})
    del verdict["details"]["edges"]
    assert any("does not say which of its selected values lie on the edge" in each
               for each in breaches({"fco/lasso_IV": one}))  # fmt: skip


def test_a_seed_that_selected_and_is_called_independent():
    one, verdict = with_edges()
    for condition in verdict["details"]["conditions"]:
        condition["independent"] = sorted(int(seed) for seed in condition["values"])
    assert any(f"{verdict['id']} says something else than its runs" in each for each in breaches({"fco/lasso_IV": one}))


def test_runs_of_a_tree_with_changes():
    one = published("fedpd")[KEY]
    runs = {name: {seed: replace(run, manifest=run.manifest.model_copy(update={"dirty": True}))
                   for seed, run in by_seed.items()} for name, by_seed in one.results.runs.items()}  # fmt: skip
    found = breaches({KEY: replace(one, results=replace(one.results, runs=runs))})
    assert any("runs of a tree with uncommitted changes (fed" in breach for breach in found)
