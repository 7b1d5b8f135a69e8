"""Claims about the cells of a printed table."""

import pytest
import yaml

from fedatlas.claims.schema import load_claims
from fedatlas.errors import AtlasError

PRINTED = {
    "one_number": {"table_values": {"CIFAR10": {"FedAvg+": 73.1, "Ours": 80.0}, "Synthetic": {"FedAvg+": 68.2}}},
    "several": {"table_values": {"CIFAR10": {"FedAvg+": {"mean": 65.7, "decile": 58.4}}}},
}
ENTRY = {
    "id": "table-{method}-{row}", "source": "Table 2, {row}", "quote": "The accuracy of all methods.",
    "statement": "On {row}, {column} reaches {number} per cent.", "table": "one_number",
    "rows": {"CIFAR10": "first", "Synthetic": "second"}, "methods": {"fedavg-tuned": ["FedAvg+", "fedavg_finetuned"]},
    "check": {"kind": "value", "metric": "accuracy", "split": "test", "at": "last", "margin": 0.02},
    "threshold_from": "two points", "needs_scale": "paper", "needs_data": "own",
}  # fmt: skip


@pytest.fixture
def claims_of(tmp_path):
    """Writes ENTRY with changes as config/claims/toy/table.yaml and loads its claims."""

    def load(**changes):
        for name, content in PRINTED.items():
            path = tmp_path / "paper_results" / f"{name}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(yaml.safe_dump(content))
        path = tmp_path / "claims" / "toy" / "table.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(yaml.safe_dump({"claims": [ENTRY | changes]}))
        return load_claims(tmp_path / "claims")

    return load


def test_a_table_is_a_claim_for_each_cell(claims_of):
    first, second = claims_of()
    assert (first.id, second.id) == ("table-fedavg-tuned-cifar10", "table-fedavg-tuned-synthetic")
    assert (first.source, first.statement) == ("Table 2, CIFAR10", "On CIFAR10, FedAvg+ reaches 73.1 per cent.")
    assert (first.experiment, second.experiment) == ("first", "second")
    assert (first.check.expect, first.check.margin, first.check.better) == (0.731, 0.02, None)
    assert first.check.algorithms == ("fedavg_finetuned",)
    assert (second.check.expect, second.quote, second.needs_data) == (0.682, "The accuracy of all methods.", "own")


def test_a_file_says_once_how_many_seeds_its_claims_need(tmp_path):
    path = tmp_path / "claims" / "toy" / "table.yaml"
    path.parent.mkdir(parents=True)
    (tmp_path / "paper_results").mkdir()
    (tmp_path / "paper_results/one_number.yaml").write_text(yaml.safe_dump(PRINTED["one_number"]))
    whole = {key: ENTRY[key] for key in ("source", "quote", "needs_scale")}
    other = whole | {"id": "other", "statement": "It works.", "experiment": "first", "needs_seeds": 4}
    other["check"] = {**ENTRY["check"], "algorithms": ["fedavg"], "at_least": 0.5}
    del other["check"]["margin"]
    path.write_text(yaml.safe_dump({"needs_seeds": 5, "claims": [ENTRY, other]}))
    assert [claim.needs_seeds for claim in load_claims(tmp_path / "claims")] == [5, 5, 4]


def test_only_what_the_paper_proposes_can_be_better_than_it(claims_of):
    methods = {"fedavg": ["FedAvg+", "fedavg_finetuned"], "ours": ["Ours", "ours"]}
    found = claims_of(methods=methods, rows={"CIFAR10": "first"}, proposed=["ours"])
    assert [(claim.id, claim.check.better) for claim in found] == [
        ("table-fedavg-cifar10", None), ("table-ours-cifar10", "highest")
    ]  # fmt: skip


def test_a_part_of_a_cell(claims_of):
    (claim,) = claims_of(table="several", part="decile", rows={"CIFAR10": "first"}, also=["second"])[:1]
    assert claim.check.expect == 0.584


def test_claims_about_further_experiments(claims_of):
    found = claims_of(rows={"CIFAR10": "first"}, also=["second"])
    assert [claim.id for claim in found] == ["table-fedavg-tuned-cifar10", "table-fedavg-tuned-cifar10@second"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rows": {"CIFAR100": "first"}}, "one_number.yaml has no number at CIFAR100, FedAvg\\+: check 'rows'"),
        ({"methods": {"a": ["FedAvg", "fedavg"]}}, "one_number.yaml has no number at CIFAR10, FedAvg: check"),
        ({"table": "several", "part": "median"}, "several.yaml has no number at CIFAR10, FedAvg\\+, median"),
        ({"table": "several"}, "several.yaml has no number at CIFAR10, FedAvg\\+: check"),
        ({"table": "nowhere"}, "paper_results/nowhere.yaml does not exist"),
        ({"methods": {"a": "FedAvg+"}}, "table.yaml, .*claim table-.*'methods.a' is 'FedAvg\\+'"),
        ({"rows": {}}, "table.yaml, .*claim table-.*'rows'"),
        ({"tabel": "several"}, "claim table-{method}-{row}: unknown key 'tabel'"),
        ({"id": "table-{methods}"}, "claim table-{methods}.*'id' names {methods}; there are: {method}, {row}"),
        ({"proposed": ["ours"]}, "'proposed' names ours, which is not among the 'methods'"),
    ],
)
def test_a_wrong_table_is_a_sentence(claims_of, change, sentence):
    with pytest.raises(AtlasError, match=sentence):
        claims_of(**change)
