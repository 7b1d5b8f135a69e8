"""The client store: what is written is read back, and what is wrong is said in one sentence."""

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedatlas import intact
from fedatlas.data.store import ClientStore, Feature, write_store
from fedatlas.errors import AtlasError

FEATURES = [Feature("x", "uint8", (2, 3)), Feature("y", "int32", ())]


def clients(sizes, seed=0):
    rng = np.random.default_rng(seed)
    for number, size in enumerate(sizes):
        yield (
            f"client {number}",
            {
                "x": rng.integers(0, 256, (size, 2, 3), np.uint8),
                "y": rng.integers(-(2**31), 2**31, size, np.int32),
            },
        )


def write(path, sizes=(3, 1, 5), **more):
    splits = {"train": clients(sizes), "test": clients(sizes[:1], seed=1)}
    facts = {"name": "made", "options": {"a": 1}, "seed": 0, "kind": "stand-in", "num_classes": 7} | more
    return write_store(path, features=FEATURES, splits=splits, **facts)


@settings(max_examples=30, deadline=None)
@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_what_is_written_is_read_back(tmp_path_factory, sizes):
    store = write(tmp_path_factory.mktemp("made") / "store", sizes)
    assert store.sizes("train").tolist() == sizes
    for number, (client, arrays) in enumerate(clients(sizes)):
        assert store.ids("train")[number] == client
        found = store.read("train", number)
        for name in ("x", "y"):
            assert found[name].dtype == arrays[name].dtype
            assert np.array_equal(found[name], arrays[name])


@pytest.mark.parametrize("part", [(1, 4), (3, None), (0, 99), (2, 2)])
def test_a_stretch_of_a_client_is_read_alone(tmp_path, part):
    found, (_, arrays) = write(tmp_path / "store", (5,)).read("train", 0, *part), next(clients((5,)))
    for name in ("x", "y"):
        np.testing.assert_array_equal(found[name], arrays[name][slice(*part)], strict=True)


def test_a_file_is_its_arrays_one_after_another_and_nothing_else(tmp_path):
    store = write(tmp_path / "store")
    (_, arrays) = next(clients((3,)))
    assert (store.path / "train" / "000000.bin").read_bytes() == arrays["x"].tobytes() + arrays["y"].tobytes()


def test_the_same_content_has_the_same_hash_and_another_has_another(tmp_path):
    first, again = (write(tmp_path / name).sha256 for name in ("one", "two"))
    assert first == again
    assert first not in {
        write(tmp_path / "size", sizes=(3, 1, 4)).sha256,
        write(tmp_path / "seed", seed=1).sha256,
        write(tmp_path / "options", options={"a": 2}).sha256,
        write(tmp_path / "truth", truth={"w": np.ones(2)}).sha256,
    }


def test_the_ground_truth_comes_back(tmp_path):
    truth = {"w_real": np.arange(4.0), "b_real": np.float64(0.5)}
    store = write(tmp_path / "store", truth=truth)
    assert store.truth.keys() == truth.keys()
    assert np.array_equal(store.truth["w_real"], truth["w_real"])
    assert write(tmp_path / "without").truth == {}


def test_attachments_are_kept_and_verified(tmp_path):
    mask = tmp_path / "some mask"
    mask.write_bytes(b"voxels")
    store = write(tmp_path / "store", attachments={"mask.nii.gz": mask})
    assert store.attachments["mask.nii.gz"].read_bytes() == b"voxels"
    store.verify()
    store.attachments["mask.nii.gz"].write_bytes(b"boxels")
    with pytest.raises(AtlasError, match=r"mask\.nii\.gz is damaged .its sha256 is not"):
        store.verify()
    assert write(tmp_path / "without").attachments == {}


def test_an_array_of_another_shape_or_dtype_is_refused(tmp_path):
    for wrong in (np.zeros((2, 2, 3), np.float32), np.zeros((2, 3, 2), np.uint8)):
        splits = {"train": [("7", {"x": wrong, "y": np.zeros(2, np.int32)})]}
        with pytest.raises(AtlasError, match=r"client 7: 'x' is .* but the store holds uint8\[2, 3\]"):
            write_store(tmp_path / "store", name="n", options={}, seed=0, kind="real", features=FEATURES, splits=splits)
    assert list(tmp_path.iterdir()) == []


