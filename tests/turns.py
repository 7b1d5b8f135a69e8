"""How the tests of an environment are shared between processes, and which of them are the core.

`--turns FOLDER`: several processes of pytest that are given the same folder take turns in taking a file, or the files
that have a long fixture in common, those that took longest last time first, and note there what every test has cost.
`--core` leaves the slow tests out: those that cost more than LIMIT by themselves or ask for a shared fixture that does.
What was noted is kept in durations.tsv by `python tests/run.py --remember`; a test that is not in it is fast.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

DURATIONS = Path(__file__).with_name("durations.tsv")
LIMIT = 0.1  # seconds of a core
OTHER_PROGRAMS = ("browser", "cluster", "kernels", "pipeline", "worker")  # marks
COLLECTED = pytest.StashKey[list[pytest.Item]]()  # all of them, before any is left out
WORTH_A_TURN = 10  # seconds of a core that a fixture takes
KEPT = 0.1  # a shorter test or fixture is not remembered


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fedatlas")
    group.addoption("--turns", metavar="FOLDER", type=Path, help="share the test files with others that say the same")
    group.addoption("--core", action="store_true", help=f"leave out what takes longer than {LIMIT} s")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("turns"):
        config.pluginmanager.register(Turns(config.getoption("turns")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = list(items)
    if config.getoption("core"):
        left_out = [item for item in items if not is_core(item)]
        items[:] = [item for item in items if is_core(item)]
        config.hook.pytest_deselected(items=left_out)


@functools.cache
def durations() -> dict[str, float]:
    """Seconds of a core, of the tests and shared fixtures that took long."""
    rows = (line.split("\t") for line in DURATIONS.read_text(encoding="utf-8").splitlines())
    return {name: float(seconds) for seconds, name in rows}


def noted(folder: Path) -> dict[str, float]:
    """What the processes under a folder have noted so far: of a name all that one process took, the most of any.

    A fixture is set up by one process for each of its parameters, and by several processes if they share it.
    """
    found: dict[str, float] = {}
    for path in folder.glob("*/*.tsv"):
        of_process: dict[str, float] = collections.defaultdict(float)
        for line in path.read_text(encoding="utf-8").splitlines():
            seconds, _, name = line.partition("\t")
            of_process[name] += float(seconds)
        found |= {name: max(seconds, found.get(name, 0.0)) for name, seconds in of_process.items()}
    return found


def is_core(item: pytest.Item) -> bool:
    """Whether it is marked so, or starts no other program and neither it nor a shared fixture of it takes long."""
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"core", *OTHER_PROGRAMS}:
        return "core" in marks
    return all(durations().get(name, 0) <= LIMIT for name in [item.nodeid, *_shared_fixtures(item)])


def _shared_fixtures(item: pytest.Item) -> list[str]:
    found = getattr(item, "_fixtureinfo", None)
    defs = [definition for same in found.name2fixturedefs.values() for definition in same] if found else []
    return [_name(definition) for definition in defs if definition.scope != "function"]


def _name(definition: pytest.FixtureDef) -> str:
    return f"{definition.baseid}::{definition.argname}()"


def in_turn(items: Sequence[pytest.Item]) -> dict[str, list[pytest.Item]]:
    """The tests by file, those of files with a long fixture in common by its name; what takes longest comes first."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(_file(item.nodeid), []).append(item)
    turns: dict[str, list[pytest.Item]] = {}
    for file, tests in files.items():
        turns.setdefault(_common_fixture(tests) or file, []).extend(tests)
    return dict(sorted(turns.items(), key=lambda pair: -expected(pair[1])))


def _file(name: str) -> str:
    return name.split("::")[0]


def _common_fixture(tests: Iterable[pytest.Item]) -> str | None:
    """The fixture of several files that takes longest, if it is worth that one process runs them all."""
    names = {name for item in tests for name in _shared_fixtures(item) if not _file(name).endswith(".py")}
    return max((name for name in names if durations().get(name, 0) > WORTH_A_TURN), key=durations().get, default=None)


def expected(items: Sequence[pytest.Item]) -> float:
    """Seconds of a core that these tests will take, with the fixtures that they share."""
    names = {name for item in items for name in [item.nodeid, *_shared_fixtures(item)]}
    return sum(durations().get(name, 0) for name in names) + 0.01 * len(items)


def cpu_seconds() -> float:
    """What this process and those that it has waited for have taken of a core so far."""
    return sum(os.times()[:4])


class Turns:
    """This process's part of the tests."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._notes = (folder / f"{os.getpid()}.tsv").open("w", buffering=1, encoding="utf-8")
        self._of_fixtures = 0.0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the tests of the files that no other process has taken."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors while the tests were collected")
        if session.config.option.collectonly:
            return True
        (self._folder / "all").write_text(f"{len(session.items)} {expected(session.items):.0f}\n")
        item = next(left := self._taken(session.items), None)
        while item:
            following = next(left, None)  # pytest keeps the fixtures that it needs too
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
            item = following
        return True

    def _taken(self, items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
        for turn, tests in in_turn(items).items():
            with contextlib.suppress(FileExistsError):
                (self._folder / f"{turn.replace('/', '+')}.taken").touch(exist_ok=False)
                yield from tests

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before, self._of_fixtures = cpu_seconds(), 0.0
        try:
            return (yield)
        finally:
            self._notes.write(f"{cpu_seconds() - before - self._of_fixtures:.2f}\t{item.nodeid}\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef) -> Iterator[object]:
        before = cpu_seconds()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._of_fixtures += cpu_seconds() - before
                self._notes.write(f"{cpu_seconds() - before:.2f}\t{_name(fixturedef)}\n")
