"""Pictures show what the stores hold."""

import itertools

import matplotlib as mpl
import nibabel
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from fedatlas.data.label_distances import dirichlet_distances, has_classes, label_counts, total_variation  # noqa: E402
from fedatlas.data.store import Feature, write_store  # noqa: E402
from fedatlas.report.stores import brain as brain_pictures  # noqa: E402
from fedatlas.report.stores import examples as pictures  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def store_of(path, x, y, clients, num_classes=None, **more):
    """A store of arrays x, y dealt to clients of these sizes, in order."""
    ends = np.cumsum(clients)
    parts = zip(np.split(x, ends[:-1]), np.split(y, ends[:-1]), strict=True)
    return write_store(
        path,
        name="made",
        options={},
        seed=0,
        kind="stand-in",
        features=[Feature("x", x.dtype.name, x.shape[1:]), Feature("y", y.dtype.name, ())],
        splits={"train": [(str(i), {"x": a, "y": b}) for i, (a, b) in enumerate(parts)]},
        num_classes=num_classes,
        **more,
    )


@pytest.fixture
def images(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (60, 8, 8), dtype=np.uint8)
    return store_of(tmp_path / "images", x, np.repeat(np.arange(3, dtype=np.int32), 20), [10, 20, 30], num_classes=3)


@pytest.fixture
def brains(tmp_path):
    rng, mask = np.random.default_rng(0), np.zeros((6, 6, 6), np.int16)
    mask[1:5, 1:5, 1:5] = 1
    files = {"mask.nii.gz": mask, "mean.nii.gz": (100.0 * mask).astype(np.float32)}
    for name, array in files.items():
        nibabel.save(nibabel.Nifti1Image(array, np.diag([3, 3, 3, 1])), tmp_path / name)
    y = np.tile(np.arange(2, dtype=np.int32), 10)
    x = rng.normal(size=(20, 64)).astype(np.float32)
    x[y == 0, 7] += 50
    attachments = {name: tmp_path / name for name in files}
    return store_of(tmp_path / "brains", x, y, [10, 10], num_classes=2, attachments=attachments)


def test_samples_are_the_first_images_of_the_clients(images):
    figure = pictures.samples(images, width=3)
    shown = figure.axes[0].images[0].get_array()
    for row in range(3):
        assert np.array_equal(shown[9 * row : 9 * row + 8, :8, 0], images.read("train", row)["x"][0])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["0", "1", "2"]


def test_labels_by_client_are_the_clients_shares(images):
    shown = pictures.labels_by_client(images).axes[0].images[0].get_array()
    assert np.allclose(shown, np.array([[1, 0.5, 0], [0, 0.5, 1 / 3], [0, 0, 2 / 3]]))


def test_sizes_count_every_client(images):
    heights = [patch.get_height() for patch in pictures.sizes(images).axes[0].patches]
    assert sum(heights) == 3


def test_targets_show_every_clients_median(tmp_path):
    y = np.concatenate([np.full(5, 2.0), np.arange(7.0)]).astype(np.float32)
    store = store_of(tmp_path / "targets", np.zeros((12, 1), np.float32), y, [5, 7])
    assert not has_classes(store)
    assert pictures.targets(store).axes[0].lines[0].get_ydata().tolist() == [2, 3]


def test_total_variation_of_known_laws(images):
    assert total_variation(np.array([[10, 0], [0, 10]])).tolist() == [0.5, 0.5]
    assert total_variation(np.array([[3, 1], [6, 2]])).tolist() == [0, 0]
    assert np.array_equal(label_counts(images, "train"), [[10, 0, 0], [10, 10, 0], [0, 10, 20]])


def test_heterogeneity_falls_with_alpha():
    labels, alphas = np.repeat(np.arange(5), 400), np.array([0.05, 1, 100])
    distances = dirichlet_distances(labels, alphas, 20, np.random.default_rng(0))
    assert distances.shape == (3, 20)
    assert distances[0].mean() > 1.5 * distances[1].mean() > 3 * distances[2].mean()
    figure = pictures.heterogeneity({"even": np.ones((4, 3)), "odd": np.eye(4)}, alphas, distances)
    assert [label.get_text() for label in figure.axes[1].get_yticklabels()] == ["even", "odd"]
    assert [line.get_xdata()[0] for line in figure.axes[1].lines[1::2]] == [0, 0.75]


@pytest.mark.parametrize("width", [6.2, 3.5])
def test_long_names_of_stores_leave_room_for_their_axes(width):
    alphas, distances = np.array([0.05, 1, 100]), np.full((3, 20), 0.5)
    named = {
        f"Data whose title is a whole sentence about what its clients mix, dirichlet (alpha {i})": np.eye(4)
        for i in range(9)
    }
    figure = pictures.heterogeneity(named, alphas, distances, width)
    figure.canvas.draw()
    assert all(axes.get_position().width * width > 1 for axes in figure.axes)
    names = [label.get_window_extent() for label in figure.axes[1].get_yticklabels()]
    assert all(above.y0 > below.y1 for above, below in itertools.pairwise(names))


def test_voxels_go_back_to_their_place_in_the_brain(brains):
    from nilearn.maskers import NiftiMasker

    assert brain_pictures.is_brain(brains)
    voxels = np.arange(64.0)
    ours = brain_pictures.as_image(brains, voxels).get_fdata()
    theirs = NiftiMasker(brains.attachments["mask.nii.gz"]).fit().inverse_transform(voxels[None]).get_fdata()
    assert np.array_equal(ours, theirs[..., 0])


def test_brain_pictures_show_slices(brains, images):
    for draw in (brain_pictures.mean_image, brain_pictures.contrast):
        figure = draw(brains)
        figure.canvas.draw()
        ink = np.asarray(figure.canvas.buffer_rgba())[..., :3]
        assert len(np.unique(ink.reshape(-1, 3), axis=0)) > 3
    assert not brain_pictures.is_brain(images)
