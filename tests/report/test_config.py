"""The register of assumptions and the list of papers."""

from pathlib import Path

import configuration
import pytest
import yaml

from fedatlas.errors import AtlasError
from fedatlas.report.model.assumptions import load_assumptions
from fedatlas.report.model.papers import load_papers

CONFIG = Path(__file__).parents[2] / "config"
EXPERIMENTS = configuration.known("paper")
PAPERS = configuration.papers()
ENTRY = {
    "id": "a", "figures": ["Figure 1"], "item": "i", "paper_says": "p", "code_does": "c", "we_chose": "w", "why": "y"
}  # fmt: skip
PAPER = {
    "title": "T", "short": "S", "authors": ["A"], "venue": "V", "year": 2021, "link": "https://example.org",
    "about": "a",
    "figures": [{"id": "Figure 1", "about": "b"}],
    "findings": {
        "claim": "c", "answer": {"text": "a", "rests_on": {"id": "reproduced"}},
        "picture": {"experiment": "e", "figure": "Figure 1"},
        "summary": {"claims": [{"text": "t"}], "held": [], "failed": [], "undecided": []},
    },
}  # fmt: skip


def test_all_five_papers_are_listed_and_those_with_experiments_first():
    assert [paper.id for paper in PAPERS][0] == "fco"
    assert {paper.id for paper in PAPERS} >= {"fco", "fedpd", "feddua", "fedem", "dualfl"}


def test_figures_borrow_the_runs_of_experiments_that_there_are():
    for paper in PAPERS:
        for figure in paper.figures:
            borrowed = [EXPERIMENTS[f"{paper.id}/{name}"] for name in figure.of]
            assert all(figure.id in {f.id for f in paper.showing(e)} for e in borrowed)
            assert all(shown.panels for e in borrowed for shown in paper.showing(e))


def test_no_panel_is_for_algorithms_that_its_experiment_does_not_run():
    for experiment in EXPERIMENTS.values():
        paper = next(paper for paper in PAPERS if paper.id == experiment.paper)
        for shown in paper.showing(experiment):
            assert all({*panel.algorithms} & {*experiment.algorithms} for panel in shown.panels if panel.algorithms)
    feddua = next(paper for paper in PAPERS if paper.id == "feddua")
    plain, loss = EXPERIMENTS["feddua/cifar10_fresh"], feddua.figure("Figure 8")
    assert [panel.title for panel in loss.panels] == ["without momentum", "with momentum"]
    assert [panel.title for panel in feddua.with_panels(loss, plain).panels] == ["without momentum"]


def experiments_named(figure):
    yield from (*figure.of, *figure.side_by_side)
    for guide in figure.guides:
        yield from guide.of
    if figure.table:
        yield from figure.table.of.values()


def algorithms_named(figure):
    yield from figure.algorithms
    yield from (guide.run for guide in figure.guides if guide.run)
    for ours in figure.table.ours.values() if figure.table else ():
        yield from ours


def test_figures_name_experiments_and_algorithms_that_there_are():
    for paper in PAPERS:
        mine = [experiment for experiment in EXPERIMENTS.values() if experiment.paper == paper.id]
        for figure in paper.figures:
            assert {*experiments_named(figure)} <= {experiment.id for experiment in mine}
            assert {*algorithms_named(figure)} <= {entry for experiment in mine for entry in experiment.algorithms}


def test_every_section_has_figures():
    for paper in PAPERS:
        assert {section.id for section in paper.sections} <= {figure.section for figure in paper.figures}


def test_every_assumption_concerns_figures_that_its_paper_lists():
    figures = {(paper.id, figure.id) for paper in PAPERS for figure in paper.figures}
    for assumption in load_assumptions(CONFIG / "assumptions"):
        assert {(assumption.paper, figure) for figure in assumption.figures} <= figures, assumption.id


def test_every_experiment_has_assumptions_and_names_only_known_ones():
    register = load_assumptions(CONFIG / "assumptions")
    for experiment in EXPERIMENTS.values():
        assert any(experiment.paper == a.paper and experiment.figure in a.figures for a in register)
        assert set(experiment.assumptions) <= {a.id for a in register}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"chosen": "w"},
            r"fco.yaml, line 2, assumption a: unknown key 'chosen' \(value 'w'\); did you mean 'we_chose'",
        ),
        ({"why": None}, "fco.yaml, line 2, assumption a: the key 'why' is missing"),
        ({"figures": []}, "'figures' is"),
    ],
)
def test_a_wrong_assumption(tmp_path, change, sentence):
    entry = {key: value for key, value in (ENTRY | change).items() if value is not None}
    (tmp_path / "fco.yaml").write_text(yaml.safe_dump({"assumptions": [entry]}))
    with pytest.raises(AtlasError, match=sentence):
        load_assumptions(tmp_path)


def test_two_assumptions_with_one_id(tmp_path):
    (tmp_path / "fco.yaml").write_text(yaml.safe_dump({"assumptions": [ENTRY, ENTRY]}))
    with pytest.raises(AtlasError, match="fco.yaml, line .*the id 'a' is already used in .*fco.yaml"):
        load_assumptions(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"figures": [{"id": "Figure 3", "about": "b"}]}, "fco.yaml: 'Figure 3' has no 'panels'"),
        ({}, "fco.yaml: 'figures' has no 'Figure 3', which the experiment fco/lasso_I makes"),
        (
            {"figures": [{"id": "Figure 3", "about": "b", "section": "9"}]},
            "the 'section' of Figure 3 is '9', which does not exist",
        ),
        ({"year": "soon"}, "fco.yaml, line .*: 'year' is 'soon', but must be a whole number"),
    ],
)
def test_a_wrong_paper(tmp_path, change, sentence):
    (tmp_path / "fco.yaml").write_text(yaml.safe_dump(PAPER | change))
    with pytest.raises(AtlasError, match=sentence):
        load_papers(tmp_path, {"fco/lasso_I": EXPERIMENTS["fco/lasso_I"]})
