"""`fedatlas new` in a folder outside the clone, run by Snakemake there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fedatlas.cli import main
from fedatlas.library.new import runner

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.skipif(Path(runner()) == Path(sys.executable), reason="there is no TFF environment beside this one"),
]


def snakemake(folder: Path, *options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_data_files_and_helpers_count_as_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my-study"]) == 0
    folder = tmp_path / "my-study"
    for name in ("helpers.py", "data/north/rows.csv", "results/study/best.csv", "data/.cache/rows.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    said = snakemake(folder, "--dry-run").stdout
    inputs = {line.split(": ")[1] for line in said.splitlines() if line.strip().startswith("input: study.yaml")}
    given = "study.yaml, algorithms/clipped.py, data.py, data/north/rows.csv, helpers.py, problem.py"
    assert given in inputs and all(line.startswith(given) for line in inputs)


@pytest.mark.parametrize("text", ["", "rounds: 3", "algorithms:"])
def test_a_study_without_algorithms_is_told_by_snakemake_too(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my-study"]) == 0
    (tmp_path / "my-study/study.yaml").write_text(text)
    done = snakemake(tmp_path / "my-study", "--dry-run")
    assert done.returncode and "fedatlas: study.yaml must have the key 'algorithms'" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "there is no study.yaml here"), ("rounds: 3\nalgorithms: [fedavg\n", "study.yaml, line 3, is no YAML")],
)
def test_a_study_file_that_cannot_be_read_is_told(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my-study"]) == 0
    path = tmp_path / "my-study/study.yaml"
    path.unlink() if text is None else path.write_text(text)
    done = snakemake(tmp_path / "my-study", "--dry-run")
    assert done.returncode and f"fedatlas: {said}" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_snakemake_runs_it_and_then_finds_nothing_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my-study"]) == 0
    folder = tmp_path / "my-study"
    settings = folder / "study.yaml"
    assert yaml.safe_load(settings.read_text())["title"] == "My study"
    text = (
        settings.read_text()
        .replace("rounds: 50", "rounds: 2")
        .replace("  fedavg:\n", "")
        .replace("  scaffold: {client_lr: [0.1, 0.3, 1], server_lr: [1]}\n", "")
        .replace("[0.1, 0.3, 1]", "[1]")
    )
    settings.write_text(text)
    with (folder / "data.py").open("a") as data:
        data.write('print("I am", open("/proc/self/cmdline").read())\n')
    done = snakemake(folder)
    assert done.returncode == 0, done.stderr + "".join(path.read_text() for path in (folder / "logs").iterdir())
    trained = {path.name for path in (folder / "results/trained").iterdir()}
    assert trained == {"fednova", "clipped"}
    for job in ("fednova", "clipped", "show"):
        log = (folder / f"logs/{job}.log").read_text()
        assert "fedatlas.warm.server" in log, "it started cold"
        assert "Traceback" not in log
    assert "FedAvg, clipped" in (folder / "results/page/index.html").read_text()
    assert "data:image/svg+xml" in (folder / "results/study.html").read_text()
    assert "Nothing to be done" in snakemake(folder, "--dry-run").stdout
