"""Maps of the learned weights, of whole brains and of a slice alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import configuration
import nibabel
import numpy as np
import pytest
from made_runs import write_runs

from fedatlas.data import catalogue, standins
from fedatlas.data.store import Feature, write_store
from fedatlas.errors import AtlasError
from fedatlas.experiments.sections import Dataset, Seeds
from fedatlas.intact import sha256_of
from fedatlas.report.drawing import theme
from fedatlas.report.drawing.svg import svg
from fedatlas.report.model.figure import Figure
from fedatlas.report.stores.brain import MASK, as_image
from fedatlas.report.views import _brain_maps, view
from fedatlas.results.collection import read_results

CONFIG = Path(__file__).parents[2] / "config"
KEY = "fco/haxby"
FIGURE = Figure(id="Figure 5", about="a", brain=True)
ALGORITHMS = ("feddualavg", "fedmid", "centralized")
OPTIONS = {
    "categories": ["face", "house"], "train_subjects": [1], "test_subjects": [6], "detrend": False,
    "standardize": True, "stand_in": "tiny",
}  # fmt: skip


def results_on(clients, store, folder):
    """Runs of three algorithms on a store; of its voxels they use the first, the first two and all."""
    known = configuration.known("quick")
    experiment = known[KEY]
    changes = {
        "dataset": Dataset(name="haxby", seed=0, **OPTIONS),
        "seeds": Seeds(sweep=(0,), tuned=()),
        "algorithms": {name: experiment.algorithms[name] for name in ALGORITHMS},
    }
    known = {KEY: experiment.model_copy(update=changes)}
    write_runs(folder, known.values())
    results = read_results(folder, known, "quick", [KEY], clients)[KEY]
    voxels = store.features["x"].shape[0]
    for name, used in zip(ALGORITHMS, (1, 2, voxels), strict=True):
        params = np.append(np.where(np.arange(voxels) < used, -0.5, 0.00001), 9.0)
        run = results.runs[name][0]
        path = run.folder / "model.npz"
        np.savez(path, configuration=0, params=params)
        manifest = run.manifest.model_copy(update={"model_sha256": sha256_of(path)})
        results.runs[name][0] = replace(run, manifest=manifest)
    return results


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of the client stores and the store of a tiny brain, where the runs look for it."""
    folder = tmp_path_factory.mktemp("brain")
    standins.write("haxby-stand-in-tiny", folder / "raw" / "haxby-stand-in-tiny")
    store = folder / "clients" / catalogue.dataset_id("haxby", OPTIONS, 0)
    return folder / "clients", catalogue.build("haxby", OPTIONS, 0, folder / "raw", store)


@pytest.fixture(scope="module")
def slice_alone(tmp_path_factory):
    """The same of 12 voxels in one slice."""
    folder = tmp_path_factory.mktemp("slice")
    affine = np.diag([-3.0, 4.0, 4.0, 1.0])
    for name, values in (("mask", np.ones((4, 3, 1), np.int16)), ("mean", np.full((4, 3, 1), 700, np.float32))):
        nibabel.save(nibabel.Nifti1Image(values, affine), folder / f"{name}.nii.gz")
    client = ("s", {"x": np.zeros((2, 12), np.float32), "y": np.array([0, 1], np.int32)})
    store = write_store(
        folder / "clients" / catalogue.dataset_id("haxby", OPTIONS, 0), name="haxby", options=OPTIONS, seed=0,
        kind="stand-in", features=[Feature("x", "float32", (12,)), Feature("y", "int32", ())],
        splits={"train": [client]}, num_classes=2,
        attachments={f"{name}.nii.gz": folder / f"{name}.nii.gz" for name in ("mask", "mean")},
    )  # fmt: skip
    return folder / "clients", store


def texts(canvas):
    return [text.get_text() for text in canvas.texts]


@pytest.mark.parametrize("ground", theme.THEMES, ids=lambda ground: ground.name)
@pytest.mark.parametrize("kind", ["whole", "slice_alone"])
def test_every_algorithm_is_drawn_and_its_voxels_are_counted(request, tmp_path, kind, ground):
    clients, store = request.getfixturevalue(kind)
    results = results_on(clients, store, tmp_path)
    with theme.style(ground):
        canvas = view("brain").draw(results, FIGURE, ground, 2)
        voxels = store.features["x"].shape[0]
        assert texts(canvas) == [
            "FedDualAvg", f"1 of {voxels} voxels", "FedMiD", f"2 of {voxels} voxels", "centralized",
            f"{voxels} of {voxels} voxels",
        ]  # fmt: skip
        assert not [image for axis in canvas.axes for image in axis.images if image.get_zorder() < -100]
        assert b"<image" in svg(canvas)


def test_the_cuts_go_through_the_strongest_voxel(whole):
    _, store = whole
    voxels = np.argwhere(np.asarray(nibabel.load(store.attachments[MASK]).dataobj))
    weights = np.zeros((2, len(voxels)))
    weights[0, 7], weights[1, 7], weights[1, 3] = -0.1, 5.0, 6.0  # relative to the largest, 1 + 5/6 against 1
    place = _brain_maps._common_place(store, weights)
    affine = as_image(store, weights[0]).affine
    np.testing.assert_allclose(place, affine[:3] @ [*voxels[7], 1])


def test_the_glass_brain_holds_the_mask(whole):
    _, store = whole
    fitted = _brain_maps._fitted(as_image(store, np.ones(store.features["x"].shape[0])), store)
    voxels = np.argwhere(fitted.get_fdata())
    places = voxels @ fitted.affine[:3, :3].T + fitted.affine[:3, 3]
    np.testing.assert_allclose(np.sort([places.min(0), places.max(0)], axis=0).T, _brain_maps.OUTLINE)


def test_a_model_that_is_cut_off(whole, tmp_path):
    clients, store = whole
    results = results_on(clients, store, tmp_path)
    path = results.runs["fedmid"][0].folder / "model.npz"
    path.write_bytes(path.read_bytes()[:50])
    with theme.style(theme.LIGHT), pytest.raises(AtlasError, match="model.npz is missing, cut off or damaged"):
        view("brain").draw(results, FIGURE, theme.LIGHT, 2)
