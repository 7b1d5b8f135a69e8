"""What is kept in git of the runs at paper and medium scale."""

import io
import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import configuration
import pandas as pd
import pytest
from made_runs import saturating, write_runs

from fedatlas.claims.status import Status
from fedatlas.cli import main
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import runs_of
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages.experiment import absence
from fedatlas.report.views import view
from fedatlas.results.collection import read_results
from fedatlas.results.published import check, edited, load_published, seal
from fedatlas.results.published.read import KEPT_SCALES
from fedatlas.results.published.write import LIMIT, metrics_table

ROOT = Path(__file__).parents[2]
SCALED = {scale: configuration.known(scale) for scale in KEPT_SCALES}
KNOWN = SCALED["paper"]
PAPER = configuration.papers()[0]
STAND_IN = "fco/haxby_stand_in"


def test_every_experiment_is_published_whole_and_small(site):
    for key in ("fco/lasso_I", "fco/lasso_II"):
        folder = site / "published" / key
        files = {path.name for path in folder.iterdir()}
        stem = "figure-3" if key.endswith("_I") else "figure-6"
        pictures = {f"{stem}.svg", f"{stem}-narrow.svg", "sweep.svg"}
        assert files == {"claims.json", "metrics.csv", "sweep.csv", "manifest.json", *pictures}
        assert (folder / "metrics.csv").stat().st_size <= LIMIT
        assert all((folder / name).stat().st_size <= 150_000 for name in pictures)
    manifest = json.loads((site / "published/fco/lasso_I/manifest.json").read_text())
    assert manifest["experiment"]["training"]["rounds"] == 500
    assert len(manifest["runs"]) == len(runs_of([KNOWN["fco/lasso_I"]]))
    assert all(run["dataset"]["sha256"] for run in manifest["runs"])


def test_published_metrics_are_those_of_the_runs(site, evidence):
    table = pd.read_csv(site / "published/fco/lasso_I/metrics.csv", index_col=["algorithm", "seed", "round"])
    seed = KNOWN["fco/lasso_I"].seeds.tuned[0]
    run = evidence["fco/lasso_I"].runs["fedmid"][seed]
    own = run.table.query("metric == 'f1' and round == 250")["value"].item()
    assert abs(table.loc[("fedmid", seed, 250), "model_f1"] - own) < 1e-5
    sweep = pd.read_csv(site / "published/fco/lasso_I/sweep.csv")
    assert sweep.query("algorithm == 'fedmid'")["score"].isna().sum() == 42
    assert sweep["selected"].sum() == 5


def test_a_table_above_the_limit_is_thinned_but_keeps_its_last_round(evidence):
    text = metrics_table(evidence["fco/lasso_I"], limit=20_000)
    table = pd.read_csv(io.StringIO(text))
    assert len(text) <= 20_000
    assert set(table["algorithm"]) == set(evidence["fco/lasso_I"].runs)
    assert 500 in set(table["round"])


def test_what_was_published_is_found_again(site, evidence):
    published = load_published(site / "published", SCALED)
    assert set(published) == {"fco/lasso_I", "fco/lasso_II", STAND_IN}
    one = published["fco/lasso_I"]
    assert {verdict["scale"] for verdict in one.verdicts} == {"paper"}
    assert ("curves (CSV)", "published/fco/lasso_I/metrics.csv") in one.files(site)
    assert "dots (CSV)" not in dict(one.files(site))
    assert load_published(site / "nowhere", SCALED) == {}


def test_a_claim_about_two_experiments_is_judged_once_both_are_published(site, runs, tmp_path, capsys):
    for key in ("fco/lasso_II", "fco/lasso_I"):  # the claim belongs to the first
        place = tmp_path / key / "runs/paper" / key
        place.parent.mkdir(parents=True)
        place.symlink_to(runs / "paper" / key)
        given = ["--runs", tmp_path / key / "runs", "--config", ROOT / "config", "--out", tmp_path / "published"]
        assert main(["publish", *map(str, given)]) == 0
    own, usual = (
        {verdict["id"]: verdict["status"] for verdict in json.loads((folder / "fco/lasso_II/claims.json").read_text())}
        for folder in (tmp_path / "published", site / "published")
    )
    assert own == usual and own["fig6-osp-faster"] != Status.NOT_RUN
    capsys.readouterr()
    write_runs(tmp_path / "again", [KNOWN["fco/lasso_I"]], slower)
    given[1] = tmp_path / "again"
    assert main(["publish", *map(str, given)]) == 0
    assert f"fco/lasso_II fig6-osp-faster: {own['fig6-osp-faster']} -> reproduced" in capsys.readouterr().out


