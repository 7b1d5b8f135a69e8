"""The page of a study, made from runs whose numbers are made up; nothing here needs TensorFlow."""

from __future__ import annotations

import importlib.util

import pytest
from given_clients import points
from html_page import Page
from made_runs import write_runs

import fedatlas as fa
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import runs_of
from fedatlas.library import plan
from fedatlas.library.arguments import Arguments
from fedatlas.library.study import Study
from fedatlas.results.collection import ExperimentResults
from fedatlas.results.run import load_run

NOTES = ("FedAvg ignores the penalty l1.", "the best client_lr 0.3 of FedAvg lies at the edge of its grid.")


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    clients = fa.clients(points(0), test=points(1), classes=3)
    own = Arguments(rounds=40, batch_size=4, seeds=(0, 1), title="Three classes <of mine>")
    asked = plan.Asked(["fedavg", "feddualavg"], fa.problems.softmax(penalty=fa.prox.l1(0.1)), clients, {}, own)
    experiment, folder = plan.plan(asked), tmp_path_factory.mktemp("runs")
    write_runs(folder, [experiment], diverged=lambda run: [0])
    runs: dict = {}
    for run in runs_of([experiment]):
        runs.setdefault(run.algorithm, {})[run.seed] = load_run(folder / run.folder)
    return Study(ExperimentResults(experiment, runs, None), NOTES)


@pytest.fixture(scope="module")
def page(study, tmp_path_factory) -> Page:
    return Page(study.page(tmp_path_factory.mktemp("page")))


def test_it_says_what_was_compared_and_what_to_keep_in_mind(page):
    assert "Three classes &lt;of mine&gt;" in page.text and "<of mine>" not in page.text
    assert all(note in page.text for note in NOTES)
    assert "FedAvg" in page.text and "FedDualAvg" in page.text and "1 of 12" in page.text


def test_everything_it_shows_lies_beside_it(page):
    here = [name for name in page.loads if not name.startswith("data:")]
    assert here and all((page.path.parent / name).is_file() for name in here)
    assert [image["src"] for image in page.images] == ["figures/curves.svg", "figures/sweep.svg"]
    assert all(image["alt"] for image in page.images)


def test_its_chart_holds_every_metric(page):
    (chart,) = page.explorers.values()
    assert {"test_accuracy", "train_objective"} <= {value for choice in chart["choices"] for value, _ in choice[2]}


def test_tables_have_a_row_for_each_algorithm_and_each_configuration(study):
    best, table = study.best(), study.table()
    assert set(best.index) == {"FedAvg", "FedDualAvg"} and set(best["diverged"]) == {"1 of 12"}
    assert len(table) == 24 and table["diverged"].sum() == 2
    assert table["test accuracy"].isna().sum() == 2


def test_a_picture_in_a_notebook_is_an_image_with_words(study):
    shown = study.plot("accuracy")._repr_html_()
    assert shown.startswith('<img alt="Curves of test accuracy') and "data:image/svg+xml;base64," in shown
    assert all(note in study._repr_html_() for note in NOTES)


def test_a_study_is_saved_over_nothing_but_a_study(study, tmp_path):
    (tmp_path / "chapter.tex").write_text("mine")
    with pytest.raises(AtlasError, match=r"holds other files \(chapter.tex\), .*: give a new folder"):
        study.save(tmp_path)
    with pytest.raises(AtlasError, match="chapter.tex is a file"):
        study.save(tmp_path / "chapter.tex")
    assert (tmp_path / "chapter.tex").read_text() == "mine"
    again = study.save(study.save(tmp_path / "study"))
    assert fa.open_study(again).best().equals(study.best())


def test_a_page_is_written_over_nothing_but_a_page(study, page, tmp_path):
    assert study.page(page.path.parent) == page.path
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / "chapter.tex").write_text("mine")
    with pytest.raises(AtlasError, match=r"holds other files \(chapter.tex\), .*: give a new folder"):
        study.page(tmp_path)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_what_snakemake_leaves_of_a_study_is_written_over(study, tmp_path):
    (study.save(tmp_path / "study") / "study.json").unlink()
    assert fa.open_study(study.save(tmp_path / "study")).best().equals(study.best())


@pytest.mark.parametrize("name", ["notes.txt", "runs/mine/notes.txt"])
def test_files_of_a_users_own_beside_a_study_are_kept(study, tmp_path, name):
    mine = study.save(tmp_path / "study") / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    with pytest.raises(AtlasError, match=r"study holds other files \((notes.txt|runs/mine)\), which would be lost"):
        study.save(tmp_path / "study")
    assert mine.read_text() == "mine"


def test_what_cannot_be_drawn_or_written_is_told(study, tmp_path):
    with pytest.raises(AtlasError, match="unknown axis 'time'; there are: rounds"):
        study.plot("loss", against="time")
    with pytest.raises(AtlasError, match="p.png: pictures are written as SVG"):
        study.plot("loss").save(tmp_path / "p.png")


def test_without_tensorflow_it_is_told_which_python_has_it(tmp_path):
    if importlib.util.find_spec("tensorflow_federated"):
        pytest.skip("this Python has it")
    clients = fa.clients(points(0), classes=3)
    for ask in (lambda: fa.compare("fedavg", fa.problems.softmax(), clients, cache=tmp_path), fa.tff_runtime):
        with pytest.raises(AtlasError, match="no TensorFlow Federated: in the project's folder run .env/tff"):
            ask()
