"""From claims files to claims.json, and the sentences for bad input."""

import json

import pytest
import yaml

from fedatlas.claims.evaluate import check_claim, evaluate_all
from fedatlas.claims.readings import Subject
from fedatlas.claims.schema import load_claims
from fedatlas.claims.status import Status
from fedatlas.errors import AtlasError
from fedatlas.results.collection import read_results

CLAIM = {
    "id": "first-claim", "source": "Figure 1", "quote": "It is best.", "statement": "It is good.",
    "experiment": "first", "needs_scale": "quick",
    "check": {"kind": "value", "metric": "f1", "split": "model", "at": "last", "algorithms": ["feddualavg"],
              "at_least": 0.8},
}  # fmt: skip


@pytest.fixture
def claims_of(tmp_path):
    """Writes claims as config/claims/toy/figure_1.yaml, each CLAIM with changes, and loads them."""

    def load(*changes):
        folder = tmp_path / "claims" / "toy"
        folder.mkdir(parents=True, exist_ok=True)
        claims = []
        for change in changes:
            check = CLAIM["check"] | change.pop("check", {})
            claims.append({k: v for k, v in {**CLAIM, "check": check, **change}.items() if v is not None})
        (folder / "figure_1.yaml").write_text(yaml.safe_dump({"claims": claims}))
        return load_claims(tmp_path / "claims")

    return load


def test_claims_json_has_the_documented_fields(claims_of, results_of, tmp_path):
    out = tmp_path / "reports" / "claims.json"
    kept = {"paper": "toy", "id": "kept", "status": "reproduced", "scale": "paper"}
    evaluate_all(claims_of({}), results_of({"feddualavg": [0.9, 0.91, 0.92]}), out, [kept])
    found, published = json.loads(out.read_text())
    assert published == {"origin": "published", **kept}
    assert found.pop("origin") == "this machine"
    assert set(found) == {"paper", "id", "source", "statement", "expected", "measured", "status", "about", "interval",
                          "seeds", "scale", "data", "experiment", "reading", "figure", "details"}  # fmt: skip
    assert Status(found["status"])
    assert found["measured"] == "FedDualAvg 0.9, 0.91, 0.92"
    assert found["interval"].keys() == {"low", "high", "n"}
    assert (found["data"], found["figure"]) == ("synthetic as in the paper", "Figure 1")
    assert found["experiment"] == "toy/first"
    assert found["details"]["quote"] == "It is best."


def test_a_claim_that_needs_the_papers_scale_is_measured_but_not_judged(claims_of, results_of):
    (claim,) = claims_of({"needs_scale": "paper"})
    found = check_claim(Subject(claim), results_of({"feddualavg": [0.9]}, scale="quick"))
    assert found.status == "not run at this scale"
    assert found.measured == "FedDualAvg 0.9"
    assert "needs paper scale" in found.details["why"]


def test_a_round_that_only_the_papers_scale_reaches(claims_of, results_of):
    """Quick runs of the toy end at round 50."""
    evidence = results_of({"feddualavg": [0.9]}, scale="quick")
    (claim,) = claims_of({"needs_scale": "paper", "check": {"at": 100}})
    found = check_claim(Subject(claim), evidence)
    assert (found.status, found.measured) == ("not run at this scale", "")
    assert found.expected == "F1 at round 100: at least 0.8"
    (claim,) = claims_of({"check": {"at": 100}})
    with pytest.raises(AtlasError, match="no evaluation at round 100; its last one is 50"):
        check_claim(Subject(claim), evidence)


def test_a_claim_about_an_experiment_that_was_left_out(claims_of, results_of, runs_folder):
    known = results_of({}, other={}).known
    evidence = read_results(runs_folder, known, "paper", ["toy/first"])
    (claim,) = claims_of({"experiment": "second"})
    found = check_claim(Subject(claim), evidence)
    assert found.status == "not run at this scale"
    assert "toy/second" in found.details["why"]
    assert found.figure == "Figure 2"


def test_a_claim_about_an_experiment_of_another_scale(claims_of, results_of, runs_folder):
    known = dict(results_of({}, other={}, scale="quick").known)
    known["toy/second"] = known["toy/second"].model_copy(update={"scales": ("paper",)})
    evidence = read_results(runs_folder, known, "quick")
    assert set(evidence.experiments) == {"toy/first"}
    (claim,) = claims_of({"experiment": "second"})
    found = check_claim(Subject(claim), evidence)
    assert (found.status, found.figure) == ("not run at this scale", "Figure 2")
    assert found.details["why"] == "run at paper scale only: toy/second"
    with pytest.raises(AtlasError, match="toy/second is not run at quick scale, only at: paper"):
        read_results(runs_folder, known, "quick", ["toy/second"])


def test_a_new_label_or_colour_re_runs_nothing(results_of, runs_folder):
    before = results_of({})
    toy = before.known["toy/first"]
    entries = {**toy.algorithms, "fedmid": {"label": "FedMid, wide", "colour": "#1d4ed8"}}
    known = {"toy/first": toy.model_copy(update={"algorithms": entries})}
    first = read_results(runs_folder, known, "paper")["toy/first"]
    found, own = (first.of(name)[0] for name in ("fedmid", "feddualavg"))
    about = found.manifest.algorithm
    assert (about.id, about.name, about.colour) == ("fedmid", "FedMid, wide", "#1d4ed8")
    assert own.manifest == before["toy/first"].of("feddualavg")[0].manifest
    assert found.table.equals(before["toy/first"].of("fedmid")[0].table)


