"""What a claim under another reading was written before: its own runs, and those of the main reading."""

from __future__ import annotations

from committing import SETTINGS, ZERO, claim

from fedatlas.claims.registration import registered

SECOND_ZERO = ZERO | {"reading": ZERO["reading"] | {"of": "second"}}


def test_a_reading_is_as_old_as_its_claim(repository):
    repository(1, claims=[claim()])
    repository(2, name="first_zero", settings=ZERO)
    repository(5, started=4, name="first_zero", settings=ZERO)
    assert registered(repository.root)["toy/c@first_zero"]["state"] == "registered before the run"


def test_a_reading_whose_results_were_published_before_it_was_one(repository):
    repository(1, claims=[claim()])
    repository(2, name="first_zero")
    repository(5, started=4, name="first_zero")
    repository(6, name="first_zero", settings=ZERO)
    assert set(registered(repository.root)) == {"toy/c@first_zero"}


def test_a_reading_without_an_algorithm_that_the_claim_compares(repository):
    fewer = ZERO | {"algorithms": {"fedavg": {}, "scaffold": {}}}
    repository(1, claims=[claim(), claim("other", order=["fedavg", "scaffold"])])
    repository(2, name="first_zero", settings=fewer)
    repository(4, started=3)
    repository(5, started=4, name="first_zero", settings=fewer)
    assert set(registered(repository.root)) == {"toy/c", "toy/other", "toy/other@first_zero"}


def test_a_reading_of_a_claim_that_was_changed_after_the_main_result(repository):
    repository(1, claims=[claim()])
    repository(2, name="first_zero", settings=ZERO)
    repository(4, started=3)
    repository(5, claims=[claim(margin=0.5)])
    repository(8, started=7, name="first_zero", settings=ZERO)
    assert registered(repository.root)["toy/c@first_zero"]["state"] == "changed after a result"


def test_a_reading_compares_with_what_stands_for_the_other_experiment_under_it(repository):
    repository(1, claims=[claim(order=["fedavg", "second/fedavg"])])
    for name, settings in (("second", SETTINGS), ("first_zero", ZERO), ("second_zero", SECOND_ZERO)):
        repository(2, name=name, settings=settings)
    repository(4, started=3, name="second")
    again = SETTINGS | {"training": {"rounds": 20}}
    repository(5, name="second", settings=again)
    repository(6, started=5, name="second", settings=again)
    repository(7, started=6, name="second_zero", settings=SECOND_ZERO)
    repository(8, started=7, name="first_zero", settings=ZERO)
    assert registered(repository.root)["toy/c@first_zero"]["state"] == "registered before the run"
    later = SECOND_ZERO | {"training": {"rounds": 20}}
    repository(9, name="second_zero", settings=later)
    repository(10, started=9, name="second_zero", settings=later)
    found = registered(repository.root)["toy/c@first_zero"]
    assert found["state"] == "changed after a result"
    assert "Settings of second_zero changed after a result: training" in found["words"]


def test_a_star_stands_for_the_algorithms_that_each_names(repository):
    repository(1, claims=[claim(order=["*", "second/*"], each=["fedavg"])])
    repository(2, name="second")
    repository(4, started=3, name="second")
    again = SETTINGS | {"training": {"rounds": 20}}
    repository(5, name="second", settings=again)
    repository(6, started=5, name="second", settings=again)
    repository(8, started=7)
    found = registered(repository.root)["toy/c"]
    assert found["state"] == "changed after a result" and "Settings of second changed" in found["words"]
    assert found["first_run"].startswith("2026-01-03")
