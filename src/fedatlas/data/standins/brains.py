"""Brains with a planted sparse pattern, in the files of Haxby 2001 as nilearn lays them out.

    mask.nii.gz, planted.nii.gz, subj1/bold.nii.gz, subj1/labels.txt, ... subj6/...

Six subjects of 12 runs of 121 scans; run 9 of subject 5 has no labels, as in the real data, so that subjects 1 to 5
have 59 sessions and subject 6 has 12. `planted.nii.gz` is the true pattern: the response to faces less that to houses,
in units of the noise.
"""

from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
from scipy.ndimage import gaussian_filter

NOTE = "Simulated brain scans in which a sparse pattern of voxels answers to the categories; not measured on anybody."
SHAPE, VOXELS = (40, 64, 64), 39912  # of the real data
SIZES = {"tiny": {"shape": (8, 10, 10)}, "quick": {"shape": (16, 24, 24)}, "full": {"shape": SHAPE}}
EXTENT = np.array([140.0, 240.0, 240.0])  # millimetres
CATEGORIES = ("face", "house", "cat", "bottle", "scissors", "shoe", "chair", "scrambledpix")
SUBJECTS, RUNS, BLOCK, TR = 6, 12, 9, 2.5
RESTS = (6, 6, 5, 5, 5, 6, 5, 5, 6)  # scans before, between and after the blocks of a run
UNLABELLED = (4, 8)  # subject 5, run 9
ACTIVE = 0.015  # of the voxels answer to the categories
RESPONSE = np.array([0.1, 0.4, 0.3, 0.2])  # of the blood, scan by scan, to a stimulus of one scan
NOISE = 12.0


def write(folder: Path, rng: np.random.Generator, shape: tuple[int, int, int]) -> None:
    """Writes the files of all subjects; `shape` is that of a scan, of which the real share of voxels is brain."""
    mask = _brain(shape)
    patterns = _patterns(mask, rng)
    anatomy = 700 + 200 * _smooth(rng.normal(size=shape), mask) + 250 * mask * gaussian_filter(mask.astype(float), 1)
    affine = _affine(shape)
    _save(folder / "mask.nii.gz", mask.astype(np.int16), affine)
    planted = np.zeros(shape, np.float32)
    planted[mask] = patterns[0] - patterns[1]
    _save(folder / "planted.nii.gz", planted, affine)
    for subject in range(SUBJECTS):
        names = [_run(rng, labelled=(subject, run) != UNLABELLED) for run in range(RUNS)]
        scans = np.concatenate([_scans(run, patterns, anatomy[mask], rng) for run in names])
        bold = np.zeros((*shape, len(scans)), np.int16)
        bold[mask] = scans.T
        _save(folder / f"subj{subject + 1}" / "bold.nii.gz", bold, affine)
        lines = ["labels chunks", *(f"{name} {run}" for run, labels in enumerate(names) for name in labels)]
        (folder / f"subj{subject + 1}" / "labels.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _brain(shape: tuple[int, int, int]) -> np.ndarray:
    """The innermost voxels of an ellipsoid, as many as the real mask's share; bool of `shape`."""
    centre, spread = (np.array(shape) - 1) / 2, np.array(shape) / 2
    radius = sum(((axis - c) / s) ** 2 for axis, c, s in zip(np.indices(shape), centre, spread, strict=True))
    voxels = round(VOXELS / np.prod(SHAPE) * np.prod(shape))
    mask = np.zeros(np.prod(shape), bool)
    mask[np.argsort(radius.ravel(), kind="stable")[:voxels]] = True
    return mask.reshape(shape)


def _smooth(noise: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Blobs of unit deviation inside the mask."""
    blobs = gaussian_filter(noise, np.array(mask.shape) / 16)
    return blobs / blobs[mask].std() * mask


def _patterns(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The response of every voxel to every category in units of the noise, [num_categories, num_voxels]; sparse blobs.

    Voxels answer in the lower back half of the brain, as the ventral temporal cortex does.
    """
    place = np.indices(mask.shape)[:, mask]
    ventral = (place[1] < mask.shape[1] / 2) & (place[2] < mask.shape[2] / 2)
    blobs = np.where(ventral, _smooth(rng.normal(size=mask.shape), mask)[mask], -np.inf)
    active = np.argsort(blobs)[-max(8, round(ACTIVE * mask.sum())) :]
    patterns = np.zeros((len(CATEGORIES), mask.sum()))
    patterns[:, active] = rng.uniform(0.3, 0.9, (len(CATEGORIES), len(active)))
    patterns[:, active] *= rng.choice([-1, 1], (len(CATEGORIES), len(active)))
    return patterns


def _run(rng: np.random.Generator, labelled: bool) -> list[str]:
    """The label of every scan of a run: blocks of the categories in random order, with rests around them."""
    blocks = [CATEGORIES[number] if labelled else "rest" for number in rng.permutation(len(CATEGORIES))]
    labels = ["rest"] * RESTS[0]
    for block, rest in zip(blocks, RESTS[1:], strict=True):
        labels += [block] * BLOCK + ["rest"] * rest
    return labels


def _scans(labels: list[str], patterns: np.ndarray, anatomy: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Intensities of a run, int16 [num_scans, num_voxels]: anatomy, a drift, the delayed responses, and noise."""
    shown = np.array([[label == category for category in CATEGORIES] for label in labels], float)
    felt = np.stack([np.convolve(column, RESPONSE)[: len(labels)] for column in shown.T], axis=1)
    time = np.linspace(-1, 1, len(labels))[:, None]
    signal = rng.lognormal(0, 0.2) * felt @ patterns  # a session's strength of its own
    noise = rng.standard_normal((len(labels), len(anatomy)), np.float32)
    drift = time * rng.normal(0, 1.5, len(anatomy))
    return (anatomy + NOISE * (signal + drift + noise)).astype(np.int16)


def _affine(shape: tuple[int, int, int]) -> np.ndarray:
    """Voxels to millimetres, the centre at the origin and x from right to left."""
    zooms = EXTENT / shape * np.array([-1, 1, 1])
    affine = np.diag([*zooms, 1.0])
    affine[:3, 3] = -zooms * (np.array(shape) - 1) / 2
    return affine


def _save(path: Path, array: np.ndarray, affine: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = nibabel.Nifti1Image(array, affine)
    image.header.set_xyzt_units("mm", "sec")
    if array.ndim == 4:
        image.header.set_zooms((*image.header.get_zooms()[:3], TR))
    nibabel.save(image, path)
