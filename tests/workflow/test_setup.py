"""`make` on machines that lack something: one sentence that says what, before any long work."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
FINDER = ROOT / "workflow/scripts/find_python.sh"
MAKE = shutil.which("make")
TOOLS = ("sh", "cat", "cksum", "cut", "id", "rm", "touch")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """An empty PATH and home; returns a function that puts a Python of some version there."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in TOOLS:
        (programs / tool).symlink_to(shutil.which(tool))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("UV_PYTHON_INSTALL_DIR", raising=False)

    def install(name: str, version: str, pip: str = "exit 0", modules: str = "exit 0", folder: Path = programs):
        folder.mkdir(parents=True, exist_ok=True)
        python = folder / name
        python.write_text(
            '#!/bin/sh\ncase "$*" in\n'
            f"  *sys.version_info*) echo {version} ;;\n"
            f"  *ensurepip*) {modules} ;;\n"
            f"  *pip*) {pip} ;;\n"
            "esac\n"
        )
        python.chmod(0o755)
        return python

    return install


def find() -> subprocess.CompletedProcess:
    return subprocess.run(["sh", str(FINDER)], capture_output=True, text=True, check=False)


def complaint() -> str:
    found = find()
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr.count("\n") == 1
    return found.stderr


def test_no_python(machine):
    assert "no Python 3.11 to 3.13 was found (only: none)" in complaint()


def test_old_python(machine):
    machine("python3", "3.9")
    assert "only: 3.9" in complaint()
    assert "apt install python3.11" in complaint()


def test_python_3_12_alone(machine):
    machine("python3", "3.12")
    sentence = complaint()
    assert "TensorFlow Federated needs Python 3.11, but only 3.12 was found: install it" in sentence
    assert "apt install python3.11" in sentence
    assert "uv python install 3.11" in sentence


def test_venv_module_missing(machine):
    machine("python3", "3.11", modules="exit 1")
    assert "has no venv module" in complaint()
    assert "python3.11-venv" in complaint()


def test_python_3_11_is_preferred(machine):
    machine("python3", "3.12")
    eleven = machine("python3.11", "3.11")
    assert find().stdout.strip() == str(eleven)


def test_newer_python_serves_where_uv_has_3_11(machine, tmp_path):
    newer = machine("python3", "3.13")
    machine("python3.11", "3.11", folder=tmp_path / ".local/share/uv/python/cpython-3.11.9-linux/bin")
    assert find().stdout.strip() == str(newer)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A clone in which nothing is set up."""
    for part in ("Makefile", "pyproject.toml", "config", "envs", "workflow"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, tmp_path / part)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    return tmp_path


@pytest.mark.parametrize("target", ["reports", "test"])
def test_make_stops_before_any_work(machine, fresh, target):
    machine("python3", "3.12")
    done = subprocess.run([MAKE, target], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "TensorFlow Federated needs Python 3.11, but only 3.12 was found" in done.stderr
    assert not (fresh / ".venv").exists()


def test_unknown_scale(fresh):
    done = subprocess.run([MAKE, "reports", "SCALE=huge"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "SCALE is 'huge', but must be one of: medium paper quick" in done.stderr


@pytest.mark.parametrize("target", ["publish", "redraw"])
def test_what_takes_all_experiments_refuses_one(fresh, target):
    done = subprocess.run([MAKE, target, "EXPERIMENT=fco/lasso_I"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "take all that is complete" in done.stderr


def test_what_is_made_needs_no_workflow(fresh):
    """So that tests and JupyterLab start while a long workflow holds the folder's lock."""
    wanted = subprocess.run([MAKE, "--dry-run", "environments"], capture_output=True, text=True, check=True).stdout
    assert "tff_environment" in wanted
    for marker in re.findall(r"touch (\S+)", wanted):
        (fresh / marker).parent.mkdir(parents=True)
        (fresh / marker).touch()
    again = subprocess.run([MAKE, "--dry-run", "environments"], capture_output=True, text=True, check=True).stdout
    assert "tff_environment" not in again


def test_python_that_is_too_new_does_not_serve(machine):
    machine("python3", "3.14")
    done = find()
    assert done.returncode and "no Python 3.11 to 3.13 was found" in done.stderr


