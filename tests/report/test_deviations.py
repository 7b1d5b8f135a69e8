"""The deviations behind our numbers: over seeds, which are a sample, so that n - 1 stands below."""

from __future__ import annotations

import statistics

from configuration import CONFIG, known
from made_results import made_experiment, made_run
from published_results import results

from fedatlas.experiments.scales import Scale
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import load_papers
from fedatlas.report.pages.best import best_configurations
from fedatlas.report.tables import make_table
from fedatlas.results.collection import ExperimentResults


def paper(id: str):
    return next(paper for paper in load_papers(CONFIG / "papers", known(Scale.PAPER, id), id))


def ends(own: ExperimentResults, algorithm: str, metric) -> list[float]:
    runs = own.runs[algorithm].values()
    scored = [run for run in runs if not run.chose] or runs
    return [run.last(metric.metric, metric.split) for run in scored]


def test_of_the_best_configurations():
    own, figure = results(Scale.PAPER, "fco")["fco/lasso_I"], paper("fco").figure("Figure 3")
    checked = 0
    for row, algorithm in zip(best_configurations(own, figure, []), own.runs, strict=True):
        for end, metric in zip(row.ends, figure.measures, strict=True):
            values = ends(own, algorithm, metric)
            if len(values) > 1 and "±" in end:
                digits = len(end.partition(" ± ")[2].partition(".")[2])
                assert end.endswith(f"± {statistics.stdev(values):.{digits}f}")
                checked += f"{statistics.stdev(values):.{digits}f}" != f"{statistics.pstdev(values):.{digits}f}"
    assert checked  # some that tell n - 1 from n


def test_configurations_that_differ_by_seed_stand_with_their_seeds():
    grid = [{"client_lr": 0.1, "server_lr": 1.0}, {"client_lr": 1.0, "server_lr": 1.0}]
    curves = {("model", "f1"): [[0, 0.5], [0, 0.6]]}
    rule = {"metric": "f1", "split": "model", "best": "highest", "over_last": 1}
    chosen = [{"configuration": place, "value": 0.5} for place in (1, 0, 1)]
    own = [{"seed": seed, "selected": best, "spec": {"select": rule}} for seed, best in enumerate(chosen)]
    runs = [made_run("feddualavg", curves, grid=grid, own=one) for one in own]
    figure = paper("fco").figure("Figure 3")
    (row,) = best_configurations(made_experiment("fco/lasso_I", *runs), figure, [])
    assert row.ours == "(1, 1) on seeds 0 and 2; (0.1, 1) on seed 1" and row.ties == ""
    (row,) = best_configurations(made_experiment("fco/lasso_I", runs[0], runs[2]), figure, [])
    assert row.ours == "(1, 1)"


def test_of_the_scores_of_a_table():
    kept, about = results(Scale.MEDIUM, "feddua"), paper("feddua")
    made = make_table(about, about.figure("Table 2"), PaperResults(CONFIG / "paper_results"), kept)
    ours = [row for place, row in enumerate(made.rows) if place in made.our_rows]
    row = dict(zip(made.heads, next(row for row in ours if "(CIFAR-10, " in row[1]), strict=True))
    own = kept["feddua/cifar10"]
    for algorithm, name in own.names.items():
        if name in row:
            scored = [run for run in own.runs[algorithm].values() if not run.chose]
            values = [100 * run.last("accuracy", "test") for run in scored]
            assert row[name] == f"{statistics.mean(values):.1f} ± {statistics.stdev(values):.1f}"