def test_the_command_that_judges_again_says_and_writes_what_has_changed(site, tmp_path, capsys):
    out = shutil.copytree(site / "published", tmp_path / "published")
    options = ["rejudge", "--config", str(ROOT / "config"), "--out", str(out)]
    assert main(options) == 0
    assert capsys.readouterr().out == "No verdict changes.\n"
    path = out / "fco/lasso_I/claims.json"
    judged = path.read_text()
    first, *others = json.loads(judged)
    path.write_text(json.dumps([first | {"status": "of another day"}, *others]))
    seal(out)
    assert main(options) == 0
    assert f"fco/lasso_I {first['id']}: of another day -> {first['status']}" in capsys.readouterr().out
    assert path.read_text() == judged


def slower(run, configuration, split, metric, rounds):
    return saturating(run, configuration, split, metric, rounds / 3)


def test_an_algorithm_that_its_experiment_has_no_more_is_not_shown(site):
    now = KNOWN["fco/lasso_I"]
    fewer = now.model_copy(update={"algorithms": {id: own for id, own in now.algorithms.items() if id != "fedmid"}})
    found = load_published(site / "published", {**SCALED, "paper": {**KNOWN, "fco/lasso_I": fewer}})["fco/lasso_I"]
    assert {*found.results.runs} == {*now.algorithms} - {"fedmid"}


def test_published_tables_draw_the_curves_of_the_runs(site, evidence):
    kept = load_published(site / "published", SCALED)["fco/lasso_I"].results.runs
    for algorithm, by_seed in evidence["fco/lasso_I"].runs.items():
        assert set(kept[algorithm]) == set(by_seed)
        for seed, run in by_seed.items():
            own = kept[algorithm][seed]
            assert own.grid == run.grid
            pd.testing.assert_series_equal(own.values("f1", "model"), run.values("f1", "model"), rtol=1e-4)


def test_a_scatter_keeps_every_configuration(site):
    one = load_published(site / "published", SCALED)[STAND_IN]
    assert {path.name for path in one.folder.iterdir()} >= {"dots.csv", "figure-5.svg", "figure-1.svg", "figure-12.svg"}
    figure = PAPER.figure("Figure 12")
    table = view("scatter").table(one.results.shown(figure.algorithms), figure)
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
    del manifest["sha256"]
    path.write_text(json.dumps(manifest))
    options = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "published")]
    assert main(["publish", *options]) == 0
    assert [path.name for path in (tmp_path / "published/fco").iterdir()] == ["lasso_II"]
    said = capsys.readouterr().err
    assert "fco/lasso_I is left out" in said and "lasso_I.yaml was changed; run it again." in said


@pytest.fixture
def copied(tmp_path):
    """What is published of one experiment, in a folder of its own."""
    folder = tmp_path / "published"
    shutil.copytree(ROOT / "reports" / "published" / "fco" / "lasso_I", folder / "fco" / "lasso_I")
    seal(folder)
    return folder


@pytest.mark.parametrize(("name", "content"), [("manifest.json", "{"), ("sweep.csv", "a"), ("claims.json", "{")])
def test_what_is_not_as_publish_writes_it(copied, name, content):
    (copied / "fco" / "lasso_I" / name).write_text(content)
    with pytest.raises(AtlasError, match=rf"{name} is not what was published .see .*SHA256SUMS.: `git checkout -- "):
        load_published(copied, SCALED)
    assert seal(copied) == [f"fco/lasso_I/{name}"]
    with pytest.raises(AtlasError, match="fco/lasso_I.*publish"):
        load_published(copied, SCALED)


def test_one_changed_digit_is_refused_by_whatever_reads(copied, tmp_path, capsys):
    path = copied / "fco/lasso_I/metrics.csv"
    path.write_text(path.read_text().replace("1", "2", 1))
    for command in (["redraw", "--out"], ["rejudge", "--out"], ["audit", "--out"], ["claims", "--published"],
                    ["publish", "--runs", str(tmp_path), "--out"]):  # fmt: skip
        assert main([*command, str(copied)]) == 2
        assert "fco/lasso_I/metrics.csv is not what was published" in capsys.readouterr().err


def test_a_file_that_is_gone_or_was_never_published(copied):
    picture = copied / "fco/lasso_I/figure-3.svg"
    picture.rename(copied / "fco/lasso_I/figure-4.svg")
    with pytest.raises(AtlasError, match=r"figure-3.svg is missing, which was published"):
        load_published(copied, SCALED)
    picture.with_name("figure-3.svg").write_text("")
    with pytest.raises(AtlasError, match=r"figure-3.svg is not what was published"):
        load_published(copied, SCALED)
    (copied / "fco/lasso_I/figure-4.svg").rename(picture)
    picture.with_name("another.svg").write_text("")
    with pytest.raises(AtlasError, match=r"another.svg is not in .*SHA256SUMS, so it was not published"):
        load_published(copied, SCALED)