def test_make_without_network_says_so_and_starts_over(machine, fresh, tmp_path):
    machine("python3.11", "3.11", folder=tmp_path / ".local/share/uv/python/cpython-3.11.9-linux/bin")
    (tmp_path / "bin/python3").symlink_to(sys._base_executable)
    machine("python", "3.11", pip="echo 'pip: no route' >&2; exit 1", folder=fresh / ".venv/bin")
    done = subprocess.run([MAKE, "reports"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "making the workflow environment" in done.stdout
    assert "pip: no route" in done.stdout
    assert "uv, of envs/workflow.txt, could not be installed" in done.stderr
    assert "check the network" in done.stderr
    assert not list((fresh / ".venv").glob("ready-*"))


def test_tff_environment_without_network_says_so(tmp_path):
    (tmp_path / "tff.txt").write_text("fedatlas-not-there==1 --hash=sha256:" + 64 * "0" + "\n")
    kernel = tmp_path / ".env/tff/share/jupyter/kernels/fedatlas-tff/kernel.json"
    script = ROOT / "workflow/scripts/make_tff_environment.py"
    offline = {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1"}
    environment = {**os.environ, **offline, "PATH": f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"}
    command = [ROOT / ".venv/bin/python", script, tmp_path / "tff.txt", kernel]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert "could not be installed" in done.stderr.splitlines()[-1]
    assert "check the network" in done.stderr.splitlines()[-1]
    assert "fedatlas-not-there" in done.stdout  # uv's reason
    assert "trying pip" in done.stdout
    assert not kernel.exists()


SAYS = """\
import sys, time
print("Resolved 124 packages in 2s", file=sys.stderr)
print("Downloading tensorflow (456.3MiB)\\nDownloading scipy (33.7MiB)\\n Downloaded scipy", file=sys.stderr)
sys.stderr.flush()
time.sleep(2.5)
print(" + tensorflow==2.14.1\\n - scipy==1.0\\n  × No route\\n  ╰─▶ because of the wall", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def installing(monkeypatch):
    """The module that both environments are made with, impatient."""
    monkeypatch.syspath_prepend(str(ROOT / "workflow/scripts"))
    module = importlib.import_module("installing")
    monkeypatch.setattr(module, "SILENCE", 1.0)
    return module


def test_who_waits_hears_what_is_fetched_and_errors_whole(installing, capfd):
    assert installing.call([sys.executable, "-c", SAYS, "3"]) == 3
    said = capfd.readouterr().out.splitlines()
    reminders = [line for line in said if line.startswith("fedatlas: still fetching tensorflow, for ")]
    assert reminders
    assert [line for line in said if line not in reminders] == [
        "Resolved 124 packages in 2s",
        "Downloading tensorflow (456.3MiB)",
        "Downloading scipy (33.7MiB)",
        " Downloaded scipy",
        "  × No route",
        "  ╰─▶ because of the wall",
    ]


def test_pip_is_tried_where_uv_fails(installing, capfd):
    installing.run("it failed", [sys.executable, "-c", "exit('uv: no')"], [sys.executable, "-c", "print('pip: yes')"])
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "uv: no"
    assert "trying pip" in said[1]
    assert said[2] == "pip: yes"


def test_an_environment_is_tried_out_before_it_counts(installing, capfd, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    installing.try_out(Path(sys.executable), "sys; print('noise'); assert not sys.dont_write_bytecode")
    assert capfd.readouterr().out == ""
    with pytest.raises(SystemExit, match="was made, but cannot be used on this machine"):
        installing.try_out(Path(sys.executable), "fedatlas_not_there")
    assert "No module named 'fedatlas_not_there'" in capfd.readouterr().out


def test_an_interrupt_ends_an_installation_with_a_sentence(tmp_path):
    """Also where only this process hears of it, and not what it has started."""
    program = (
        "import signal, sys; from installing import call, leave; signal.signal(signal.SIGINT, leave)\n"
        "call([sys.executable, '-c', 'import os, time; print(os.getpid(), flush=True); time.sleep(60)'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow/scripts")}
    running = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
    child = int(running.stdout.readline())
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 130
    assert said == "fedatlas: stopped: run the same command again; what was fetched is kept.\n"
    assert not psutil.pid_exists(child)
