"""Each format: what is written is read again, the originals' own bytes are read, and damage is one sentence."""

import contextlib
import gzip
import io
import pickle
import sqlite3
import struct

import nibabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from fedatlas.data.formats import cifar, haxby, idx, libsvm, tff_sqlite
from fedatlas.errors import AtlasError


@settings(max_examples=30, deadline=None)
@given(array=arrays.arrays(st.sampled_from(["u1", "i4"]), arrays.array_shapes(max_dims=3, max_side=6)))
def test_idx_files_come_back(tmp_path_factory, array):
    path = tmp_path_factory.mktemp("idx") / "array.gz"
    idx.write_idx(path, array)
    assert np.array_equal(idx.read_idx(path), array)
    assert idx.read_idx(path).dtype.isnative


def test_idx_is_big_endian_as_in_the_original(tmp_path):
    path = tmp_path / "labels.gz"
    path.write_bytes(gzip.compress(b"\0\0\x0c\x02" + struct.pack(">6i", 2, 2, 7, -1, 258, 3)))
    assert idx.read_idx(path).tolist() == [[7, -1], [258, 3]]


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"\0\0\x08"), gzip.compress(b"\0\0\x08\x01\0\0\0\x05ab")]
)
def test_a_damaged_idx_file_is_named(tmp_path, content):
    (tmp_path / "images.gz").write_bytes(content)
    with pytest.raises(AtlasError, match=r"images\.gz is not a whole idx file"):
        idx.read_idx(tmp_path / "images.gz")


def test_cifar_batches_come_back(tmp_path):
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 256, (7, 32, 32, 3), np.uint8), rng.integers(0, 100, 7)
    for fine in (False, True):
        cifar.write_batch(tmp_path / "batch", images, labels, fine)
        again, labels_again = cifar.read_batch(tmp_path / "batch")
        assert np.array_equal(again, images)
        assert np.array_equal(labels_again, labels)


def test_cifar_batches_are_read_as_python_2_wrote_them(tmp_path):
    """The opcodes of the original files: byte strings, and numpy under its old name; red plane first."""
    red = bytes(range(256)) * 12  # the first image's 3072 bytes: plane after plane, row after row
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR(K\x01(K\x01M\x00\x0ctcnumpy\ndtype\n"
        b"(U\x02u1K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbI00\nT" + struct.pack("<i", 3072)
    )
    (tmp_path / "batch").write_bytes(b"\x80\x02}(U\x04data" + array + red + b"tbU\x06labels](K\x06eu.")
    images, labels = cifar.read_batch(tmp_path / "batch")
    assert labels.tolist() == [6]
    assert images[0, 0, :3, 0].tolist() == [0, 1, 2]
    assert images[0, 1, 0].tolist() == [red[32], red[1024 + 32], red[2048 + 32]]


def test_a_batch_cannot_run_anything(tmp_path):
    class Evil:
        def __reduce__(self):
            return (print, ("run",))

    (tmp_path / "batch").write_bytes(pickle.dumps({b"data": Evil(), b"labels": []}))
    with pytest.raises(AtlasError, match="is not a whole CIFAR batch"):
        cifar.read_batch(tmp_path / "batch")


def test_tiles_hold_the_images_row_by_row(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (90, 32, 32, 3), np.uint8)
    packed, lengths, counts = b"", [], []
    for piece in (images[:50], images[50:]):
        rows = -(-len(piece) // 40)
        padded = np.zeros((rows * 40, 32, 32, 3), np.uint8)
        padded[: len(piece)] = piece
        buffer = io.BytesIO()
        tile = padded.reshape(rows, 40, 32, 32, 3).transpose(0, 2, 1, 3, 4).reshape(rows * 32, 1280, 3)
        Image.fromarray(tile).save(buffer, "webp", lossless=True, exact=True)
        packed, lengths, counts = packed + buffer.getvalue(), [*lengths, buffer.tell()], [*counts, len(piece)]
    webp = np.frombuffer(packed, np.uint8)
    np.savez(tmp_path / "t.npz", webp=webp, webp_len=lengths, count=counts, labels=np.arange(90) % 10)
    again, labels = cifar.read_tiles(tmp_path / "t.npz")
    assert np.array_equal(again, images)
    assert labels.tolist() == (np.arange(90) % 10).tolist()


def test_coarse_labels_are_five_fine_ones_each():
    assert np.bincount(cifar.COARSE).tolist() == [5] * 20
    assert cifar.COARSE[[4, 30, 55, 72, 95]].tolist() == [0] * 5  # beaver, dolphin, otter, seal, whale


def test_libsvm_text_is_read(tmp_path):
    (tmp_path / "a").write_text("-1 1:1 3:1 \n+1 2:1 \n")
    features, labels = libsvm.read_labelled(tmp_path / "a", 4, 2)
    assert features.tolist() == [[1, 0, 1, 0], [0, 1, 0, 0]]
    assert labels.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 5:1\n", "is not LIBSVM text of 4 features"),
        ("1 1:0.5\n", "must hold features 1"),
        ("3 1:1\n", "labels -1 and 1"),
        ("1 1:1\n-1 2:1\n", "has 2 examples instead of 1"),
    ],
)
def test_other_libsvm_text_is_refused(tmp_path, text, sentence):
    (tmp_path / "a").write_text(text)
    with pytest.raises(AtlasError, match=sentence):
        libsvm.read_labelled(tmp_path / "a", 4, 1)


@settings(max_examples=50, deadline=None)
@given(
    floats=st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=200),
    integers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
)
def test_example_messages_come_back(floats, integers):
    features = {"pixels": np.array(floats, np.float32), "label": np.array(integers, np.int64)}
    again = tff_sqlite.parse_example(tff_sqlite.serialise_example(features))
    assert again.keys() == features.keys()
    assert all(np.array_equal(again[name], features[name]) for name in features)


