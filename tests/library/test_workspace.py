"""A folder that `fedatlas new` writes: it runs as it is, and says in a sentence what is wrong with it."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("tensorflow")

import fedatlas as fa
from fedatlas.algorithms import algorithms
from fedatlas.cli import main
from fedatlas.errors import AtlasError
from fedatlas.library.new import write_new
from fedatlas.library.workspace import Workspace


@pytest.fixture(autouse=True)
def only_what_the_atlas_has(monkeypatch):
    """What a folder registers is forgotten after each test."""
    monkeypatch.setattr(algorithms, "_added", {})
    monkeypatch.setattr("sys.path", __import__("sys").path[:])


@pytest.fixture
def folder(tmp_path):
    """A new study of three rounds."""
    write_new(tmp_path / "my-study")
    change(tmp_path / "my-study/study.yaml", "rounds: 50", "rounds: 3")
    return tmp_path / "my-study"


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_it_runs_as_it_is_with_an_algorithm_of_its_own(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["study", "train", "clipped"]) == 0
    assert [path.parents[1].name for path in folder.rglob("run.json")] == ["clipped"]
    assert main(["study"]) == 0
    said = capsys.readouterr().out
    assert "My study" in said and "FedAvg, clipped" in said and "is not fair" not in said
    study = fa.open_study(folder / "results/study")
    assert set(study.best().index) == {"FedAvg", "SCAFFOLD", "FedNova", "FedAvg, clipped"}
    page = (folder / "results/page/index.html").read_text()
    assert "FedAvg, clipped" in page and "12 clients" in page


def test_an_algorithm_of_its_own_is_not_needed_to_look_at_the_results(folder):
    Workspace.open(folder).show()
    algorithms._added.clear()
    assert "FedAvg, clipped" in fa.open_study(folder / "results/study").plot("accuracy").words


def test_a_changed_algorithm_runs_again(folder):
    Workspace.open(folder).train("clipped")
    algorithms._added.clear()
    change(folder / "algorithms/clipped.py", "tf.ones_like(length)", "2 * tf.ones_like(length)")
    Workspace.open(folder).train("clipped")
    assert len([*folder.glob("results/runs/runs/*")]) == 2


def test_an_algorithm_that_diverges_everywhere_is_done_and_left_out(folder, capsys):
    change(folder / "study.yaml", "  scaffold: {client_lr: [0.1, 0.3, 1], server_lr: [1]}\n", "")
    change(folder / "study.yaml", "fednova: {client_lr: [0.1, 0.3, 1]", "fednova: {client_lr: [3.0e+38]")
    change(folder / "study.yaml", "  fedavg:\n", "")
    Workspace.open(folder).train("fednova")
    assert "fednova: every configuration diverged" in capsys.readouterr().out
    study = Workspace.open(folder).show()
    assert list(study.best().index) == ["FedAvg, clipped"]
    assert any("FedNova: every configuration diverged, so it is left out" in note for note in study.warnings)


MISTAKES = {
    "a key": ("study.yaml", "rounds: 3", "round: 3", r"study.yaml, line 3: unknown key 'round'.*rounds"),
    "an algorithm": ("study.yaml", "  scaffold:", "  scafold:", r"unknown algorithm 'scafold'.*mean 'scaffold'"),
    "a rate": ("study.yaml", "longest: [0.1", "shortest: [0.1", r"unknown name 'shortest'.*longest"),
    "a flag": ("study.yaml", "longest: [0.1", "longest: [yes", r"study.yaml, line \d+: .*longest.* must be a number"),
    "no clients": ("data.py", "def clients", "def people", r"data.py must define a function clients\(\)"),
    "no problem": ("problem.py", "return fa.problems", "fa.problems", r"problem\(\) of .*returns NoneType, but must"),
    "no algorithm": ("algorithms/clipped.py", "(FedAvg)", "", r"clipped.py must define one algorithm.*defines 0"),
    "a bracket": ("algorithms/clipped.py", "(FedAvg):", "(FedAvg:", r"clipped.py, line \d+: invalid syntax\.$"),
    "a name": ("problem.py", "return fa.problems", "return fa.problemz", r"problem.py, line \d+: .*Error: .*problemz"),
    "a package": ("data.py", "from sklearn", "from sklearm", r"data.py, line \d+: .*: No module named 'sklearm'"),
    "labels": ("data.py", "y[part][::2])", "y[part][::2] - 1)", r"label -1, but labels must be 0 to"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_a_sentence_before_any_round(folder, mistake):
    file, old, new, said = MISTAKES[mistake]
    change(folder / file, old, new)
    with pytest.raises(AtlasError, match=re.compile(said, re.DOTALL)):
        Workspace.open(folder).show()
    assert not (folder / "results").exists()


def test_what_several_files_use_lies_beside_them_or_behind_an_underscore(folder):
    (folder / "lengths.py").write_text("LONGEST = 3.0\n")
    (folder / "algorithms/_norms.py").write_text("import lengths\n\nLONGEST = lengths.LONGEST\n")
    change(folder / "algorithms/clipped.py", "import tensorflow", "import _norms\nimport tensorflow")
    change(folder / "algorithms/clipped.py", "= positive()", "= positive()\n    most = _norms.LONGEST")
    Workspace.open(folder)
    assert algorithms["clipped"].most == 3.0 and "_norms" not in algorithms


@pytest.mark.parametrize(("name", "said"), [("fedavg", "the algorithm 'fedavg' itself"), ("my-own", "must be letters")])
def test_a_file_whose_name_no_algorithm_can_have_is_told(folder, name, said):
    file = folder / "algorithms" / "clipped.py"
    file.rename(file.with_stem(name))
    with pytest.raises(AtlasError, match=rf"{name}\.py: .*{said}"):
        Workspace.open(folder)


def test_a_folder_that_is_none(tmp_path, capsys):
    assert main(["study", "--folder", str(tmp_path)]) == 2
    assert "holds no study.yaml" in capsys.readouterr().err
    with pytest.raises(AtlasError, match="exists: choose another name"):
        write_new(tmp_path)
    write_new(tmp_path / "made")
    with pytest.raises(AtlasError, match="has no algorithm 'fedprox'; it has: fedavg, scaffold"):
        Workspace.open(tmp_path / "made").train("fedprox")


def test_algorithms_are_listed_and_shown(capsys):
    assert main(["algorithms"]) == 0 and "FedDualAvg" in capsys.readouterr().out
    assert main(["algorithms", "fednova"]) == 0 and "tau_eff" in capsys.readouterr().out
    assert main(["algorithms", "fednoova"]) == 2 and "'fednova'" in capsys.readouterr().err
