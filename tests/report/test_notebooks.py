"""The notebooks: committed without outputs, and running from the stored metrics alone."""

import json
import os
import shutil
from pathlib import Path
from unittest import mock

import nbformat
import papermill
import pytest
from html_page import Page
from traitlets.config import Config
from warm_owner import warm_owner

from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.report.drawing import vega
from fedatlas.report.notebook import Atlas
from fedatlas.report.pages.notebook import write_notebook
from fedatlas.results.published import read_verdicts

ROOT = Path(__file__).parents[2]
OURS = ["fco.ipynb", "fedpd.ipynb", "fedem.ipynb", "feddua.ipynb", "dualfl.ipynb", "explore.ipynb", "figures.ipynb"]


@pytest.fixture
def project(runs, monkeypatch):
    """A folder that looks like the project, with everything run at quick scale."""
    folder = runs.parents[1]
    if not (folder / "config").exists():
        (folder / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def kernels():
    """Settings for kernels that are forked from one process: what a notebook imports takes each five seconds."""
    default = {"JUPYTER_DEFAULT_PROVISIONER_NAME": "fedatlas-warm"}
    preload = str(ROOT / "workflow/warm/pages.py")
    with warm_owner() as variables, mock.patch.dict(os.environ, variables | default):
        yield Config({"KernelManager": {"transport": "ipc"}, "WarmProvisioner": {"preload": preload}})


@pytest.mark.parametrize("name", OURS)
def test_a_notebook_is_committed_thin_and_without_outputs(name):
    cells = [c for c in nbformat.read(ROOT / "notebooks" / name, as_version=4).cells if c.cell_type == "code"]
    assert len(cells) <= 15
    for cell in cells:
        assert len(cell.source.splitlines()) <= 4
        assert not cell.outputs
        assert cell.execution_count is None
        assert "def " not in cell.source


@pytest.mark.parametrize("name", OURS)
def test_a_notebook_runs_and_its_page_needs_no_network(project, kernels, name):
    """With a few experiments, as the pages draw all of them; the others are said not to have been run."""
    paper = "fco" if name == "figures.ipynb" else name.removesuffix(".ipynb")
    few = [key for key in Atlas("quick").experiments.index if key.startswith(f"{paper}/")][:3]
    done = papermill.execute_notebook(
        ROOT / "notebooks" / name,
        project / name,
        {"scale": "quick"} | ({"experiments": few} if few else {}),
        kernel_name="python3",
        progress_bar=False,
        config=kernels,
    )
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum(output.output_type == "execute_result" for output in outputs) >= 4
    write_text(project / "pages/assets/vega.js", vega.bundle())
    write_notebook(project / name, project / "pages", "page.html", "A page", {})
    page = Page(project / "pages" / "page.html")
    assert page.from_network == []
    assert page.images
    assert all(len(image["alt"]) > 20 for image in page.images)


def test_the_atlas_compares_against_any_axis(project):
    atlas = Atlas("quick")
    for axis in ("rounds", "bytes", "gradients", "seconds"):
        rows = atlas.compare("f1", "model", list(atlas.experiments.index), against=axis).data
        assert rows["x"].max() > 0
        assert set(rows["experiment"]) == set(atlas.experiments.index)
    best = atlas.best("fco/lasso_I").loc["fco/lasso_I"]
    assert best.loc["FedDualAvg", "paper"] == "(0.01, 1)"
    assert set(atlas.verdicts("fco")["status"]) >= {"not run at this scale"}
    assert {"client_lr", "server_lr", "algorithm", "seed"} <= set(atlas.metrics("fco/lasso_I"))


def test_the_atlas_shows_a_figure_by_its_name_or_by_its_experiment(project):
    atlas = Atlas("quick", ["fco/haxby", "fco/lasso_I"])
    assert atlas.figure("fco/Figure 3").data == atlas.figure("fco/lasso_I").data
    assert "data: simulated stand-in" in atlas.figure("fco/Figure 1").data
    assert atlas.figure("fco/Figure 1", "fco/Figure 2", "fco/Figure 12").data.count("<img") == 3
    with pytest.raises(AtlasError, match="fco has no 'Figure 99'"):
        atlas.figure("fco/Figure 99")


def test_the_atlas_says_what_there_is_not(project):
    atlas = Atlas("paper", ["fco/lasso_I"])
    for name in ("fco/Figure 9", "fco/lasso_II"):
        assert "Nothing of it has been run at paper scale." in atlas.figure(name).data
    assert "No sweep of it has been run." in atlas.sweep("fco/Figure 9").data
    assert "No model of voxels is on this disk." in atlas.brain("fco/Figure 5").data
    assert atlas.best("fco/Figure 9").empty
    for wrong in ("fcx/Figure 9", "fco"):
        with pytest.raises(AtlasError, match=f"there is no figure or experiment '{wrong}'; "):
            atlas.figure(wrong)


def test_the_atlas_knows_the_readings_of_an_experiment(monkeypatch):
    monkeypatch.chdir(ROOT)
    atlas = Atlas("published", ["fco/lasso_I", "fco/lasso_I_zero", "fco/lasso_II_zero", "fco/theorem_4_2"])
    assert atlas.with_readings("fco/lasso_I") == ["fco/lasso_I", "fco/lasso_I_zero"]
    assert atlas.with_readings("fco/lasso_III") == ["fco/lasso_III"]  # which is not loaded, as `compare` says


def test_the_atlas_loads_what_is_complete(project):
    assert list(Atlas("paper").experiments.index) == ["fco/haxby_stand_in", "fco/lasso_I", "fco/lasso_II"]


def test_the_atlas_opens_what_is_published(project, monkeypatch):
    monkeypatch.chdir(ROOT / "notebooks")
    atlas = Atlas("published", ["fco/theorem_4_2", "fedpd/mnist_writers"])
    assert set(atlas.experiments.index) == {"fco/theorem_4_2", "fedpd/mnist_writers"}
    ends = atlas.ends("fedpd/mnist_writers")
    assert {"fedavg", "fedprox"} <= set(ends.index.get_level_values("algorithm")) and ends.notna().any(axis=None)
    assert set(atlas.compare(keys=["fco/theorem_4_2"]).data["experiment"]) == {"fco/theorem_4_2"}
    verdicts = read_verdicts(ROOT / "reports/published/fco/theorem_4_2/claims.json")
    assert list(atlas.verdicts("fco")["status"]) == [verdict["status"] for verdict in verdicts]
    with pytest.raises(
        AtlasError, match="fco/lasso_V is not among the results 'published'; did you mean 'fco/lasso_IV"
    ):
        Atlas("published", ["fco/lasso_V"])
    with pytest.raises(AtlasError, match="'large' is no scale; there are: quick, medium, paper, published, by-hand"):
        Atlas("large")


def test_the_atlas_opens_what_was_run_by_hand(project, runs):
    one = next(runs.rglob("quick/fco/lasso_I/feddualavg/seed0"))
    own = project / "data/runs/by-hand/quick/fco/lasso_I/feddualavg/seed0"
    shutil.copytree(one, own)
    try:
        atlas = Atlas("by-hand")
        assert [*atlas.experiments.index] == ["fco/lasso_I"]
        assert set(atlas.ends("fco/lasso_I").index.get_level_values("algorithm")) == {"feddualavg"}
        assert "<img" in atlas.sweep("fco/lasso_I").data
        assert "quick scale" in atlas.figure("fco/lasso_I").data
        verdicts = atlas.verdicts("fco")
        assert set(verdicts[verdicts["experiment"] == "fco/lasso_I"]["status"]) == {"not run at this scale"}
        changed = json.loads((own / "run.json").read_text())
        changed["spec"]["training"]["cohort"] = 3
        changed.pop("sha256")
        (own / "run.json").write_text(json.dumps(changed))
        with pytest.warns(UserWarning, match="has other settings than fco/lasso_I: left out"):
            assert Atlas("by-hand").experiments.empty
    finally:
        shutil.rmtree(project / "data/runs/by-hand")


def test_the_atlas_says_that_nothing_was_run(project, capsys):
    atlas = Atlas("medium")
    assert "Nothing has been run at medium scale yet. Atlas('published') opens" in capsys.readouterr().out
    assert "has not been run here; loaded: nothing" in atlas.compare("f1", keys=["fco/lasso_I"]).data
    assert atlas.metrics("fco/lasso_I").empty and atlas.ends("fco/lasso_I").empty
    assert "fco/lasso_I has not been run here" in capsys.readouterr().out
    assert Atlas("by-hand").experiments.empty


def test_the_atlas_outside_the_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AtlasError, match="is not inside the atlas"):
        Atlas("quick")


def test_a_file_that_is_no_notebook(tmp_path):
    (tmp_path / "broken.ipynb").write_text("{")
    with pytest.raises(AtlasError, match="broken.ipynb is not a notebook"):
        write_notebook(tmp_path / "broken.ipynb", tmp_path, "page.html", "A page", {})
