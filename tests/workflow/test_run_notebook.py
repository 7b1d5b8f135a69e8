"""The notebook runner, started cold and warm: what it leaves, what it says, and that no kernel outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from waiting import gone, wait_for
from warm_owner import warm_owner

nbformat = pytest.importorskip("nbformat")
psutil = pytest.importorskip("psutil")
pytest.importorskip("papermill")

pytestmark = pytest.mark.kernels
ROOT = Path(__file__).parents[2]
RUNNER = ROOT / "workflow/scripts/run_notebook.py"
SLEEPER = "import os, pathlib, time\npathlib.Path(pid_file).write_text(str(os.getpid()))\ntime.sleep(600)"


@pytest.fixture(scope="module")
def warm_folder():
    """The warm processes of this module's tests; they end with the process that owns them."""
    with warm_owner() as variables:
        yield variables


@pytest.fixture(autouse=True, params=["cold", "warm"])
def start(request, warm_folder, monkeypatch, tmp_path):
    """How the runner and its kernel start."""
    if request.param == "warm":
        preload = Path(warm_folder["FEDATLAS_WARM"]).with_suffix(".kernels.py")
        preload.write_text("import ipykernel.kernelapp\n")
        monkeypatch.setenv("KERNELS", str(preload))
        for name, value in warm_folder.items():
            monkeypatch.setenv(name, value)
        yield request.param
        preload.unlink()
    else:
        monkeypatch.delenv("KERNELS", raising=False)
        yield request.param


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    """Unix sockets have short paths, and what is left in this folder was left by the runner."""
    with tempfile.TemporaryDirectory(prefix="rn") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.chdir(tmp_path)
        yield Path(folder)


def command(*cells: str, **parameters: str) -> list[str]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(notebook, "in.ipynb")
    options = [part for name, value in parameters.items() for part in ("-p", name, value)]
    if kernels := os.environ.get("KERNELS"):
        options += ["--preload", kernels]
    return [
        sys.executable,
        "-m",
        "fedatlas.warm",
        str(ROOT / "workflow/warm/runs.py"),
        str(RUNNER),
        "in.ipynb",
        "out/out.ipynb",
        "--kernel",
        "python3",
        "--log",
        "logs/x.log",
        *options,
    ]


def run(arguments: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)


def printed(log: str) -> str:
    """What a log holds but for the kernel's word that it was told to end, which it has the time for or not."""
    lines = Path(log).read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("[IPKernelApp]"))


def kernel_pid() -> int | None:
    path = Path("pid")
    return int(path.read_text()) if path.exists() and path.read_text() else None


def test_success_leaves_the_executed_notebook_and_nothing_else(own_temporary_folder):
    done = run(command("seed = 0", "print('seed', seed)", seed="7"))
    assert done.returncode == 0, done.stderr
    executed = nbformat.read("out/out.ipynb", 4)
    assert executed.cells[-1].outputs[0].text == "seed 7\n"
    assert printed("logs/x.log") == "seed 7\n"
    assert [path.name for path in Path("logs").iterdir()] == ["x.log"]
    assert list(own_temporary_folder.iterdir()) == []


def test_threads_reach_the_kernel():
    variables = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
    done = run([*command("import os", f"print([os.environ[n] for n in {variables}])"), "--threads", "3"])
    assert done.returncode == 0, done.stderr
    assert printed("logs/x.log") == "['3', '3']\n"


def test_a_long_temporary_path_is_no_hindrance(tmp_path, monkeypatch):
    long = tmp_path / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    done = run(command("seed = 0"))
    assert done.returncode == 0, done.stderr


def test_failing_cell_keeps_the_partial_notebook_and_says_why():
    done = run(command("print('before')", "raise KeyError('lost')", "print('after')"))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cell 2 failed with KeyError: 'lost'" in done.stderr
    assert not Path("out/out.ipynb").exists()
    log = Path("logs/x.log").read_text()
    assert "before" in log
    assert "KeyError" in log
    assert "after" not in log
    assert "before" in Path("logs/x.ipynb").read_text()


def test_bad_input_is_one_sentence():
    done = run(command("from fedatlas.errors import AtlasError", "raise AtlasError('a.yaml: no key b.')"))
    assert done.returncode == 2
    assert done.stderr.startswith("in.ipynb: a.yaml: no key b (log: ")
    assert done.stderr.count("\n") == 1


def test_a_log_that_cannot_be_written_is_one_sentence():
    Path("logs").mkdir()
    Path("logs/x.log").symlink_to("/dev/full")
    done = run(command("print('seed')", "raise KeyError('lost')"))
    assert done.returncode == 2
    assert "the disk is full: free some space and run the same command again" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_earlier_result_survives_a_failure():
    Path("out").mkdir()
    Path("out/out.ipynb").write_text("earlier")
    assert run(command("1 / 0")).returncode == 1
    assert Path("out/out.ipynb").read_text() == "earlier"


def test_killed_kernel_is_reported(own_temporary_folder):
    done = run(command("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"))
    assert done.returncode == 138
    assert "kernel died" in done.stderr
    assert list(own_temporary_folder.iterdir()) == []


def test_too_long_a_cell_ends_with_its_kernel():
    done = run([*command("pid_file = ''", SLEEPER, pid_file="pid"), "--execution-timeout", "2"])
    assert done.returncode == 124
    assert gone(kernel_pid())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_kernel(number, own_temporary_folder):
    runner = subprocess.Popen(command("pid_file = ''", SLEEPER, pid_file="pid"))
    kernel = wait_for(kernel_pid)
    runner.send_signal(number)
    assert runner.wait(timeout=60) == 128 + number
    assert gone(kernel)
    assert list(own_temporary_folder.iterdir()) == []


def test_a_killed_runner_takes_its_kernel_along():
    runner = subprocess.Popen(command("pid_file = ''", SLEEPER, pid_file="pid"))
    kernel = wait_for(kernel_pid)
    runner.kill()
    runner.wait()
    wait_for(lambda: gone(kernel))


def test_a_killed_parent_takes_runner_and_kernel_along(own_temporary_folder):
    parent = subprocess.Popen(["sh", "-c", '"$@" & wait', "sh", *command("pid_file = ''", SLEEPER, pid_file="pid")])
    kernel = wait_for(kernel_pid)
    runner = psutil.Process(parent.pid).children()[0].pid
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    wait_for(lambda: gone(kernel) and gone(runner))
    wait_for(lambda: list(own_temporary_folder.iterdir()) == [])


def test_two_at_once_do_not_meet():
    first = subprocess.Popen(command("import time", "time.sleep(1); print('first')"))
    time.sleep(0.2)
    second = command("import time", "time.sleep(1); print('second')")
    second[second.index("out/out.ipynb")], second[second.index("logs/x.log")] = "out/b.ipynb", "logs/b.log"
    done = run(second)
    assert (first.wait(timeout=60), done.returncode) == (0, 0)
    assert printed("logs/b.log") == "second\n"
