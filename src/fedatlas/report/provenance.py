"""What was run, on what, with what, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from fedatlas.claims.evidence import Evidence
from fedatlas.experiments.results import Run, load_manifest
from fedatlas.experiments.runs import runs_of
from fedatlas.experiments.spec import Experiment


def complete(folder: Path, experiments: Mapping[str, Experiment]) -> dict[str, list[Path]]:
    """The experiments all of whose runs are under `folder`; of each the runs made before its file was changed."""
    found = {}
    for key, experiment in experiments.items():
        runs = {folder / run.folder: run for run in runs_of([experiment])}
        if runs and all((path / "run.json").is_file() for path in runs):
            found[key] = [path for path, run in runs.items() if not run.made(load_manifest(path))]
    return found


def all_runs(evidence: Evidence, key: str | None = None) -> list[Run]:
    """Every run, or those of one experiment."""
    keys = evidence.runs if key is None else [key]
    return [run for k in keys for by_seed in evidence.runs[k].values() for run in by_seed.values()]


def seconds(runs: Iterable[Run]) -> float:
    """Wall seconds of the runs, one after another."""
    return sum(run.manifest["seconds"]["total"] for run in runs)


def memory(megabytes: float) -> str:
    return f"{megabytes / 1024:.1f} GB" if megabytes >= 1024 else f"{megabytes:.0f} MB"


def peak_memory(runs: Iterable[Run]) -> str:
    return memory(max(run.manifest["peak_memory_mb"] for run in runs))


def together(values: Iterable[Any]) -> str:
    """The distinct values, in order: 'abc, def'."""
    return ", ".join(dict.fromkeys(str(value) for value in values))


def commit(runs: Iterable[Run]) -> str:
    """The commits of the runs, shortened; says where the files had been changed since."""
    return together(
        (run.manifest["commit"] or "unknown")[:10] + (" with changes" if run.manifest["dirty"] else "") for run in runs
    )


def facts(runs: list[Run]) -> list[tuple[str, str]]:
    """(name, value) of what the runs of one experiment have in common, or of each where they differ."""
    versions = {name: together(run.manifest["versions"].get(name) for run in runs) for name in _versions(runs)}
    first = runs[0].manifest
    return [
        ("parameters", f"{first['num_params']:,}".replace(",", " ")),
        ("engine", together(f"{r.manifest['engine']}, {r.manifest['shards']} shards" for r in runs)),
        ("precision", together(r.manifest["precision"] for r in runs)),
        ("compiled", together(r.manifest["compile"] for r in runs)),
        ("processor", together(r.manifest["processor"] for r in runs)),
        ("cores, threads", together(f"{r.manifest['cores']}, {r.manifest['threads']}" for r in runs)),
        ("peak memory", peak_memory(runs)),
        ("commit", commit(runs)),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
    ]


def _versions(runs: Iterable[Run]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run.manifest["versions"]))


def when(runs: Iterable[Run]) -> str:
    """The day on which the first of the runs started."""
    return min(run.manifest["started"] for run in runs)[:10]


def row(run: Run, folder: Path, notebook: str | None) -> dict[str, Any]:
    """One run as a row of the provenance table; `notebook` is the page of its executed notebook."""
    manifest = run.manifest
    return {
        "name": manifest["algorithm"]["name"],
        "seed": manifest["seed"],
        "stage": manifest["stage"],
        "trained": len(manifest["trained"]),
        "configurations": len(manifest["configurations"]),
        "seconds": manifest["seconds"]["total"],
        "memory": memory(manifest["peak_memory_mb"]),
        "data": f"{manifest['dataset']['id']} {manifest['dataset']['sha256'][:10]}",
        "started": manifest["started"][:16].replace("T", " "),
        "notebook": notebook,
    }


def configuration(evidence: Evidence, key: str) -> str:
    """The experiment as it was run at this scale, as YAML."""
    content = evidence.experiments[key].model_dump(mode="json", exclude_none=True)
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
