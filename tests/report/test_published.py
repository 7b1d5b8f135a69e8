"""What is kept in git of the runs at paper and medium scale."""

import io
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from fedatlas.claims.evidence import curve
from fedatlas.report.figure_part import absence
from fedatlas.report.figures.scatter import dots

from fedatlas.cli import main
from fedatlas.errors import AtlasError
from fedatlas.experiments.spec import load_experiments
from fedatlas.report import frames
from fedatlas.report.model.papers import load_papers
from fedatlas.report.publish import LIMIT, PICTURE, metrics_table
from fedatlas.results.published import SCALES, load_published

ROOT = Path(__file__).parents[2]
SCALED = {scale: load_experiments(ROOT / "config" / "experiments", scale) for scale in SCALES}
KNOWN = SCALED["paper"]
PAPER = load_papers(ROOT / "config" / "papers", KNOWN)[0]
STAND_IN = "fco/haxby_stand_in"


def test_every_experiment_is_published_whole_and_small(site):
    for key in ("fco/lasso_I", "fco/lasso_II"):
        folder = site / "published" / key
        files = {path.name for path in folder.iterdir()}
        assert files == {"claims.json", "metrics.csv", "sweep.csv", "figure.svg", "manifest.json"}
        assert (folder / "metrics.csv").stat().st_size <= LIMIT
        assert (folder / "figure.svg").stat().st_size <= PICTURE
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


def test_what_was_published_is_found_again(site, evidence):
    published = load_published(site / "published", SCALED)
    assert set(published) == {"fco/lasso_I", "fco/lasso_II", STAND_IN}
    one = published["fco/lasso_I"]
    assert {verdict["scale"] for verdict in one.verdicts} == {"paper"}
    assert one.picture("figure") == "published/fco/lasso_I/figure.svg"
    assert one.picture("brain") is None
    assert load_published(site / "nowhere", SCALED) == {}


def test_published_tables_draw_the_curves_of_the_runs(site, evidence):
    kept = load_published(site / "published", SCALED)["fco/lasso_I"].evidence.runs["fco/lasso_I"]
    for algorithm, by_seed in evidence.runs["fco/lasso_I"].items():
        assert set(kept[algorithm]) == set(by_seed)
        for seed, run in by_seed.items():
            own = kept[algorithm][seed]
            assert own.manifest["configurations"] == run.manifest["configurations"]
            pd.testing.assert_series_equal(curve(own, "f1", "model"), curve(run, "f1", "model"), rtol=1e-4)


def test_a_scatter_keeps_every_configuration(site):
    one = load_published(site / "published", SCALED)[STAND_IN]
    assert {path.name for path in one.folder.iterdir()} >= {"dots.csv", "figure.svg", "figure-1.svg", "figure-12.svg"}
    figure = PAPER.figure("Figure 12")
    table = dots(frames.shown(one.evidence, STAND_IN, figure), STAND_IN, figure)
    assert set(table["round"]) == {10, 30, 100, 300}
    assert set(table["algorithm"]) == set(figure.algorithms)
    product = table["client_lr"] * table["server_lr"]
    assert product.between(0.003 - 1e-9, 0.3 + 1e-9).all()


def test_publishing_again_writes_the_same_bytes(site, runs, tmp_path):
    options = ["--runs", str(runs), "--out", str(tmp_path / "published")]
    assert main(["publish", *options]) == 0
    for path in (site / "published").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / path.relative_to(site)).read_bytes(), path


def test_what_was_run_before_its_file_changed_is_left_out(runs, tmp_path, capsys):
    for name in ("lasso_I", "lasso_II"):
        shutil.copytree(runs / "paper/fco" / name, tmp_path / "runs/paper/fco" / name)
    path = tmp_path / "runs/paper/fco/lasso_I/fedmid/seed0/run.json"
    manifest = json.loads(path.read_text())
    manifest["spec"]["training"]["rounds"] -= 1
    path.write_text(json.dumps(manifest))
    options = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "published")]
    assert main(["publish", *options]) == 0
    assert [path.name for path in (tmp_path / "published/fco").iterdir()] == ["lasso_II"]
    said = capsys.readouterr().err
    assert "fco/lasso_I is left out" in said and "lasso_I.yaml was changed; run it again." in said


@pytest.mark.parametrize(("name", "content"), [("manifest.json", "{"), ("sweep.csv", "a"), ("claims.json", "{")])
def test_a_damaged_folder(site, tmp_path, name, content):
    folder = tmp_path / "published"
    shutil.copytree(site / "published" / "fco" / "lasso_I", folder / "fco" / "lasso_I")
    (folder / "fco" / "lasso_I" / name).write_text(content)
    with pytest.raises(AtlasError, match="fco/lasso_I.*publish"):
        load_published(folder, SCALED)


def test_an_experiment_that_is_gone(site):
    with pytest.raises(AtlasError, match="holds results of fco/haxby_stand_in, which is no experiment of paper scale"):
        load_published(site / "published", {"paper": {}})


def test_medium_scale_is_kept_where_paper_scale_is_not(site, tmp_path):
    """What was computed at medium scale is shown as such, and goes when paper scale comes."""
    out = tmp_path / "published"
    shutil.copytree(site / "published", out)
    manifest = out / "fco/lasso_I/manifest.json"
    content = json.loads(manifest.read_text())
    content["experiment"]["scale"] = "medium"
    manifest.write_text(json.dumps(content))
    one = load_published(out, {"paper": KNOWN, "medium": KNOWN})["fco/lasso_I"]
    assert (one.scale, one.label) == ("medium", "Medium scale, for a few hours on two cores, published with the atlas")
    quick = SimpleNamespace(evidence=SimpleNamespace(scale="quick"), published={one.key: one})
    assert absence(quick, KNOWN[one.key]).endswith("computed at medium scale and published with the atlas.")
    assert "computed at" not in absence(quick, KNOWN["fco/lasso_II"])


def test_nothing_to_publish(tmp_path, capsys):
    assert main(["publish", "--runs", str(tmp_path), "--out", str(tmp_path / "published")]) == 2
    assert "holds no complete experiment of paper or medium scale: run one first" in capsys.readouterr().err