def test_archives_of_clients_come_back(tmp_path):
    examples = [{"pixels": np.full(4, k, np.float32), "label": np.array([k])} for k in range(5)]
    tff_sqlite.write_archive(
        tmp_path / "a.sqlite", {"train": {"b": examples[:2], "a": examples[2:]}, "test": {"a": []}}
    )
    assert tff_sqlite.client_ids(tmp_path / "a.sqlite", "train") == ["a", "b"]
    found = list(tff_sqlite.read_examples(tmp_path / "a.sqlite", "train", ["a"]))
    assert [(client, int(example["label"][0])) for client, example in found] == [("a", 2), ("a", 3), ("a", 4)]
    assert not list(tff_sqlite.read_examples(tmp_path / "a.sqlite", "test", ["a", "b"]))
    with pytest.raises(AtlasError, match="no clients in the split 'validation'"):
        tff_sqlite.client_ids(tmp_path / "a.sqlite", "validation")
    (tmp_path / "no.sqlite").write_bytes(b"half a file" * 100)
    with pytest.raises(AtlasError, match=r"no\.sqlite is not an archive of clients"):
        tff_sqlite.client_ids(tmp_path / "no.sqlite", "train")


def test_an_archive_without_an_index_is_read_as_well(tmp_path):
    examples = {f"w{k}": [{"label": np.array([10 * k + i])} for i in range(3)] for k in range(50)}
    tff_sqlite.write_archive(tmp_path / "a.sqlite", {"train": examples})
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite")) as archive, archive:
        archive.execute("DROP INDEX by_client")
    found = list(tff_sqlite.read_examples(tmp_path / "a.sqlite", "train", ["w7", "w49"]))
    assert [int(example["label"][0]) for _, example in found] == [70, 71, 72, 490, 491, 492]


def _scan(folder, volumes=40, shape=(4, 3, 2)):
    """Two sessions of drifting noise; in the second the voxel (0, 0, 0) is high for faces."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(*shape, volumes)) + np.linspace(0, 30, volumes)
    labels = np.array(["rest", "face", "house", "cat"])[np.arange(volumes) % 4]
    sessions = np.arange(volumes) // (volumes // 2)
    data[0, 0, 0, (labels == "face") & (sessions == 1)] += 50
    mask = np.zeros(shape)
    mask[0, 0, 0] = mask[2, 1, 1] = mask[3, 2, 0] = 1
    affine = np.diag([3.0, 3, 3, 1])
    nibabel.save(nibabel.Nifti1Image(data.astype("f4"), affine), folder / "bold.nii.gz")
    nibabel.save(nibabel.Nifti1Image(mask.astype("i2"), affine), folder / "mask.nii.gz")
    lines = [f"{label} {session}" for label, session in zip(labels, sessions, strict=True)]
    (folder / "labels.txt").write_text("\n".join(["labels chunks", *lines]))
    return data, mask


def _sessions(folder, detrend=True, standardize=True, categories=("house", "face")):
    files = (folder / "bold.nii.gz", folder / "labels.txt", folder / "mask.nii.gz")
    return list(haxby.read_sessions(*files, categories, detrend=detrend, standardize=standardize))


def test_sessions_hold_the_voxels_of_the_mask_and_the_categories_in_order(tmp_path):
    data, mask = _scan(tmp_path)
    sessions = _sessions(tmp_path, detrend=False, standardize=False)
    assert [session for session, _, _ in sessions] == [0, 1]
    assert sessions[0][1].dtype == np.float32
    volumes = [1, 2, 5, 6, 9, 10, 13, 14, 17, 18]  # face, house, face, house, ... of the first session
    assert np.allclose(sessions[0][1], data[mask > 0][:, volumes].T, atol=1e-4)
    assert sessions[0][2].tolist() == [1, 0] * 5


def test_every_session_is_detrended_and_standardised_on_its_own(tmp_path):
    _scan(tmp_path)
    everything = _sessions(tmp_path, categories=("rest", "face", "house", "cat"))
    for _, x, _ in everything:
        assert np.allclose(x.mean(0), 0, atol=1e-5)
        assert np.allclose(x.std(0, ddof=1), 1, atol=1e-4)
        assert np.abs(np.polyfit(np.arange(len(x)), x, 1)[0]).max() < 1e-5
    (_, first, y), (_, second, _) = _sessions(tmp_path)
    assert second[y == 1, 0].min() > second[y == 0, 0].max()
    assert not first[y == 1, 0].min() > first[y == 0, 0].max()


def test_scans_that_do_not_fit_are_one_sentence(tmp_path):
    _scan(tmp_path)
    nibabel.save(nibabel.Nifti1Image(np.ones((4, 3, 5), "i2"), np.eye(4)), tmp_path / "mask.nii.gz")
    with pytest.raises(AtlasError, match=r"mask\.nii\.gz has the shape \(4, 3, 5\), but .*another brain's mask"):
        _sessions(tmp_path)
    _scan(tmp_path)
    (tmp_path / "labels.txt").write_text("face 0\nhouse 0\n")
    with pytest.raises(AtlasError, match="40 volumes, but there are labels for 2"):
        _sessions(tmp_path)
    (tmp_path / "labels.txt").write_text("face zero\n")
    with pytest.raises(AtlasError, match=r"labels\.txt must hold a label and the number of a session"):
        _sessions(tmp_path)
    _scan(tmp_path)
    whole = (tmp_path / "bold.nii.gz").read_bytes()
    (tmp_path / "bold.nii.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AtlasError, match=r"bold\.nii\.gz is cut off"):
        _sessions(tmp_path)
