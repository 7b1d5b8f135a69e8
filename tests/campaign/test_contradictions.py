"""What each file says for itself may be right and yet contradict another, or the data: it is told before any work."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from campaign.configured import Project, project

from fedatlas import checking
from fedatlas.checking import STAMP, check_once
from fedatlas.cli import main
from fedatlas.errors import AtlasError

__all__ = ["project"]
LASSO, CLAIMS, PAPER = "experiments/fco/lasso_I.yaml", "claims/fco/figure_3.yaml", "papers/fco.yaml"
CASES: dict[str, tuple[str, str, tuple[str | int, ...], Any, str]] = {
    "a metric that no run records": (
        "experiment", LASSO, ("select", "metric"), "f2",
        "'select.metric' is 'f2', which the runs do not record on 'model'; they record: density, f1",
    ),
    "a split of the selection that is not evaluated": (
        "experiment", LASSO, ("select",), {"metric": "loss", "split": "test", "best": "lowest", "over_last": 1},
        "'select.split' is 'test', which the runs do not evaluate",
    ),
    "a split that the data lack": (
        "experiment", LASSO, ("evaluation", "splits"), ["train", "unseen_test"],
        "'evaluation.splits' holds 'unseen_test', which the data set lasso does not have; it has: train, validation.",
    ),
    "more clients than there are": (
        "experiment", LASSO, ("training", "cohort"), 100000,
        "'training.cohort' of feddualavg is 100000, but lasso has 64 clients that train",
    ),
    "a batch that no client fills": (
        "experiment", LASSO, ("training", "batch_size"), 10**9,
        "'training.batch_size' of feddualavg is 1000000000, but no client of lasso has more than 128 examples",
    ),
    "evaluations after the end": (
        "experiment", LASSO, ("evaluation", "every"), 100000,
        "'evaluation.every' of feddualavg is 100000, but there are 500 'training.rounds'",
    ),
    "a seed twice": ("experiment", LASSO, ("seeds", "sweep"), [0, 0], "'seeds.sweep': 0 is listed twice"),
    "classes that the data lack": (
        "experiment", LASSO, ("problem",), {"name": "multinomial_logistic", "penalty": {"name": "zero"}},
        "'problem.name' is 'multinomial_logistic', which needs classes, but the data set lasso has none",
    ),
    "a figure that the paper lacks": (
        "experiment", LASSO, ("figure",), "Figure 33",
        "'figures' has no 'Figure 33', which the experiment fco/lasso_I makes; did you mean 'Figure 3'?",
    ),
    "an assumption that is not registered": (
        "experiment", LASSO, ("assumptions",), ["fco-nothing"], "'assumptions.0' names the assumption 'fco-nothing'",
    ),
    "a claim about no experiment": (
        "claims", CLAIMS, ("claims", 0, "experiment"), "lasso_1", "'experiment' names the experiment 'lasso_1'",
    ),
    "a claim about no algorithm": (
        "claims", CLAIMS, ("claims", 0, "check", "algorithms"), ["feddualavgg"],
        "'check' names the algorithm 'feddualavgg', which fco/lasso_I does not have; did you mean 'feddualavg'?",
    ),
    "a claim that compares a method with itself": (
        "claims", CLAIMS, ("claims", 2, "check", "order"), ["feddualavg", "lasso_I/feddualavg"],
        "'check' compares feddualavg of fco/lasso_I with itself",
    ),
    "a claim that compares runs without a common seed": (
        "claims", CLAIMS, ("claims", 2, "check", "order"), ["feddualavg", "theorem_4_1/feddualavg"],
        "'check' compares feddualavg with theorem_4_1/feddualavg, which have no seed in common that counts",
    ),
    "a claim for each of some without a star": (
        "claims", CLAIMS, ("claims", 2, "check", "each"), ["feddualavg", "fedmid"],
        "with 'each', every term of 'order' needs a '*'",
    ),
    "a claim about no metric": (
        "claims", CLAIMS, ("claims", 0, "check", "metric"), "recal",
        "'check.metric' is 'recal', which the runs do not record on 'model'; did you mean 'recall'?",
    ),
    "a claim about a round between evaluations": (
        "claims", CLAIMS, ("claims", 0, "check", "at"), 7, "'check.at' is round 7, at which feddualavg",
    ),
    "a claim about a sweep after one of it was selected": (
        "experiment", "experiments/fco/theorem_4_2.yaml", ("select",),
        {"metric": "f1", "split": "model", "best": "highest", "over_last": 1, "until": 250},
        "'check.quantity' is of all configurations of feddualavg of fco/theorem_4_2, but after 'select.until'",
    ),
    "a figure of no experiment": (
        "paper", PAPER, ("figures", 2, "of"), ["lasso_9"], "'figures.2.of' names the experiment 'lasso_9'",
    ),
    "a panel of no metric": (
        "paper", PAPER, ("figures", 4, "panels", 0, "metric"), "recal", "which the runs do not record on",
    ),
    "a sentence that rests on no claim": (
        "paper", PAPER, ("findings", "answer", "rests_on"), {"fig6-outperform": "reproduced"},
        "'findings.answer.rests_on' names the claim 'fig6-outperform', which does not exist; did you mean",
    ),
    "an assumption about no figure": (
        "assumptions", "assumptions/fco.yaml", ("assumptions", 0, "figures"), ["Figure 99"],
        "'figures.0' names the figure 'Figure 99', which does not exist; did you mean 'Figure 9'?",
    ),
    "a diagnosis of no claim": (
        "diagnoses", "diagnoses/fco.yaml", ("diagnoses", 0, "claims"), ["fig3-nothing"],
        "'claims.0' names the claim 'fig3-nothing', which does not exist",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_is_told(project: Project, case: str):
    kind, name, at, value, words = CASES[case]
    path = project.config / name
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    place = content
    for part in at[:-1]:
        place = place[part]
    place[at[-1]] = value
    sentence = project.told(kind, path, yaml.safe_dump(content, sort_keys=False).encode())
    assert sentence is not None and words in sentence, sentence
    assert ".yaml" in sentence and "\n" not in sentence


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("experiments/fco/mine.yml", "name it mine.yaml."),
        ("experiments/mine.yaml", "put it into the folder of its paper, such as "),
        ("claims/fco/more/mine.yaml", "put it into the folder of its paper, such as "),
    ],
)
def test_a_file_that_nothing_reads_is_told(project: Project, name: str, mend: str):
    path = project.config / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("paper: fco\n", encoding="utf-8")
    try:
        with pytest.raises(AtlasError, match=f"{path} is not read: {mend}"):
            check_once(project.root)
    finally:
        path.unlink()


def test_what_was_found_right_is_not_checked_again_until_a_file_changes(project: Project, monkeypatch):
    checked: list[object] = []
    monkeypatch.setattr(checking, "check_configuration", checked.append)
    for _ in range(2):
        check_once(project.root)
    assert checked == [project.root] and (project.root / STAMP).is_file()
    path = project.config / LASSO
    whole = path.read_bytes()
    path.write_bytes(whole + b"# a word more\n")
    check_once(project.root)
    path.write_bytes(whole)
    check_once(project.root)
    assert len(checked) == 3


def test_plan_tells_of_a_claim_before_it_asks_snakemake(project: Project, monkeypatch, capsys):
    monkeypatch.chdir(project.root)
    path = project.config / CLAIMS
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("experiment: lasso_I", "experiment: lasso_l", 1), encoding="utf-8")
    try:
        assert main(["plan"]) == 2
    finally:
        path.write_text(whole, encoding="utf-8")
    assert "figure_3.yaml, line " in (said := capsys.readouterr().err) and "did you mean 'lasso_I'?" in said
