"""Runs of fMRI with labels, in the folder layout of nilearn's `fetch_haxby`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from fedatlas.errors import AtlasError
from fedatlas.files import writing
from fedatlas.garbage import little_to_search

REPETITION_TIME = 2.5  # seconds from one volume to the next


def read_labels(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """What was seen and the session, of every volume, [num_volumes] each; with or without nilearn's header line.

    Raises:
        AtlasError: if a line is not `<label> <session>`.
    """
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = rows[1:] if rows and rows[0] == ["labels", "chunks"] else rows
    if not rows or any(len(row) != 2 or not row[1].isdigit() for row in rows):
        raise AtlasError(f"{path} must hold a label and the number of a session in each line.")
    return np.array([row[0] for row in rows]), np.array([int(row[1]) for row in rows])


def read_sessions(
    bold: Path, labels: Path, mask: Path, categories: Sequence[str], *, detrend: bool, standardize: bool
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Each session with volumes of the categories: its number, voxels [num_volumes, num_voxels] and category numbers.

    Every session's signals are detrended and standardised over all its volumes, as nilearn's NiftiMasker does it.
    Sessions without any volume of the categories are left out.

    Raises:
        AtlasError: if the files do not fit together.
    """
    seen, sessions = read_labels(labels)
    signals = _masked(bold, mask, sessions, detrend, standardize)
    for session in np.unique(sessions):
        chosen = (sessions == session) & np.isin(seen, categories)
        if chosen.any():
            yield int(session), signals[chosen], np.array([categories.index(label) for label in seen[chosen]], np.int32)


def _masked(bold: Path, mask: Path, sessions: np.ndarray, detrend: bool, standardize: bool) -> np.ndarray:
    """The signals in the mask, float32 [num_volumes, num_voxels]."""
    import nibabel
    from nilearn.maskers import NiftiMasker

    try:
        images, region = nibabel.load(bold), nibabel.load(mask)
        shapes = images.shape[:3], region.shape[:3]
    except (OSError, EOFError, nibabel.filebasedimages.ImageFileError) as error:
        raise AtlasError(f"{bold} or {mask} is not a whole NIfTI image: fetch the source again.") from error
    if shapes[0] != shapes[1]:
        raise AtlasError(f"{mask} has the shape {shapes[1]}, but {bold} has {shapes[0]}: it is another brain's mask.")
    if images.shape[3] != len(sessions):
        raise AtlasError(f"{bold} has {images.shape[3]} volumes, but there are labels for {len(sessions)}.")
    masker = NiftiMasker(  # left to keep the scans' own integers: as floats, a subject needs a gigabyte more
        mask_img=region,
        runs=sessions,
        detrend=detrend,
        standardize="zscore_sample" if standardize else False,
        t_r=REPETITION_TIME,
    )
    try:
        with little_to_search():
            return masker.fit().transform(images).astype(np.float32, copy=False)
    except (OSError, EOFError) as error:
        raise AtlasError(f"{bold} is cut off: fetch the source again.") from error


def save_mean(bold: Path, path: Path) -> Path:
    """Writes the mean of a run's volumes, float32, to `path`, and returns it.

    Raises:
        AtlasError: if the run is cut off, or the disk is full.
    """
    import nibabel

    try:
        images = nibabel.load(bold)
        mean = np.asarray(images.dataobj).mean(-1, dtype=np.float64).astype(np.float32)
    except (OSError, EOFError, nibabel.filebasedimages.ImageFileError) as error:
        raise AtlasError(f"{bold} is cut off: fetch the source again.") from error
    with writing(path):
        nibabel.save(nibabel.Nifti1Image(mean, images.affine), path)
    return path


def count_voxels(mask: Path) -> int:
    """The number of voxels in a mask."""
    import nibabel

    return int(np.count_nonzero(np.asarray(nibabel.load(mask).dataobj)))
