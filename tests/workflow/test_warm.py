"""Warm processes: they start like any other, and nothing of them outlives whoever asked for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import gone, wait_for

from fedatlas.warm import client

psutil = pytest.importorskip("psutil")
pytest.importorskip("papermill")

ROOT = Path(__file__).parents[2]
TFF = ROOT / ".env/tff/bin/python"
# Says what it was started with, then sleeps if it is told to, its process number in a file.
SCRIPT = """
import json, os, sys, time
from pathlib import Path
print(json.dumps({
    "argv": sys.argv[1:], "folder": os.getcwd(), "variable": os.environ.get("VARIABLE"),
    "mark": getattr(os, "mark", None), "name": __name__, "session": os.getsid(0) == os.getpid(),
}), flush=True)
print("to the error stream", file=sys.stderr, flush=True)
if "sleep" in sys.argv:
    Path("pid.partial").write_text(str(os.getpid()))
    Path("pid.partial").rename("pid")
    time.sleep(600)
sys.exit(int(sys.argv[1]))
"""
# Owns warm processes, runs what it is told by its standard input, and tells where their folder is.
OWNER = """
import os, subprocess, sys
from fedatlas.warm.client import own
own()
print(os.environ["FEDATLAS_WARM"], flush=True)
for line in sys.stdin:
    done = subprocess.run([sys.executable, "-m", "fedatlas.warm", "preload.py", *line.split()])
    print("status", done.returncode, flush=True)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(SCRIPT)
    Path("preload.py").write_text("import os\nos.mark = f'preloaded by {os.getpid()}'\n")
    monkeypatch.delenv("FEDATLAS_WARM", raising=False)
    return tmp_path


