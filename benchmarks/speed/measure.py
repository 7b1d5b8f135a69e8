"""How long a round takes here and in other simulators, side by side on this machine: `make speed`.

Each peer runs in an environment of its own, `.env/peers-*`, from the locks `envs/peers-*.txt`; those that are named are
made where they are missing (PyTorch's takes 5 GB), those that are neither named nor there are left out. What is found
goes to `reports/published/speed.json`, from which the page `speed.html` is made, and into the README's picture. Run it
on a machine that does nothing else: what everything else used meanwhile stands beside each time.

    .venv/bin/python benchmarks/speed/measure.py [jax fedjax torch]
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from works import COHORT, WORKS, Work

from fedatlas.files import write_text
from fedatlas.machine import cores
from fedatlas.report.drawing import theme
from fedatlas.report.model.speed import Machine, Speed
from fedatlas.report.model.speed import Work as Told
from fedatlas.report.pages.speed import draw_beside
from fedatlas.report.standalone import on_white
from fedatlas.results.published import check, edited
from fedatlas.running import provenance

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
OUT = ROOT / "reports/published"
PICTURE = ROOT / "docs/speed.svg"  # of the README
OURS = "fedatlas_engine"
PEERS = {  # script -> the environment that it runs in
    "numpy_loop": ".venv",
    "jax_loop": ".env/peers-jax",
    "fedjax_loop": ".env/peers-fedjax",
    "torch_loop": ".env/peers-torch",
    "pfl_loop": ".env/peers-torch",
    "stock_tff": ".env/tff",
    OURS: ".env/tff",
}
CLIENTS = (100, 1_000, 10_000)


def make_environment(name: str) -> None:
    """The environment of a peer from its lock."""
    folder, uv = ROOT / f".env/peers-{name}", ROOT / ".venv/bin/uv"
    if not folder.is_dir():
        print(f"fedatlas: making {folder.relative_to(ROOT)} from envs/peers-{name}.txt ...", flush=True)
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        lock = ROOT / f"envs/peers-{name}.txt"
        subprocess.run([uv, "pip", "sync", "--quiet", "--python", folder / "bin/python", lock], check=True)


def run(script: str, *arguments: str) -> list[dict[str, Any]]:
    """What a script says in lines of JSON; its output goes to a file, which TFF's runtime may hold open.

    Its processes are a group that ends with it: stock TFF would leave its worker behind, which goes on computing.
    """
    python = ROOT / PEERS[script] / "bin/python"
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        command, environment = [python, HERE / f"{script}.py", *arguments], {**os.environ, "PYTHONPATH": ""}
        peer = subprocess.Popen(command, stdout=out, stderr=errors, env=environment, start_new_session=True)
        try:
            failed = peer.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(peer.pid, signal.SIGKILL)
        out.seek(0)
        errors.seek(0)
        if failed:
            sys.exit(f"{script}.py {' '.join(arguments)} failed:\n{errors.read()[-2000:]}")
        return [json.loads(line) for line in out if line.startswith('{"peer"')]


def bandwidth() -> float:
    """Bytes a second, of copying arrays that are much larger than the caches."""
    source = np.ones(2**25)
    target, best = np.empty_like(source), np.inf
    for _ in range(5):
        begun = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begun)
    return 2 * source.nbytes / best


def peak() -> float:
    """Floating-point operations a second, of numpy's product of single-precision matrices on all cores."""
    n, best = 2048, np.inf
    left, right = np.ones((n, n), np.float32), np.ones((n, n), np.float32)
    for _ in range(6):
        begun = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - begun)
    return 2 * n**3 / best


def least(work: Work) -> Told:
    """What a round cannot do without."""
    examples = COHORT * work.examples
    parameters = 2 * COHORT * work.steps * work.parameters
    example_bytes = 4 * int(np.prod(work.shape)) / work.configurations  # all configurations share the examples
    return Told(
        about=work.about,
        configurations=work.configurations,
        flops=examples * work.flops,
        least_bytes=examples * example_bytes + 4 * parameters,
    )


def measured(peers: list[str]) -> Speed:
    times = []
    for script in peers:
        print(f"fedatlas: timing {script} ...", flush=True)
        times += run(script)
    scaling: dict[str, list[tuple[int, float]]] = {}
    print("fedatlas: how a round grows ...", flush=True)
    for found in run(OURS, "scaling"):
        axis, _, size = found["work"].rpartition(" ")
        scaling.setdefault(axis, []).append((int(size), found["ms"]))
    memory = [(clients, run(OURS, "memory", str(clients))[0]["peak_memory_mb"]) for clients in CLIENTS]
    commit, dirty = provenance.commit()
    return Speed(
        measured=datetime.datetime.now(datetime.UTC).date().isoformat(),
        commit=f"{commit}{', with changes' if dirty else ''}",
        machine=Machine(processor=provenance.processor(), cores=cores(), bandwidth=bandwidth(), peak=peak()),
        works={name: least(work) for name, work in WORKS.items()},
        times=times,
        scaling=scaling,
        memory=memory,
    )


def tell(found: Speed) -> None:
    for name in found.works:
        print(f"\n{found.works[name].about}")
        for time_of in found.of(name).values():
            of_peak, of_bandwidth = found.shares(time_of)
            print(
                f"  {time_of.peer:15}{time_of.ms:10.2f} ms  {of_peak:5.1%} of the peak of products, "
                f"{of_bandwidth:5.1%} of the bandwidth; others used {time_of.other_cores:.2f} cores"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    named = sorted({folder.rpartition("-")[2] for folder in PEERS.values() if "peers-" in folder})
    parser.add_argument("environments", nargs="*", metavar="PEER", help=f"make its environment: {', '.join(named)}")
    chosen = parser.parse_args().environments
    if unknown := set(chosen) - {*named}:
        parser.error(f"there is no environment '{unknown.pop()}': choose from {', '.join(named)}.")
    check(OUT)  # before ten minutes of measuring, not after
    for name in chosen:
        make_environment(name)
    there = [script for script, folder in PEERS.items() if (ROOT / folder / "bin/python").exists()]
    for script in PEERS.keys() - {*there}:
        print(
            f"fedatlas: {script} is left out: {PEERS[script]} is not there (PEERS={PEERS[script].rpartition('-')[2]})."
        )
    found = measured(there)
    tell(found)
    with edited(OUT) as copy:
        write_text(copy / "speed.json", found.model_dump_json(indent=1) + "\n")
    with theme.style(theme.LIGHT):
        write_text(PICTURE, on_white(draw_beside(found, theme.LIGHT, 2)))
    print(f"\nfedatlas: written to {OUT.relative_to(ROOT)}/speed.json; `make site` makes the page.")


if __name__ == "__main__":
    main()
