"""Roles of a tiny text in the etext's own typesetting, and the windows cut from them."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from fedatlas.data import catalogue
from fedatlas.data.datasets.shakespeare import ALPHABETS
from fedatlas.data.formats.plays import as_one_text, read_roles
from fedatlas.data.raw import write_receipt
from fedatlas.errors import AtlasError

TEXT = """\
The etext's first line
THE SONNETS

by William Shakespeare

  From fairest creatures. we desire increase


THE TRAGEDY OF TWO


by William Shakespeare


ACT I. SCENE I.

  FIRST. I speak   first,
    and go on
    and on.
  Second. One,
    two,
[Exit]
    three.
  SILENT. Only one line.
  first. Again.


THE COMEDY OF ERRORS

by William Shakespeare

ACT I. SCENE 1

DROMIO. Not indented
at all,
    or a little.
<a stage direction>
nobody's line
EGEON. Me
too
neither.
"""
FACTS = {
    "source": "shakespeare", "kind": "stand-in", "title": "t", "citation": "c", "licence": "l", "homepage": "https://a.org",
    "note": None, "layout": "text",
}  # fmt: skip
OPTIONS = {"window": 4, "target": "next", "stride": 1, "alphabet": "plays", "clients": "all", "splits": "none"}


def fetched(folder: Path, text: str = TEXT) -> Path:
    """A folder of raw files with the text in it."""
    (folder / "shakespeare").mkdir(parents=True)
    (folder / "shakespeare" / "raw_data.txt.gz").write_bytes(gzip.compress(text.encode("utf-8-sig")))
    write_receipt(folder / "shakespeare", FACTS, [("raw_data.txt.gz", "here")])
    return folder


def build(tmp_path: Path, seed: int = 0, **options):
    raw = tmp_path / "raw"
    return catalogue.build(
        "shakespeare", OPTIONS | options, seed, raw if raw.exists() else fetched(raw), tmp_path / f"store{seed}"
    )


def read_back(codes: np.ndarray, alphabet: str = "plays") -> str:
    return "".join(ALPHABETS[alphabet][code] for code in codes)


def test_roles_are_read_as_leaf_reads_them():
    assert read_roles(TEXT) == {
        "THE_TRAGEDY_OF_TWO_FIRST": ["I speak   first,", "and go on", "and on.", "Again."],
        "THE_TRAGEDY_OF_TWO_SECOND": ["One,", "two,", "three."],
        "THE_COMEDY_OF_ERRORS_DROMIO": ["Not indented", "at all,", "    or a little."],
        "THE_COMEDY_OF_ERRORS_EGEON": ["Me", "too", "neither."],
    }


def test_runs_of_spaces_become_one():
    assert as_one_text(["a  b", "   c"]) == "a b c "


def test_every_window_is_followed_by_its_character(tmp_path):
    store = build(tmp_path)
    second = store.ids("train").index("THE_TRAGEDY_OF_TWO_SECOND")
    arrays, text = store.read("train", second), "One, two, three. "
    assert store.sizes("train")[second] == len(text) - 4
    for position, (x, y) in enumerate(zip(arrays["x"], arrays["y"], strict=True)):
        assert read_back([*x, y]) == text[position : position + 5]
    assert store.kind == "stand-in"
    assert store.num_classes == 79


@pytest.mark.parametrize("stride", [1, 3])
def test_the_target_of_a_sequence_is_moved_by_one(tmp_path, stride):
    arrays = build(tmp_path, target="sequence", stride=stride, alphabet="printable").read("train", 0)
    text = "Not indented at all, or a little. "
    assert [read_back(x, "printable") for x in arrays["x"]] == [text[i : i + 4] for i in range(0, 30, stride)]
    assert [read_back(y, "printable") for y in arrays["y"]] == [text[i + 1 : i + 5] for i in range(0, 30, stride)]


def test_splits_are_cut_by_time_and_share_no_character(tmp_path):
    store = build(tmp_path, splits="60/20/20", window=2)
    role = store.ids("train").index("THE_COMEDY_OF_ERRORS_DROMIO")
    ends = {"train": "Not indented at all,"[:20], "validation": " or a l", "test": "ittle. "}
    for split, text in ends.items():
        arrays = store.read(split, role)
        assert read_back(arrays["x"][0]) + read_back(arrays["y"]) == text
    assert store.ids("train") == store.ids("test") == store.ids("validation")


def test_held_out_roles_are_in_no_split_of_training(tmp_path):
    store = build(tmp_path, splits="80/20", window=1, held_out=0.5)
    assert store.splits == ["train", "test", "unseen_train", "unseen_test"]
    assert len(store.ids("train")) == len(store.ids("unseen_test")) == 2
    assert not set(store.ids("train")) & set(store.ids("unseen_train"))


def test_drawn_roles_follow_the_seed(tmp_path):
    drawn = [build(tmp_path, seed, clients=2).ids("train") for seed in range(6)]
    assert drawn[0] == build(tmp_path, 0, clients=2).ids("train")
    assert len({tuple(ids) for ids in drawn}) > 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clients": 5}, "'clients' is 5, but 4 roles are long enough for a window of 4 characters"),
        ({"window": 500}, "but 0 roles are long enough"),
        ({"window": 0}, "dataset 'shakespeare': 'window' is 0"),
        ({"author": "Bacon"}, "unknown key 'author'"),
    ],
)
def test_bad_options_get_one_sentence(tmp_path, options, words):
    with pytest.raises(AtlasError, match=words):
        build(tmp_path, **options)


def test_a_foreign_letter_gets_one_sentence(tmp_path):
    fetched(tmp_path / "raw", TEXT.replace("Again.", "Again|"))
    with pytest.raises(AtlasError, match="the plays hold '|', which the alphabet 'plays' does not"):
        build(tmp_path)


def test_what_is_not_fetched_is_named(tmp_path):
    with pytest.raises(AtlasError, match="run `fedatlas data fetch shakespeare"):
        catalogue.build("shakespeare", OPTIONS, 0, tmp_path / "raw", tmp_path / "store")
