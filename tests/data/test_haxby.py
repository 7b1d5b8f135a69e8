"""The brain scans of Haxby et al., from small files in the original's formats."""

import made_sources as made
import nibabel
import numpy as np
import pytest
from nilearn.maskers import NiftiMasker

from fedatlas.data import catalogue
from fedatlas.errors import AtlasError


def build(tmp_path, name, seed=0, **options):
    return catalogue.build(name, options, seed, tmp_path / "raw", tmp_path / f"store-{seed}")


def _haxby(raw, source, subjects=(1, 2)):
    rng, mask = np.random.default_rng(0), np.zeros((3, 2, 2), "i2")
    mask[1] = 1
    for subject in subjects:
        folder = raw / source / f"subj{subject}"
        folder.mkdir(parents=True)
        nibabel.save(
            nibabel.Nifti1Image(rng.normal(size=(3, 2, 2, 48)).astype("f4"), np.eye(4)), folder / "bold.nii.gz"
        )
        lines = [f"{('rest', 'face', 'house')[k % 3]} {k // 12}" for k in range(48)]
        (folder / "labels.txt").write_text("\n".join(["labels chunks", *lines]))
    nibabel.save(nibabel.Nifti1Image(mask, np.eye(4)), raw / source / "mask.nii.gz")
    made.receipt(raw / source, source, "nilearn" if source == "haxby-subject1" else "extracted", [])


SCANS = {"categories": ["face", "house"], "detrend": True, "standardize": True}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"train_subjects": [1, 2], "test_subjects": [2, 3]},
            "subject 2 is of 'train_subjects' and of 'test_subjects'",
        ),
        ({"train_subjects": [1, 1], "test_subjects": [2]}, "'train_subjects'.*1 is listed twice"),
        (
            {"train_subjects": [1], "test_subjects": [2], "categories": ["face", "face"]},
            "'categories'.*'face' is listed twice",
        ),
    ],
)
def test_nothing_is_trained_on_and_tested_or_there_twice(options, sentence):
    with pytest.raises(AtlasError, match=sentence):
        catalogue.dataset_id("haxby", {"train_subjects": [1], "test_subjects": [2], **SCANS, **options}, 0)


def test_haxbys_sessions_are_clients_and_the_mask_is_kept(tmp_path):
    _haxby(tmp_path / "raw", "haxby")
    store = build(tmp_path, "haxby", train_subjects=[1], test_subjects=[2], **SCANS)
    assert store.ids("train") == [f"subject1-session{session}" for session in range(4)]
    assert store.ids("test") == [f"subject2-session{session}" for session in range(4)]
    assert store.sizes("train").tolist() == [8] * 4
    assert store.features["x"].shape == (4,)
    kept = nibabel.load(store.attachments["mask.nii.gz"])
    assert np.array_equal(kept.get_fdata(), nibabel.load(tmp_path / "raw/haxby/mask.nii.gz").get_fdata())
    scans = nibabel.load(tmp_path / "raw/haxby/subj1/bold.nii.gz").get_fdata()
    assert np.allclose(nibabel.load(store.attachments["mean.nii.gz"]).get_fdata(), scans.mean(-1), atol=1e-5)


def test_weights_can_be_drawn_on_the_brain(tmp_path):
    _haxby(tmp_path / "raw", "haxby")
    options = SCANS | {"detrend": False, "standardize": False}
    store = build(tmp_path, "haxby", train_subjects=[1], test_subjects=[2], **options)
    first = store.read("train", 0)["x"][0]
    image = NiftiMasker(store.attachments["mask.nii.gz"]).fit().inverse_transform(first).get_fdata()
    volume = nibabel.load(tmp_path / "raw/haxby/subj1/bold.nii.gz").get_fdata()[..., 1]
    assert np.allclose(image[1], volume[1], atol=1e-5)
    assert not image[0].any()


def test_haxbys_subject_1_keeps_its_last_sessions_for_testing(tmp_path):
    _haxby(tmp_path / "raw", "haxby-subject1", (1,))
    store = build(tmp_path, "haxby_subject1", test_sessions=1, **SCANS)
    assert (store.ids("train"), store.ids("test")) == (["session0", "session1", "session2"], ["session3"])
    with pytest.raises(AtlasError, match="'test_sessions' is 4, but there are 4 sessions"):
        build(tmp_path, "haxby_subject1", 1, test_sessions=4, **SCANS)
