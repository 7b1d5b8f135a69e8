"""Results at the papers' own scale, compact enough to be kept in git.

reports/published/<paper>/<experiment>/
    claims.json     the verdicts, as in reports/claims.json
    metrics.csv     every metric and cost of the selected configurations, by algorithm, seed and round
    sweep.csv       the score of every configuration of the sweep; empty where it diverged
    figure.svg      the figure
    manifest.json   configuration, data hashes, versions, commits, seconds, peak memory
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fedatlas.claims.evaluate import Verdict
from fedatlas.claims.evidence import Evidence
from fedatlas.errors import AtlasError
from fedatlas.experiments.results import Run
from fedatlas.files import write_text
from fedatlas.report import frames, provenance
from fedatlas.report.figures import curves, theme
from fedatlas.report.papers import Paper

LIMIT = 200_000  # bytes of a metrics table
_COMMON = ("engine", "shards", "precision", "num_params", "versions", "processor", "cores", "threads")
_OWN = ("seed", "stage", "dataset", "selected", "diverged", "commit", "dirty", "started", "seconds", "peak_memory_mb")


def publish(evidence: Evidence, verdicts: Sequence[Verdict], papers: Sequence[Paper], out: Path) -> list[Path]:
    """Writes every experiment of the evidence and returns their folders."""
    folders = []
    for key, experiment in evidence.experiments.items():
        folder = out / key
        found = [v.as_json() for v in verdicts if v.as_json()["experiment"] == key]
        write_text(folder / "claims.json", _json(found))
        write_text(folder / "metrics.csv", metrics_table(evidence.runs[key]))
        write_text(folder / "sweep.csv", sweep_table(evidence.runs[key]))
        write_text(folder / "manifest.json", _json(_manifest(evidence, key)))
        paper = next(paper for paper in papers if paper.id == experiment.paper)
        figure = next(figure for figure in paper.figures if figure.id == experiment.figure)
        with theme.style(theme.LIGHT):
            theme.save(curves.draw(evidence, key, figure, theme.LIGHT, columns=2), folder / "figure.svg")
        folders.append(folder)
    return folders


def metrics_table(runs: frames.Runs, limit: int = LIMIT) -> str:
    """CSV of the selected configurations, one column per metric; every other round goes until it fits `limit` bytes."""
    tables = [
        _wide(run).assign(algorithm=algorithm, seed=seed)
        for algorithm, by_seed in runs.items()
        for seed, run in by_seed.items()
    ]
    table = pd.concat(tables).set_index(["algorithm", "seed"], append=True).reorder_levels([1, 2, 0])
    rounds = sorted(table.index.unique("round"))
    while True:
        text = table[table.index.isin(rounds, level="round")].to_csv(float_format="%.5g")
        if len(text) <= limit or len(rounds) == 1:
            return text
        rounds = rounds[::-1][::2][::-1]


def _wide(run: Run) -> pd.DataFrame:
    chosen = run.manifest["selected"]["configuration"]
    rows = run.table[(run.table["client"] == -1) & (run.table["configuration"] == chosen)]
    return rows.assign(name=rows["split"] + "_" + rows["metric"]).pivot(index="round", columns="name", values="value")


def sweep_table(runs: frames.Runs) -> str:
    """CSV of every configuration's score."""
    tables = []
    for algorithm, by_seed in runs.items():
        run = frames.sweep_run(by_seed)
        grid = pd.DataFrame(run.manifest["configurations"]).assign(score=frames.sweep_scores(run))
        grid.insert(0, "algorithm", algorithm)
        tables.append(grid.assign(selected=grid.index == run.manifest["selected"]["configuration"]))
    return pd.concat(tables).to_csv(index=False, float_format="%.5g")


def _manifest(evidence: Evidence, key: str) -> dict[str, Any]:
    runs = provenance.all_runs(evidence, key)
    first = runs[0].manifest
    own = [{"algorithm": run.manifest["algorithm"]["id"]} | {name: run.manifest[name] for name in _OWN} for run in runs]
    return {
        "experiment": evidence.experiments[key].model_dump(mode="json", exclude_none=True),
        **{name: first[name] for name in _COMMON},
        "seconds": provenance.seconds(runs),
        "runs": own,
    }


def _json(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_published(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The published verdicts by paper and claim id; empty if nothing has been published.

    Raises:
        AtlasError: if a file is not what `publish` writes.
    """
    found = {}
    for path in sorted(folder.glob("*/*/claims.json")):
        found |= {(verdict["paper"], verdict["id"]): verdict for verdict in read_verdicts(path)}
    return found


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """The verdicts of one claims.json.

    Raises:
        AtlasError: if it is missing or not such a file.
    """
    try:
        verdicts = json.loads(path.read_text(encoding="utf-8"))
        if all({"paper", "id", "status", "scale"} <= set(verdict) for verdict in verdicts):
            return verdicts
    except FileNotFoundError as error:
        raise AtlasError(f"{path} does not exist: run `fedatlas claims` first.") from error
    except (ValueError, TypeError):
        pass
    raise AtlasError(f"{path} is not a list of verdicts: run `fedatlas claims` (or `fedatlas publish`) again.")
