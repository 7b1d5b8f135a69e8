"""The rules of judgement hold for everything that is published, and the audit sees what breaks them."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from published_results import CONFIG, FOLDER, published

from fedatlas.claims.audit import audit
from fedatlas.claims.diagnoses import load_diagnoses
from fedatlas.claims.registered import read_registered
from fedatlas.claims.schema import load_claims
from fedatlas.errors import AtlasError

KEY = "fedpd/figure_2b"
CLAIMS, DIAGNOSES = load_claims(CONFIG / "claims"), load_diagnoses(CONFIG / "diagnoses")
REGISTERED = read_registered(FOLDER)


def test_everything_published_keeps_the_rules(all_published):
    assert audit(published(), CLAIMS, DIAGNOSES, REGISTERED) == []


def test_every_diagnosis_is_of_a_claim_and_names_known_runs():
    claims = {(claim.paper, claim.id) for claim in CLAIMS}
    experiments = {f"{path.parent.name}/{path.stem}" for path in (CONFIG / "experiments").glob("*/*.yaml")}
    for (paper, id), diagnosis in DIAGNOSES.items():
        assert (paper, id) in claims, id
        assert diagnosis.shown_by is None or f"{paper}/{diagnosis.shown_by}" in experiments, diagnosis.shown_by


def test_two_diagnoses_of_one_claim(tmp_path):
    one = "  - {claims: [a], cause: the paper, why: It says two things about this.}\n"
    (tmp_path / "toy.yaml").write_text(f"diagnoses:\n{one}{one}")
    with pytest.raises(AtlasError, match="toy.yaml: the claim 'a' has two diagnoses; keep one"):
        load_diagnoses(tmp_path)


def changed(of, **changes):
    """The published experiment whose first verdict of a status is changed: (id, {key: published})."""
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["status"] == of)
    verdict |= changes
    return verdict["id"], {KEY: one}


def breaches(those, diagnoses=DIAGNOSES, registered=REGISTERED):
    return audit(those, CLAIMS, diagnoses, registered)


def test_a_status_that_its_numbers_do_not_give():
    id, those = changed("reproduced", status="not reproduced")
    assert any(f"{KEY} {id} is 'not reproduced', but its numbers say 'reproduced'" in one for one in breaches(those))


def test_too_few_independent_seeds():
    one = copy.deepcopy(published("fedpd")[KEY])
    verdict = next(v for v in one.verdicts if v["status"] == "reproduced")
    for condition in verdict["details"]["conditions"]:
        condition["independent"] = condition["independent"][:2]
    assert any("fewer than 3 independent seeds" in breach for breach in breaches({KEY: one}))


def test_a_failure_without_a_cause_and_a_verdict_without_registration():
    id, those = changed("not reproduced")
    assert f"{KEY} {id} is not reproduced and has no diagnosis in config/diagnoses/fedpd.yaml" in breaches(those, {})
    assert f"{KEY} {id} has no registration state: run `fedatlas register`" in breaches(those, registered={})


def test_runs_of_a_tree_with_changes():
    one = published("fedpd")[KEY]
    runs = {name: {seed: replace(run, manifest=run.manifest.model_copy(update={"dirty": True}))
                   for seed, run in by_seed.items()} for name, by_seed in one.results.runs.items()}  # fmt: skip
    found = breaches({KEY: replace(one, results=replace(one.results, runs=runs))})
    assert any("runs of a tree with uncommitted changes (fed" in breach for breach in found)
