"""The core of the tests, that of `make check`: it is chosen by what a test costs, and holds something of every room.

Runs in both environments.
"""

from __future__ import annotations

import re

import pytest
import run
import turns
from conftest import HAS_TENSORFLOW, HERE, belongs_here

from fedatlas.algorithms import registry


@pytest.fixture
def core(request) -> list[pytest.Item]:
    """The core of all tests of this environment."""
    config = request.config
    if config.args_source != config.ArgsSource.TESTPATHS or config.getoption("ignore"):
        pytest.skip("only some of the tests were collected")
    return [item for item in config.stash[turns.COLLECTED] if turns.is_core(item)]


def test_it_holds_every_room_and_a_round_of_every_algorithm(core, request):
    every = request.config.stash[turns.COLLECTED]
    assert {item.path.parent for item in core} == {item.path.parent for item in every}
    rounds = {item.name for item in core if item.path.name == "test_every_algorithm.py"}
    assert not HAS_TENSORFLOW or rounds >= {f"test_a_round_by_operations[{name}]" for name in registry()}


def test_every_file_of_this_environment_is_collected(core, request):
    """One that is skipped as a whole here is run nowhere."""
    collected = {item.path for item in request.config.stash[turns.COLLECTED]}
    here = {path for path in HERE.rglob("test_*.py") if belongs_here(path)}
    assert here - collected == set()


def test_a_slow_test_or_one_with_a_slow_fixture_is_left_out(pytester, monkeypatch):
    pytester.makepyfile(
        test_some="""
        import pytest

        @pytest.fixture(scope="module")
        def slow(): ...
        @pytest.fixture
        def by_way(slow): ...
        def test_fast(): ...
        def test_slow(): ...
        def test_with_a_slow_fixture(by_way): ...
        @pytest.mark.core
        def test_of_the_core(slow): ...
        """
    )
    table = pytester.path / "durations.tsv"
    table.write_text("9.0\ttest_some.py::slow()\n9.0\ttest_some.py::test_slow\n")
    monkeypatch.setattr(turns, "DURATIONS", table)
    turns.durations.cache_clear()
    try:
        pytester.inline_run("-p", "turns", "--core").assertoutcome(passed=2)
    finally:
        turns.durations.cache_clear()


def test_every_test_whose_costs_are_kept_is_there():
    """What has moved or has another name would be fast until all tests are run with `--remember`."""
    root, absent = turns.DURATIONS.parents[1], []
    for name in turns.durations():
        place, function = name.partition("::")[0], re.split(r"::|[\[(]", name)[1]
        file = root / place if place.endswith(".py") else root / place / "conftest.py"
        if not file.is_file() or not re.search(rf"\b{function}\b", file.read_text(encoding="utf-8")):
            absent.append(name)
    assert absent == []


@pytest.mark.parametrize(("of_some", "kept"), [(True, {"old": 3.0, "new": 2.0}), (False, {"new": 2.0})])
def test_costs_of_tests_that_did_not_run_are_kept_where_only_some_ran(of_some, kept, tmp_path, monkeypatch):
    notes = tmp_path / "workflow" / "1.tsv"
    notes.parent.mkdir()
    notes.write_text("2.04\tnew\n0.01\tfast\n")
    monkeypatch.setattr(run, "LOGS", tmp_path)
    monkeypatch.setattr(run, "DURATIONS", tmp_path / "durations.tsv")
    monkeypatch.setattr(run, "durations", lambda: {"old": 3.0, "new": 9.0, "fast": 1.0})
    run.remember(of_some)
    assert run.DURATIONS.read_text().splitlines() == [f"{kept[name]}\t{name}" for name in sorted(kept)]


def test_processes_take_turns_and_note_what_each_test_cost(pytester):
    for name in ("a", "b", "c"):
        pytester.makepyfile(**{f"test_{name}": "def test_one(): ...\ndef test_two(): ..."})
    folder = pytester.mkdir("turns")
    (folder / "test_b.py.taken").touch()  # another has taken it
    pytester.inline_run("-p", "turns", f"--turns={folder}").assertoutcome(passed=4)
    assert set(turns.noted(pytester.path)) == {f"test_{name}.py::test_{n}" for name in "ac" for n in ("one", "two")}
    assert (folder / "all").read_text().split()[0] == "6"
    pytester.inline_run("-p", "turns", f"--turns={folder}").assertoutcome(passed=0)


def test_what_is_only_collected_does_not_run(pytester):
    pytester.makepyfile(test_a="def test_one(): ...")
    folder = pytester.mkdir("turns")
    pytester.inline_run("-p", "turns", f"--turns={folder}", "--collect-only").assertoutcome()
    assert not turns.noted(pytester.path)


def test_a_fixture_costs_what_all_its_parameters_take_in_one_process(tmp_path):
    for number, costs in enumerate([(1.5, 2.0), (3.0,)]):
        path = tmp_path / "workflow" / f"{number}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{seconds}\ttests::shared()\n" for seconds in costs))
    assert turns.noted(tmp_path) == {"tests::shared()": 3.5}


def test_files_with_a_long_fixture_in_common_are_one_turn(pytester, monkeypatch):
    room = pytester.mkdir("room")
    fixtures = "".join(f'@pytest.fixture(scope="session")\ndef {name}(): ...\n' for name in ("long", "short"))
    (room / "conftest.py").write_text(f"import pytest\n{fixtures}")
    for name, fixture in (("a", "long"), ("b", "short"), ("c", "long"), ("d", "short")):
        (room / f"test_{name}.py").write_text(f"def test_one({fixture}): ...\ndef test_two(): ...\n")
    items, _ = pytester.inline_genitems()
    monkeypatch.setattr(turns, "durations", lambda: {"room::long()": 20.0, "room::short()": 2.0})
    found = {turn: len(tests) for turn, tests in turns.in_turn(items).items()}
    assert found == {"room::long()": 4, "room/test_b.py": 2, "room/test_d.py": 2}
