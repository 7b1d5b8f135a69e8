"""The workflow: its static graph, what it says to bad input, and what signals leave behind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
import yaml
from waiting import wait_for

import fedatlas
from fedatlas.config import read_yaml
from fedatlas.errors import AtlasError
from fedatlas.pipeline import Pipeline, kinds_of_claims, run_modules, sources

ROOT = Path(__file__).parents[2]
ONE = ["--config", 'experiments=["fco/lasso_I"]', "--until", "train"]
SLEEPER = """\
import os, pathlib, time
print("round 1")
pathlib.Path(f"started-{algorithm}").write_text(str(os.getpid()))
time.sleep(600)
"""
FINGERPRINTS = """\
import json
from fedatlas.pipeline import Pipeline, fingerprint, run_modules
configuration = dict(scale="quick", experiments=["fco/lasso_I"], engine="native", shards=1, chunk="auto", threads=1)
runs = Pipeline({**configuration, "mirror": None}).runs.values()
print(json.dumps({run.algorithm: fingerprint(*run_modules(run)) for run in runs}))
"""


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_dry_run_knows_every_run(project, scale, monkeypatch):
    monkeypatch.chdir(ROOT)
    pipeline = Pipeline(read_yaml(Path(f"config/{scale}.yaml")))
    done = project.run("--dry-run", "--summary", "--configfile", f"config/{scale}.yaml")
    assert done.returncode == 0, done.stderr
    for folder in pipeline.runs:
        assert f"data/runs/{folder}/metrics.parquet" in done.stdout
    for dataset in pipeline.datasets:
        assert f"data/clients/{dataset}/manifest.json" in done.stdout


@pytest.mark.parametrize("profile", ["profiles/default", "workflow/profiles/slurm"])
def test_every_profile_goes_on_without_what_failed_and_makes_again_what_was_cut_off(profile):
    content = yaml.safe_load((ROOT / profile / "profile.yaml").read_text())
    assert content["keep-going"] is True and content["rerun-incomplete"] is True


def test_a_pattern_chooses_the_experiments_of_a_paper(monkeypatch):
    monkeypatch.chdir(ROOT)
    quick = read_yaml(Path("config/quick.yaml"))
    chosen = Pipeline(quick | {"experiments": ["fedpd/*", "fco/lasso_I", "fedpd/figure_1"]}).experiments
    assert list(chosen) == [key for key in Pipeline(quick).experiments if key.startswith("fedpd/")] + ["fco/lasso_I"]


def test_a_run_depends_on_its_own_algorithm_only(monkeypatch):
    monkeypatch.chdir(ROOT)
    pipeline = Pipeline(read_yaml(Path("config/quick.yaml")))
    run = pipeline.runs["quick/fco/lasso_I/feddualavg/seed0"]
    files = sources(*run_modules(run))
    assert "src/fedatlas/algorithms/feddualavg.py" in files
    assert "src/fedatlas/federated/process.py" in files
    assert "src/fedatlas/prox/l1.py" in files
    assert "src/fedatlas/algorithms/fedmid.py" not in files
    assert not [name for name in files if "/report/" in name or "/claims/" in name]
    assert all(Path(name).is_file() for name in files)


def test_verdicts_depend_on_every_kind_of_check_and_quantity(monkeypatch):
    monkeypatch.chdir(ROOT)
    files = set(sources("fedatlas.claims.evaluate", *kinds_of_claims()))
    kinds = {str(path) for room in ("checks", "quantities") for path in Path("src/fedatlas/claims", room).glob("*.py")}
    assert kinds <= files


def test_a_change_of_an_algorithm_concerns_its_runs_only(tmp_path):
    package = tmp_path / "fedatlas"
    shutil.copytree(Path(fedatlas.__file__).parent, package)
    before = _fingerprints(tmp_path)
    with (package / "algorithms/feddualavg.py").open("a") as file:
        file.write("# changed\n")
    after = _fingerprints(tmp_path)
    assert {name for name in before if after[name] != before[name]} == {"feddualavg", "feddualavg_osp"}  # a variant
    assert len(set(before.values())) == len(before) > 1


def _fingerprints(folder: Path) -> dict[str, str]:
    """Of the runs of lasso_I, by algorithm, with the library that is in the folder."""
    done = subprocess.run(
        [sys.executable, "-c", FINGERPRINTS], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"scale": "huge"}, ["'scale' is 'huge'", "'quick', 'medium', 'paper'"]),
        ({"threads": "many"}, ["'threads' is 'many'", "a whole number"]),
        (
            {"experiments": ["fedem/cifar10_fresh"]},
            ["'fedem/cifar10_fresh', which is not run at this scale, only at: medium."],
        ),
        ({"experiments": ["fcoo/*"]}, ["'experiments' holds 'fcoo/*'", "did you mean 'fco/*'?"]),
        ({"experiments": ["fco/lasso_V"]}, ["'experiments' holds 'fco/lasso_V'", "did you mean 'fco/lasso_I"]),
    ],
)
def test_bad_configuration_is_told(setting, words, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(AtlasError) as told:
        Pipeline(read_yaml(Path("config/quick.yaml")) | setting)
    assert all(word in str(told.value) for word in words), told.value


def test_bad_configuration_ends_snakemake_with_one_sentence(project):
    done = project.run("--config", "thread=2")
    assert done.returncode == 1
    sentence = done.stderr.splitlines()[-1]
    assert sentence.startswith("fedatlas: ")
    assert "unknown key 'thread'" in sentence and "did you mean 'threads'?" in sentence
    assert "Traceback" not in done.stderr


def test_a_run_that_there_is_not_is_one_sentence(project):
    done = project.run("data/runs/quick/fco/lasso_I/feddualavg/seed9/run.json")
    assert done.returncode == 1
    sentence = "fedatlas: no run of this configuration makes data/runs/quick/fco/lasso_I/feddualavg/seed9"
    assert done.stderr.splitlines()[-1].startswith(sentence)
    assert "Traceback" not in done.stderr


def test_bad_experiment_file_is_one_sentence(project):
    path = project.folder / "config/experiments/fco/lasso_I.yaml"
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**content, "raunds": 3}))
    done = project.run("--dry-run")
    assert done.returncode == 1
    assert "lasso_I.yaml" in done.stderr.splitlines()[-1]
    assert "unknown key 'raunds'" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_paper_without_a_notebook_has_one_of_all_its_figures(project):
    (project.folder / "notebooks/fedpd.ipynb").unlink()
    chosen = ["--config", 'experiments=["fedpd/claim_2_2"]', "--", "data/runs/quick/fedpd/fedpd.ipynb"]
    done = project.run("--dry-run", "--printshellcmds", *chosen)
    assert done.returncode == 0, done.stderr
    assert "run_notebook.py notebooks/figures.ipynb data/runs/quick/fedpd/fedpd.ipynb" in done.stdout + done.stderr


@pytest.fixture(scope="module")
def long_project(make_project):
    """A project whose training writes the id of its kernel's process and then takes two minutes."""
    project = make_project(Path(sys.executable))
    parameters = nbformat.v4.new_code_cell("experiment = algorithm = scale = ''\nseed = 0")
    parameters.metadata["tags"] = ["parameters"]
    notebook = nbformat.v4.new_notebook(cells=[parameters, nbformat.v4.new_code_cell(SLEEPER)])
    nbformat.write(notebook, project.folder / "notebooks/train.ipynb")
    return project


