"""Ids that had another name in an earlier commit."""

from fedatlas.claims.renaming import renamed, renamed_id

NAMES = {"fedavg_tuned": "fedavg_finetuned", "1": "2"}


def test_an_id_keeps_its_place_and_its_number():
    assert renamed_id("fedavg_tuned", NAMES) == "fedavg_finetuned"
    assert renamed_id("fedavg_tuned_10", NAMES) == "fedavg_finetuned_10"
    assert renamed_id("synthetic/fedavg_tuned_3", NAMES) == "synthetic/fedavg_finetuned_3"
    assert renamed_id("fedavg_tuned_b", NAMES) == "fedavg_tuned_b"


def test_texts_of_several_lines_stay_as_they_are():
    content = {"question": "Which is best?\nAnd why?\n", "algorithms": {"fedavg_tuned": ["_1", "a_1\n"]}}
    assert renamed(content, NAMES) == {**content, "algorithms": {"fedavg_finetuned": ["_1", "a_1\n"]}}
