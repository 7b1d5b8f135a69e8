"""What is kept in git of the runs at paper scale."""

import io
import json

import pandas as pd

from fedatlas.cli import main
from fedatlas.report.published import LIMIT, load_published, metrics_table


def test_every_experiment_is_published_whole_and_small(site):
    for key in ("fco/lasso_I", "fco/lasso_II"):
        folder = site / "published" / key
        files = {path.name for path in folder.iterdir()}
        assert files == {"claims.json", "metrics.csv", "sweep.csv", "figure.svg", "manifest.json"}
        assert (folder / "metrics.csv").stat().st_size <= LIMIT
    manifest = json.loads((site / "published/fco/lasso_I/manifest.json").read_text())
    assert manifest["experiment"]["training"]["rounds"] == 500
    assert len(manifest["runs"]) == 15
    assert all(run["dataset"]["sha256"] for run in manifest["runs"])


def test_published_metrics_are_those_of_the_runs(site, evidence):
    table = pd.read_csv(site / "published/fco/lasso_I/metrics.csv", index_col=["algorithm", "seed", "round"])
    run = evidence.runs["fco/lasso_I"]["fedmid"][1]
    own = run.table.query("metric == 'f1' and round == 250")["value"].item()
    assert abs(table.loc[("fedmid", 1, 250), "model_f1"] - own) < 1e-5
    sweep = pd.read_csv(site / "published/fco/lasso_I/sweep.csv")
    assert sweep.query("algorithm == 'fedmid'")["score"].isna().sum() == 42
    assert sweep["selected"].sum() == 5


def test_a_table_above_the_limit_is_thinned_but_keeps_its_last_round(evidence):
    text = metrics_table(evidence.runs["fco/lasso_I"], limit=20_000)
    table = pd.read_csv(io.StringIO(text))
    assert len(text) <= 20_000
    assert set(table["algorithm"]) == set(evidence.runs["fco/lasso_I"])
    assert 500 in set(table["round"])


def test_published_verdicts_are_found_again(site):
    published = load_published(site / "published")
    assert published["fco", "fig3-pattern"]["scale"] == "paper"
    assert load_published(site / "nowhere") == {}


def test_nothing_to_publish(tmp_path, capsys):
    assert main(["publish", "--runs", str(tmp_path), "--out", str(tmp_path / "published")]) == 2
    assert "holds no complete experiment: run the workflow at paper scale first" in capsys.readouterr().err
