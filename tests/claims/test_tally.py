"""What many verdicts say together."""

from __future__ import annotations

import pytest

from fedatlas.claims.tally import MAIN, SentenceOutcome, UnderReadings, by_chance, is_counted, sentences, under_readings


def entry(id="c", status="reproduced", quote="It works.", reading=None, about="a result", data="real", **details):
    """What is asked of an entry of claims.json."""
    details = {"quote": quote, "by_construction": False, "check": {"kind": "ordering"}, **details}
    top = {"paper": "toy", "id": id, "status": status, "reading": reading, "about": about, "data": data}
    return {**top, "details": details}


def of_reading(how, status):
    return entry(f"c@{how}", status, reading={"of": "first", "assumption": "a", "how": how, "claim": "c"})


def test_settings_other_readings_stand_in_data_and_what_holds_by_construction_do_not_count():
    assert is_counted(entry())
    assert not is_counted(entry(data="stand-in"))
    assert not is_counted(entry(status="inconclusive", by_construction=True))
    assert not is_counted(entry(about="a setting"))
    assert not is_counted(entry(status="holds by construction"))
    assert not is_counted(of_reading("start: zero", "reproduced"))


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        (["reproduced", "reproduced"], SentenceOutcome.HOLDS),
        (["reproduced", "not reproduced"], SentenceOutcome.IN_PART),
        (["reproduced", "inconclusive"], SentenceOutcome.IN_PART),
        (["not reproduced", "indicated"], SentenceOutcome.OPEN),
        (["not reproduced", "no difference"], SentenceOutcome.FAILS),
        (["reproduced", "not run at this scale"], SentenceOutcome.HOLDS),
        (["not reproduced", "not decidable on this data"], SentenceOutcome.FAILS),
        (["not run at this scale"], SentenceOutcome.OPEN),
        (["no difference"], SentenceOutcome.FAILS),
        (["indicated", "inconclusive"], SentenceOutcome.OPEN),
    ],
)
def test_a_sentence_counts_once(statuses, outcome):
    found = sentences([entry(str(place), status) for place, status in enumerate(statuses)])
    assert found == {outcome: 1}


def test_sentences_of_two_quotes():
    found = sentences([entry("a"), entry("b"), entry("c", "not reproduced", quote="It is fast.")])
    assert found == {SentenceOutcome.HOLDS: 1, SentenceOutcome.FAILS: 1}


@pytest.mark.parametrize(
    ("main", "other", "words"),
    [
        ("reproduced", "reproduced", "holds under all"),
        ("reproduced", "not reproduced", "depends on start: zero"),
        ("not reproduced", "reproduced", "depends on start: zero"),
        ("not reproduced", "not reproduced", "holds under none"),
        ("no difference", "reproduced", "depends on start: zero"),
        ("reproduced", "indicated against", "holds where decided"),
        ("inconclusive", "reproduced", "holds where decided"),
        ("inconclusive", "not reproduced", "fails where decided"),
        ("inconclusive", "indicated", "open"),
        ("holds by construction", "holds by construction", "holds by construction"),
    ],
)
def test_what_a_claim_depends_on(main, other, words):
    (found,) = under_readings([entry(status=main), of_reading("start: zero", other), entry("alone")])
    assert isinstance(found, UnderReadings)
    assert list(found.statuses) == [MAIN, "start: zero"]
    assert found.words == words


def test_a_claim_that_its_main_reading_leaves_open_depends_on_those_that_decide_it():
    readings = [of_reading("start: zero", "reproduced"), of_reading("λ = 0.4", "not reproduced")]
    (found,) = under_readings([entry(status="inconclusive"), *readings])
    assert found.words == "depends on start: zero, λ = 0.4"


def test_a_reading_that_is_registered_and_not_run_is_told():
    every = [entry(), of_reading("start: zero", "reproduced")]
    (found,) = under_readings(every, {"c": ["start: zero", "λ = 0.4"]})
    assert (found.words, found.not_run) == ("holds under all that were run", ("λ = 0.4",))
    (found,) = under_readings(every, {"c": ["start: zero"]})
    assert (found.words, found.not_run) == ("holds under all", ())


def test_a_reading_that_was_not_run_says_nothing():
    assert under_readings([entry(), of_reading("start: zero", "not run at this scale")]) == []


def test_chance_passes_one_comparison_in_forty():
    compared = {"sense": "above", "independent": [1, 2, 3]}
    few, bound = {"sense": "above", "independent": [1]}, {"sense": "at_least", "independent": [1, 2, 3]}
    found = by_chance([entry(str(i), conditions=[compared]) for i in range(40)]
                      + [entry("few", conditions=[few]), entry("bound", conditions=[bound]),
                         entry("below", conditions=[compared], check={"kind": "bound"}),
                         entry("data", "not decidable on this data", conditions=[compared])])  # fmt: skip
    assert found.comparisons == 40
    assert found.expected == pytest.approx(1.0)
