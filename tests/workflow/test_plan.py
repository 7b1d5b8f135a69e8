"""`fedatlas plan`: what would run, for how long and with how much memory."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path

import pytest

from fedatlas.cli import main
from fedatlas.config import read_yaml
from fedatlas.measurements import SHIPPED, Cost, kind_of, like_of, record, shipped, work_of
from fedatlas.pipeline import Pipeline

KEY = "fco/lasso_I"


@pytest.fixture
def runs(project, monkeypatch):
    """The runs of an experiment, none of which was made; the first takes 10 minutes and 1000 MB, the next 20, 2000."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setattr("fedatlas.measurements.yardstick", lambda: 0.1)
    SHIPPED.unlink()
    found = list(Pipeline(read_yaml(Path("config/quick.yaml")) | {"experiments": [KEY]}).runs.values())
    record({kind_of(run): Cost(600.0 * number, 1000 * number) for number, run in enumerate(found, 1)})
    return found


def planned(capsys, *arguments: str) -> list[str]:
    assert main(["plan", "--experiments", KEY, *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_every_run_that_is_due_and_what_all_take_together(runs, capsys):
    number = len(runs)
    head, *lines, foot = planned(capsys, "--cores", "2")
    assert head == f"{number} of {number} runs to train at quick scale:"
    found = [
        re.fullmatch(r"  (\S+) (\S+) seed (\d+) \((\w+)\) +([\d.]+) min +(\d+) MB", line).groups() for line in lines
    ]
    assert found == [
        (KEY, run.algorithm, str(run.seed), run.stage, f"{10 * place}.0", f"{1000 * place}")
        for place, run in enumerate(runs, 1)
    ]
    minutes, memory = 10 * sum(range(1, number + 1)) / 2, 1000 * (number + number - 1)
    assert foot.startswith(f"together about {minutes:.1f} min on 2 cores, 2 at once, up to {memory} MB")


def test_what_is_guessed_is_marked(runs, capsys):
    costs = shipped()
    SHIPPED.unlink()
    record({kind: cost for kind, cost in costs.items() if kind != kind_of(runs[0])})
    _, first, second, *_ = planned(capsys, "--cores", "1")
    assert first.count("~") == 2
    assert "~" not in second


@pytest.mark.parametrize("cores", ["0", "-1", "many"])
def test_cores_are_a_number_above_zero_or_all(runs, capsys, cores):
    assert main(["plan", "--experiments", KEY, f"--cores={cores}"]) != 0
    assert f"--cores is '{cores}', but must be 'all' or a number above 0." in capsys.readouterr().err


def test_what_runs_took_is_recorded(runs, capsys):
    path = Path("data/runs") / runs[0].folder / "run.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"seconds": {"total": 97.5}, "peak_memory_mb": 850}')
    assert planned(capsys, "--record") == [f"{SHIPPED}: 1 kinds of quick runs written."]
    assert shipped()[kind_of(runs[0])] == Cost(100.0, 1000, work_of(runs[0]), like_of(runs[0]))
    assert shipped()[kind_of(runs[1])] == Cost(1200.0, 2000)


def test_nothing_is_recorded_while_runs_go_on(runs, capsys):
    """A changed file would make their tree dirty."""
    lock, before = Path(".snakemake/fedatlas.lock"), SHIPPED.read_text()
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert main(["plan", "--experiments", KEY, "--record"]) != 0
        assert "runs go on here" in capsys.readouterr().err
        assert SHIPPED.read_text() == before
    assert planned(capsys, "--record") == [f"{SHIPPED}: 0 kinds of quick runs written."]
