"""What a set of runs has in common: on what, with what, and how long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from fedatlas.experiments.spec import Experiment
from fedatlas.formatting import grouped, listed, memory
from fedatlas.results.manifest import Manifest
from fedatlas.results.run import Run


def seconds(runs: Iterable[Run]) -> float:
    """Wall seconds of the runs, one after another."""
    return sum(run.manifest.seconds.total for run in runs)


def peak_memory(runs: Iterable[Run]) -> str:
    return memory(max(run.manifest.peak_memory_mb for run in runs))


def together(values: Iterable[Any]) -> str:
    """The distinct values, in order: 'abc, def'."""
    return ", ".join(dict.fromkeys(str(value) for value in values))


def commit(runs: Iterable[Run]) -> str:
    """The commits of the runs, shortened; says where the files had been changed since."""
    return together(_commit(run.manifest) for run in runs)


def _commit(manifest: Manifest) -> str:
    later = f" (resumed at {listed(one[:10] for one in manifest.resumed)})" if manifest.resumed else ""
    changes = " with uncommitted changes" if manifest.dirty else ""
    return (manifest.commit or "unknown")[:10] + later + changes


def facts(runs: list[Run]) -> list[tuple[str, str]]:
    """(name, value) of what the runs of one experiment have in common, or of each where they differ."""
    versions = {name: together(run.manifest.versions.get(name) for run in runs) for name in _versions(runs)}
    found = [
        ("parameters", together(grouped(r.manifest.num_params) for r in runs)),
        ("engine", together(f"{r.manifest.engine}, shards: {r.manifest.shards}" for r in runs)),
        ("precision", together(r.manifest.precision for r in runs)),
        ("compiled", together(r.manifest.compile for r in runs)),
        ("processor", together(r.manifest.processor for r in runs)),
        ("cores, threads", together(f"{r.manifest.cores}, {r.manifest.threads}" for r in runs)),
        ("peak memory", peak_memory(runs)),
        ("commit", commit(runs)),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
    ]
    return [(name, value) for name, value in found if value]


def _versions(runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run.manifest.versions))


def when(runs: Iterable[Run]) -> str:
    """The day on which the first of the runs started."""
    return min(run.manifest.started for run in runs)[:10]


def row(run: Run, notebook: str | None) -> dict[str, Any]:
    """One run as a row of the provenance table; `notebook` is the page of its executed notebook."""
    manifest = run.manifest
    return {
        "name": run.name,
        "seed": manifest.seed,
        "trained": f"the sweep of {len(run.grid)}" if run.is_sweep else "the selected rates",
        "seconds": manifest.seconds.total,
        "memory": memory(manifest.peak_memory_mb),
        "data": f"{manifest.dataset.id} {manifest.dataset.sha256[:10]}",
        "started": manifest.started[:16].replace("T", " "),
        "notebook": notebook,
    }


def configuration(experiment: Experiment) -> str:
    """The experiment as it was run, as YAML."""
    content = experiment.model_dump(mode="json", exclude_none=True)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
