"""Sentences name the line of the key, in the file in which it stands."""

from __future__ import annotations

import pytest

from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import load_experiment

PARENT = "paper: fco\nfigure: F\ntitle: T\nquestion: Q\ntraining: {rounds: 3}\nquick:\n  training:\n    rounds: none\n"


def sentence(path, scale="paper"):
    with pytest.raises(AtlasError) as caught:
        load_experiment(path, scale)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "fco"
    folder.mkdir()
    (folder / "parent.yaml").write_text(PARENT)
    return folder


def test_a_value_of_the_file_that_is_extended(folder):
    child = folder / "child.yaml"
    child.write_text("extends: parent\ntitle: C\ntraning: {}\n")
    assert sentence(child).startswith(f"{child}, line 3: unknown key 'traning' (value {{}}); did you mean 'training'?")


def test_a_value_of_a_scale_goes_before_that_of_the_file(write):
    path = write(training__rounds=7, quick__training__rounds="none")
    lines = path.read_text().splitlines()
    last = max(number for number, line in enumerate(lines, 1) if "rounds: none" in line)
    assert sentence(path, "quick").startswith(f"{path}, line {last}: 'training.rounds' is 'none'")


def test_a_value_of_the_file_that_is_extended_is_told_with_both(write):
    path = write(training__rounds=-7)
    child = path.with_stem("child")
    child.write_text("extends: changed\n")
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if "rounds: -7" in text)
    assert sentence(child).startswith(f"{child} (line {line} of {path}): 'training.rounds' is -7, but must be above 0")


def test_a_file_that_is_not_there_is_missed_by_the_one_that_extends_it(folder):
    child = folder / "child.yaml"
    child.write_text("# first\nextends: parnet\n")
    assert sentence(child) == (
        f"{child}, line 2: 'extends' is 'parnet', but {folder} has no parnet.yaml; did you mean 'parent'?"
    )


@pytest.mark.parametrize(("files", "circle"), [({"a": "a"}, "a -> a"), ({"a": "b", "b": "c", "c": "b"}, "b -> c -> b")])
def test_a_circle_is_told_whole(folder, files, circle):
    for name, other in files.items():
        (folder / f"{name}.yaml").write_text(f"extends: {other}\n")
    assert f"'extends' goes round in a circle: {circle}." in sentence(folder / "a.yaml")


def test_a_scale_that_is_a_list_or_a_word(folder):
    path = folder / "parent.yaml"
    for value in ("[1, 2]", "fast"):
        path.write_text(f"paper: fco\nquick: {value}\n")
        assert f"{path}, line 2: 'quick' is" in sentence(path) and "must be a mapping" in sentence(path)