def test_sha256sum_reads_the_sums(copied):
    done = subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=copied, check=False)
    assert done.returncode == 0
    assert len((copied / "SHA256SUMS").read_text().splitlines()) == len(list((copied / "fco/lasso_I").iterdir()))


def test_an_edit_that_fails_changes_nothing(copied):
    before = {path: path.read_bytes() for path in copied.rglob("*.*")}
    with pytest.raises(ZeroDivisionError), edited(copied) as copy:
        (copy / "fco/lasso_I/metrics.csv").write_text("half")
        1 / 0  # noqa: B018
    assert {path: path.read_bytes() for path in copied.rglob("*.*")} == before
    assert [path.name for path in copied.parent.iterdir()] == ["published"]


def test_one_edits_at_a_time(copied):
    with edited(copied), pytest.raises(AtlasError, match="another process is publishing in"), edited(copied):
        pass
    check(copied)


def test_what_is_committed_has_the_sums_that_are_committed():
    check(ROOT / "reports" / "published")


def test_an_experiment_that_is_gone(site):
    with pytest.raises(AtlasError, match="holds results of fco/haxby_stand_in, which is no experiment of paper scale"):
        load_published(site / "published", {"paper": {}})


def test_what_was_not_run_here_counts_as_it_is_published_at_its_own_scale_too(site, runs):
    here = read_results(runs, KNOWN, "paper", ["fco/lasso_II"])
    kept = load_published(site / "published", SCALED)
    inputs = SiteInputs(
        site, site, here, claims=[], verdicts=[], published=kept, papers=[], assumptions=[], paper_results=None,
        short_names={},
    )  # fmt: skip
    assert set(inputs.kept.experiments) == {"fco/lasso_I", STAND_IN}
    assert inputs.of("fco/lasso_I") is kept["fco/lasso_I"].results
    assert inputs.kept is inputs.kept  # by which a figure tells its pictures from those of this machine
    assert inputs.of("fco/lasso_II") is here["fco/lasso_II"]


def test_medium_scale_does_not_replace_paper_scale(tmp_path):
    key, out, seen = "dualfl/cifar10_clients", tmp_path / "published", []
    for scale in KEPT_SCALES:
        write_runs(tmp_path / scale, [SCALED[scale][key]])
    for scale in ("paper", "medium"):
        done = main(["publish", "--runs", str(tmp_path / scale), "--out", str(out), "--config", str(ROOT / "config")])
        seen.append((done, load_published(out, SCALED)[key].scale))
    assert seen == [(0, "paper"), (2, "paper")]  # and says that there is nothing to publish


def test_medium_scale_is_shown_as_such(site, tmp_path):
    out = tmp_path / "published"
    shutil.copytree(site / "published", out)
    manifest = out / "fco/lasso_I/manifest.json"
    content = json.loads(manifest.read_text())
    content["experiment"]["scale"] = "medium"
    manifest.write_text(json.dumps(content))
    seal(out)
    one = load_published(out, SCALED)["fco/lasso_I"]
    assert one.scale == "medium"
    quick = SimpleNamespace(scale="quick", results=SimpleNamespace(experiments={"fco/lasso_II": None}))
    assert absence(quick, SCALED["paper"]["fco/lasso_I"]) == "This machine has not run it at quick scale."


def test_pictures_are_drawn_again_from_what_is_kept(site, tmp_path):
    out = tmp_path / "published"
    shutil.copytree(site / "published" / "fco" / "lasso_I", out / "fco" / "lasso_I")
    before = {path.name: path.read_bytes() for path in (out / "fco/lasso_I").glob("*.svg")}
    for name in before.keys() - {"sweep.svg"}:
        (out / "fco/lasso_I" / name).unlink()
    (out / "fco/lasso_I/figure-99.svg").write_text("of a figure that is gone")
    assert main(["seal", "--out", str(out)]) == 0
    assert main(["redraw", "--out", str(out)]) == 0
    check(out)
    after = {path.name: path.read_bytes() for path in (out / "fco/lasso_I").glob("*.svg")}
    assert set(after) == set(before)
    assert after["sweep.svg"] == before["sweep.svg"]  # which shows curves that the tables do not hold
    assert all(abs(len(after[name]) - len(before[name])) < 0.2 * len(before[name]) + 2000 for name in ("figure-3.svg",))


def test_nothing_to_publish(tmp_path, capsys):
    assert main(["publish", "--runs", str(tmp_path), "--out", str(tmp_path / "published")]) == 2
    assert "holds no complete experiment of paper or medium scale: run one first" in capsys.readouterr().err