@pytest.fixture
def sleeping(long_project):
    yield long_project
    long_project.end()
    forget(long_project)


def forget(project) -> None:
    for path in project.folder.glob("started-*"):
        path.unlink()


def started(project) -> list[int]:
    """The kernels that have begun, once there are two."""
    texts = [path.read_text() for path in project.folder.glob("started-*")]
    return [int(text) for text in texts if text] if len(texts) == 2 and all(texts) else []


def quiet(project) -> bool:
    return not project.processes()


def test_two_at_once(sleeping):
    first = sleeping.start(*ONE)
    wait_for(lambda: started(sleeping))
    second = sleeping.run(*ONE)
    assert second.returncode == 1
    assert second.stderr.splitlines()[-1].startswith("fedatlas: another snakemake is at work in this folder")
    plan = sleeping.run("--dry-run", "--quiet", "all", *ONE)
    assert plan.returncode == 0, plan.stderr
    assert first.poll() is None
    assert all(psutil.pid_exists(kernel) for kernel in started(sleeping))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_snakemake_leaves_nothing_and_the_next_call_goes_on(sleeping, number):
    running = sleeping.start(*ONE)
    wait_for(lambda: started(sleeping))
    running.send_signal(number)
    assert running.wait(timeout=60) != 0
    wait_for(lambda: quiet(sleeping))
    forget(sleeping)
    again = sleeping.start(*ONE)
    wait_for(lambda: started(sleeping))
    again.terminate()
    again.wait(timeout=60)


GO_ON = "fedatlas: stopped: what is done stays done; run the same command again to go on."


def slowness() -> float:
    """How many times slower than alone a process may be on this machine now: tests run beside each other."""
    return max(3.0, 2 * os.getloadavg()[0] / len(os.sched_getaffinity(0)))


@pytest.mark.parametrize("of_all", [True, False])
def test_interrupt(sleeping, of_all):
    """From the keyboard to all processes, or from elsewhere to Snakemake's alone."""
    running = sleeping.start(*ONE)
    wait_for(lambda: started(sleeping))
    begun = time.monotonic()
    os.killpg(running.pid, signal.SIGINT) if of_all else running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) != 0
    assert time.monotonic() - begun < 3 * slowness()
    wait_for(lambda: quiet(sleeping))
    said = (sleeping.folder / "out.txt").read_text()
    assert said.splitlines()[-1] == GO_ON
    assert "Traceback" not in said and "fedatlas: failed" not in said


@pytest.mark.parametrize("until", ["planning", "importing"])
def test_interrupt_before_anything_runs(project, until):
    """Snakemake opens its log file once it is imported; while it is, the process grows."""
    logs = project.folder / ".snakemake/log"
    running = project.launch([sys.executable, "workflow/scripts/start_snakemake.py", "--cores", "2"])
    if until == "planning":
        wait_for(lambda: any(logs.glob("*")))
    else:
        wait_for(lambda: psutil.Process(running.pid).memory_info().rss > 25e6)
    begun = time.monotonic()
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert time.monotonic() - begun < 3 * slowness()
    said = (project.folder / "out.txt").read_text()
    assert said.splitlines()[-1] == "fedatlas: stopped before anything ran: run the same command again."
    assert "Traceback" not in said


@pytest.mark.pipeline
def test_killed_make_takes_everything_along(sleeping):
    command = shlex.join(sleeping.snakemake(*ONE))
    (sleeping.folder / "made.mk").write_text(f"all:\n\t@exec {command}\n")
    make = subprocess.Popen([shutil.which("make"), "-f", "made.mk"], cwd=sleeping.folder, stderr=subprocess.DEVNULL)
    wait_for(lambda: started(sleeping))
    make.kill()
    make.wait()
    wait_for(lambda: quiet(sleeping))
