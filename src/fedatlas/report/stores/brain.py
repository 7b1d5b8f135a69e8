"""Pictures of stores whose examples are the voxels in a mask."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

from fedatlas.data.store import ClientStore
from fedatlas.garbage import little_to_search

MASK, MEAN = "mask.nii.gz", "mean.nii.gz"
SLICES = 5


def is_brain(store: ClientStore) -> bool:
    """Whether the store keeps the mask that its voxels come from."""
    return MASK in store.attachments


def mean_image(store: ClientStore, width: float = 7.2) -> plt.Figure:
    """The mean scan, with the outline of the mask."""
    from nilearn import plotting

    view = _view(store)
    figure = _row(view, width)
    with nilearn_at_work():
        display = plotting.plot_anat(
            str(store.attachments[MEAN]), figure=figure, draw_cross=False, annotate=False, dim=0, **view
        )
        display.add_contours(str(store.attachments[MASK]), levels=[0.5], colors=["#e8a33d"], linewidths=1)
    return figure


def contrast(store: ClientStore, width: float = 7.2) -> plt.Figure:
    """The mean of class 0 less the mean of class 1, voxel by voxel, over the mean scan."""
    from nilearn import plotting

    arrays = [store.read("train", client) for client in range(len(store.ids("train")))]
    x, y = (np.concatenate([a[key] for a in arrays]) for key in "xy")
    difference = as_image(store, x[y == 0].mean(0) - x[y == 1].mean(0))
    view = _view(store)
    figure = _row(view, width)
    with nilearn_at_work():
        plotting.plot_stat_map(
            difference,
            bg_img=str(store.attachments.get(MEAN, store.attachments[MASK])),
            figure=figure,
            annotate=False,
            draw_cross=False,
            threshold=float(np.quantile(np.abs(difference.get_fdata()[difference.get_fdata() != 0]), 0.95)),
            **view,
        )
    return figure


@contextlib.contextmanager
def nilearn_at_work() -> Iterator[None]:
    """Keeps it from warning of images with few voxels, and from looking through all of memory for garbage each time."""
    with little_to_search(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def as_image(store: ClientStore, voxels: np.ndarray):
    """Values of the voxels in the mask, [num_voxels], as an image of the brain (a nibabel Nifti1Image)."""
    import nibabel

    mask = nibabel.load(store.attachments[MASK])
    volume = np.zeros(mask.shape)
    volume[np.asarray(mask.dataobj) != 0] = voxels
    return nibabel.Nifti1Image(volume, mask.affine)


def _row(view: dict, width: float) -> plt.Figure:
    number = len(view["cut_coords"])
    return plt.figure(figsize=(width, min(width / number, 3) * 1.25))


def _view(store: ClientStore) -> dict:
    """Axial slices spread over the mask, on the ground of the style."""
    import nibabel

    mask = nibabel.load(store.attachments[MASK])
    height = np.argwhere(np.asarray(mask.dataobj).any((0, 1)))[:, 0]
    number = min(SLICES, len(height))
    chosen = height[((np.arange(number) + 0.5) * len(height) / number).astype(int)]
    places = [float((mask.affine @ [0, 0, k, 1])[2]) for k in chosen]
    dark = sum(to_rgb(mpl.rcParams["text.color"])) > 1.5
    return {"display_mode": "z", "cut_coords": places, "black_bg": dark, "colorbar": False}