def test_arrays_that_differ_in_their_number_of_examples_are_refused(tmp_path):
    splits = {"train": [("7", {"x": np.zeros((3, 2, 3), np.uint8), "y": np.zeros(2, np.int32)})]}
    with pytest.raises(AtlasError, match=r"client 7: the arrays differ in their number of examples: {'x': 3, 'y': 2}"):
        write_store(tmp_path / "store", name="n", options={}, seed=0, kind="real", features=FEATURES, splits=splits)


def test_nothing_is_left_of_a_store_whose_making_failed(tmp_path):
    def broken():
        yield next(clients((3,)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_store(
            tmp_path / "store", name="n", options={}, seed=0, kind="real", features=FEATURES, splits={"a": broken()}
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda store: (store / "manifest.json").unlink(), "is not a client store"),
        (lambda store: (store / "manifest.json").write_text('{"format": '), "manifest.json is damaged"),
        (lambda store: (store / "train" / "000002.bin").unlink(), "000002.bin is missing"),
        (lambda store: os.truncate(store / "train" / "000002.bin", 7), "000002.bin has 7 bytes instead of 50"),
    ],
)
def test_a_damaged_store_is_not_opened(tmp_path, spoil, words):
    store = write(tmp_path / "store").path
    spoil(store)
    with pytest.raises(AtlasError, match=f"{words}.*: delete the folder and run the same command again"):
        ClientStore.open(store)


def test_a_store_of_another_version_is_not_opened(tmp_path):
    manifest = write(tmp_path / "store").path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": "fedatlas-store/9"}))
    with pytest.raises(AtlasError, match="has the format 'fedatlas-store/9', but this version reads"):
        ClientStore.open(tmp_path / "store")


def flip(path):
    content = bytearray(path.read_bytes())
    content[3] ^= 1
    path.write_bytes(content)


def test_a_flipped_byte_is_found_when_the_store_is_opened(tmp_path):
    store = write(tmp_path / "store")
    flip(store.files("test")[0])
    with pytest.raises(AtlasError, match=r"test/000000.bin is damaged .its sha256 is not that of manifest.json.: del"):
        ClientStore.open(tmp_path / "store")


def test_what_has_not_changed_is_read_once(tmp_path, monkeypatch):
    """Only once it is older than the clock of a file system may be coarse."""
    store, read = write(tmp_path / "store").path, []
    monkeypatch.setattr(intact, "sha256_of", lambda path, of=intact.sha256_of: read.append(path) or of(path))
    ClientStore.open(store)
    assert len(read) == 4 and not (store / intact.REMEMBERED).exists()
    monkeypatch.setattr(intact, "YOUNG", 0)
    ClientStore.open(store)
    ClientStore.open(store)
    assert len(read) == 8
    os.utime(store / "train/000001.bin")
    ClientStore.open(store)
    assert len(read) == 12
    flip(store / "train/000001.bin")
    os.utime(store / "train/000001.bin", (1, 1))
    with pytest.raises(AtlasError, match="train/000001.bin is damaged"):
        ClientStore.open(store)


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.pop("features"),
        lambda manifest: manifest["splits"]["train"]["clients"].reverse(),
        lambda manifest: manifest["splits"]["train"]["clients"][0].update(id="another"),
        lambda manifest: manifest.pop("sha256"),
    ],
)
def test_a_changed_manifest_is_not_opened(tmp_path, change):
    path = write(tmp_path / "store").path / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    with pytest.raises(AtlasError, match="manifest.json is damaged .its content does not have its own sha256.: delete"):
        ClientStore.open(tmp_path / "store")


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), flip, lambda path: path.write_bytes(b"")])
def test_a_damaged_truth_is_told_when_it_is_asked_for(tmp_path, damage):
    store = write(tmp_path / "store", truth={"w": np.ones(2)}).path
    damage(store / "truth.npz")
    with pytest.raises(AtlasError, match=r"truth.npz is damaged or missing: delete the folder"):
        ClientStore.open(store).truth  # noqa: B018


def test_an_unknown_split_is_named(tmp_path):
    with pytest.raises(AtlasError, match="has no split 'validation'; it has: train, test"):
        write(tmp_path / "store").ids("validation")