class Owner:
    """A process that owns warm processes."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.folder = Path(self._process.stdout.readline().strip())

    def ask(self, *arguments: str) -> None:
        self._process.stdin.write(" ".join(arguments) + "\n")
        self._process.stdin.flush()

    def run(self, *arguments: str) -> tuple[dict, int]:
        """What the script said, and its exit status."""
        self.ask("script.py", *arguments)
        said = json.loads(self._process.stdout.readline())
        return said, int(self._process.stdout.readline().split()[1])

    def environment(self) -> dict[str, str]:
        """That of a process started by the owner."""
        return {**os.environ, "FEDATLAS_WARM": str(self.folder), "FEDATLAS_WARM_OWNER": str(self._process.pid)}

    def servers(self) -> list:
        return [p for p in psutil.process_iter(["cmdline"]) if str(self.folder) in " ".join(p.info["cmdline"] or [])]

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=120)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def owner(folder):
    made = Owner()
    yield made
    made.kill()


def sleeper() -> int:
    return int(wait_for(lambda: Path("pid").exists() and Path("pid").read_text()))


def ask(owner: Owner, *arguments: str, **options) -> subprocess.Popen:
    """Starts the script warm, without the owner waiting for it."""
    command = [sys.executable, "-m", "fedatlas.warm", "preload.py", "script.py", *arguments]
    return subprocess.Popen(command, env=owner.environment(), stdout=subprocess.DEVNULL, **options)


def test_a_child_is_like_any_process_but_with_what_was_preloaded(owner, folder):
    said, status = owner.run("3", "another")
    server = owner.servers()[0].pid
    assert said == {
        "argv": ["3", "another"],
        "folder": str(folder),
        "variable": None,
        "mark": f"preloaded by {server}",
        "name": "__main__",
        "session": True,
    }
    assert status == 3


def test_its_environment_and_streams_are_the_askers(owner, folder):
    environment = {**owner.environment(), "VARIABLE": "value"}
    command = [sys.executable, "-m", "fedatlas.warm", "preload.py", "script.py", "0"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["variable"] == "value"
    assert done.stderr == "to the error stream\n"


def test_a_second_one_has_the_same_server_and_other_threads_another(owner):
    owner.run("0")
    owner.run("0")
    assert len(owner.servers()) == 1
    command = [sys.executable, "-m", "fedatlas.warm", "preload.py", "script.py", "0"]
    subprocess.run(command, env={**owner.environment(), "OMP_NUM_THREADS": "3"}, check=True, capture_output=True)
    assert len(owner.servers()) == 2


def test_two_that_come_first_at_once_share_a_server(owner):
    several = [ask(owner, "0", stderr=subprocess.DEVNULL) for _ in range(4)]
    assert [process.wait(timeout=60) for process in several] == [0] * 4
    assert len(owner.servers()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_goes_on_to_the_child(owner, number):
    asker = ask(owner, "0", "sleep", stderr=subprocess.DEVNULL)
    child = sleeper()
    asker.send_signal(number)
    assert asker.wait(timeout=120) == (143 if number == signal.SIGTERM else 130)
    assert gone(child)


def test_a_signal_that_comes_before_the_child_goes_on_to_it(monkeypatch):
    sent: list[int] = []

    def start(*_):
        signal.raise_signal(signal.SIGTERM)
        return SimpleNamespace(send_signal=sent.append, wait=lambda: -signal.SIGTERM)

    monkeypatch.setattr(client, "start", start)
    usual = {number: signal.getsignal(number) for number in client.SIGNALS}
    try:
        assert client.run(["script.py"], "preload.py") == 143
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    assert sent == [signal.SIGTERM]


def test_a_killed_asker_takes_its_child_along(owner):
    asker = ask(owner, "0", "sleep")
    child = sleeper()
    asker.kill()
    asker.wait()
    wait_for(lambda: gone(child))
    assert owner.run("0")[1] == 0  # the server goes on


def test_a_killed_child_has_the_status_of_a_killed_process(owner):
    asker = ask(owner, "0", "sleep")
    os.kill(sleeper(), signal.SIGKILL)
    assert asker.wait(timeout=120) == 128 + signal.SIGKILL


def test_a_killed_server_takes_its_children_along_and_the_next_job_starts_cold(owner):
    asker = ask(owner, "0", "sleep")
    child = sleeper()
    owner.servers()[0].kill()
    assert asker.wait(timeout=120) == 128 + signal.SIGKILL
    wait_for(lambda: gone(child))
    said, status = owner.run("0")
    assert (said["mark"], status) == (None, 0)


@pytest.mark.parametrize("way", ["end", "kill"])
def test_nothing_outlives_the_owner(owner, way):
    ask(owner, "0", "sleep")
    child = sleeper()
    if way == "kill":
        owner.kill()
    else:
        owner.end()
    wait_for(lambda: gone(child) and not owner.servers() and not owner.folder.exists())


def test_without_an_owner_it_starts_cold(folder):
    command = [sys.executable, "-m", "fedatlas.warm", "preload.py", "script.py", "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (json.loads(done.stdout)["mark"], done.returncode) == (None, 4)


def test_a_preload_that_fails_is_no_hindrance(owner):
    Path("preload.py").write_text("import this_module_does_not_exist\n")
    said, status = owner.run("0")
    assert (said["mark"], status) == (None, 0)


def preloaded(name: str) -> set[str]:
    """The modules of a process that has run a preload of the workflow."""
    code = f"import runpy, sys; runpy.run_path('workflow/warm/{name}.py'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    return set(done.stdout.split())


def test_the_preload_of_runs_imports_what_they_need_and_nothing_that_draws():
    modules = preloaded("runs")
    assert {"papermill", "fedatlas.cli.data", "fedatlas.data.catalogue"} <= modules
    assert not {"matplotlib", "pandas", "pyarrow", "plotly"} & modules


def test_the_preload_of_pages_imports_what_they_need():
    assert {"ipykernel.kernelapp", "fedatlas.report.pages.site", "fedatlas.cli.report"} <= preloaded("pages")


@pytest.mark.skipif(not TFF.exists(), reason="the TFF environment is not made: run `make test`")
def test_the_preload_of_kernels_leaves_tensorflow_unused():
    """One that has run something cannot be forked: its child would wait for threads that it does not have."""
    code = """
import runpy
runpy.run_path("workflow/warm/kernels.py")
from tensorflow.python.eager import context
print(context.context()._context_handle is None)
"""
    done = subprocess.run([str(TFF), "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "True"