def test_a_claim_about_several_experiments(claims_of, results_of):
    claims = claims_of({"also": ["second"]})
    assert [(c.id, c.experiment, c.also) for c in claims] == [
        ("first-claim", "first", ()), ("first-claim@second", "second", ())
    ]  # fmt: skip
    evidence = results_of({"feddualavg": [0.9, 0.9, 0.9]}, other={"feddualavg": [0.1, 0.1, 0.1]})
    assert [check_claim(Subject(claim), evidence).status for claim in claims] == ["reproduced", "not reproduced"]
    with pytest.raises(AtlasError, match="claim first-claim: 'also' is 'second'"):
        claims_of({"also": "second"})
    with pytest.raises(AtlasError, match="claim first-claim: 'also' names 'first', which is the claim's experiment"):
        claims_of({"also": ["first", "second"]})


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        ([0.9, 0.91, 0.92], "all 3 seeds meet it"),
        ([0.1, 0.2, 0.15], "none of 3 seeds meets it"),
        ([0.81, 0.95, 0.9], "3 of 3 seeds meet it, but their interval reaches across the threshold"),
        ([0.7, 0.95, 0.9], "2 of 3 seeds meet it"),
    ],
)
def test_a_verdict_says_how_many_seeds_meet_it(claims_of, results_of, levels, why):
    (claim,) = claims_of({})
    assert check_claim(Subject(claim), results_of({"feddualavg": levels})).details["why"] == why


def test_what_holds_by_construction_asks_for_no_seeds(claims_of, results_of):
    (claim,) = claims_of({"by_construction": "A proof."})
    found = check_claim(Subject(claim), results_of({"feddualavg": [0.9]}, scale="quick"))
    assert (found.status, found.details["why"]) == ("holds by construction", "one seed meets it, without an interval")


def test_a_missing_table_is_an_error(results_of, runs_folder):
    known = results_of({}).known
    (runs_folder / "paper/toy/first/fedmid/seed1/metrics.parquet").unlink()
    with pytest.raises(AtlasError, match="fedmid/seed1/metrics.parquet does not exist"):
        read_results(runs_folder, known, "paper")


def test_an_unknown_experiment_asked_for(results_of, runs_folder):
    known = results_of({}).known
    with pytest.raises(AtlasError, match="unknown experiment 'toy/third'; did you mean 'toy/first'"):
        read_results(runs_folder, known, "paper", ["toy/third"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"experiment": "third"}, "claim toy/first-claim: unknown experiment 'toy/third'; did you mean 'toy/first'"),
        ({"check": {"algorithms": ["fedavg"]}}, "toy/first has no algorithm 'fedavg'; did you mean 'feddualavg'"),
        ({"check": {"metric": "accuracy"}}, "no metric 'accuracy' of split 'model'; there are: .*model f1"),
    ],
)
def test_a_claim_that_names_what_is_not_there(claims_of, results_of, change, sentence):
    (claim,) = claims_of(change)
    with pytest.raises(AtlasError, match=sentence):
        check_claim(Subject(claim), results_of({}))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"sauce": "Figure 1"},
            r"figure_1.yaml, line 14, .*unknown key 'sauce' \(value 'Figure 1'\); did you mean 'source'",
        ),
        ({"statement": None}, "figure_1.yaml, line 2, claim first-claim: the key 'statement' is missing"),
        ({"needs_scale": "huge"}, "'needs_scale' is 'huge', but must be one of 'quick', 'medium', 'paper'"),
        (
            {"check": {"kind": "hunch"}},
            "unknown kind 'hunch'; there are [0-9]+, such as .*bound",
        ),
        ({"needs_seeds": 2}, "'needs_seeds' is 2, but must be at least 3"),
        ({"check": {"at": "noon"}}, "'noon'"),
        ({"check": {"at_most": 1.0}}, "exactly one of"),
        ({"check": {"marginal": 1.0}}, r"unknown key 'marginal' \(value 1.0\); did you mean 'margin'"),
        ({"check": {"at_least": None, "expect": 1.0}}, "'expect' and 'margin' go together"),
    ],
)
def test_a_wrong_claims_file(claims_of, change, sentence):
    with pytest.raises(AtlasError, match=sentence):
        claims_of(change)


def test_an_unknown_key_is_met_with_the_keys_of_its_own_kind(tmp_path):
    quantity = {"kind": "rounds_to", "metric": "f1", "split": "model", "reach": 0.9, "rising": True}
    gap = {"kind": "gap", "quantity": quantity, "between": ["a", "b"], "at_most": 1, "widest": 2}
    path = tmp_path / "toy" / "figure_1.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump({"claims": [{**CLAIM, "check": gap}]}))
    with pytest.raises(AtlasError, match=r"'check.widest' .*allowed here are: kind, quantity, between, at_most"):
        load_claims(tmp_path)
    quantity["faster"] = True
    path.write_text(yaml.safe_dump({"claims": [{**CLAIM, "check": {k: gap[k] for k in gap if k != "widest"}}]}))
    with pytest.raises(
        AtlasError, match=r"'check.quantity.faster' .*allowed here are: metric, split, kind, reach, rising, against"
    ):
        load_claims(tmp_path)


def test_a_ratio_needs_a_bound(tmp_path):
    ratio = {"kind": "ratio", "quantity": {"kind": "product", "of": ["rho"]}, "of": "a", "to": ["b"]}
    path = tmp_path / "toy" / "figure_1.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump({"claims": [{**CLAIM, "check": ratio}]}))
    with pytest.raises(AtlasError, match="give 'at_least', 'at_most' or both"):
        load_claims(tmp_path)


def test_two_claims_with_one_id(claims_of):
    with pytest.raises(AtlasError, match="the id 'first-claim' is already used in .*figure_1.yaml"):
        claims_of({}, {})
