"""Every fetched data set, from small files in the originals' formats: nothing lost, doubled or mislabelled."""

import gzip

import made_sources as made
import numpy as np
import pytest

from fedatlas.data import catalogue
from fedatlas.data.datasets.a9a import A9a
from fedatlas.data.formats.cifar import COARSE
from fedatlas.errors import AtlasError

EQUAL = {"name": "equal", "clients": 5}


def _build(tmp_path, name, seed=0, **options):
    return catalogue.build(name, options, seed, tmp_path / "raw", tmp_path / f"store-{seed}")


def _together(store, split):
    read = [store.read(split, client) for client in range(len(store.ids(split)))]
    return {key: np.concatenate([arrays[key] for arrays in read]) for key in read[0]}


def test_standard_splits_deal_training_examples_and_keep_the_test_examples(tmp_path):
    made.mnist(tmp_path / "raw")
    store = _build(tmp_path, "mnist", partition=EQUAL, splits="standard")
    train, test = _together(store, "train"), _together(store, "test")
    assert sorted(made.number_of(train["x"])) == list(range(600))
    assert store.ids("test") == ["test"]
    assert made.number_of(test["x"]).tolist() == list(range(600, 700))
    for arrays in (train, test):
        assert np.array_equal(arrays["y"], made.number_of(arrays["x"]) % 10)
    assert store.kind == "real"
    assert store.num_classes == 10
    assert store.manifest["source"]["licence"] == "l"


def test_other_splits_pool_all_examples_and_cut_each_client(tmp_path):
    made.mnist(tmp_path / "raw")
    store = _build(tmp_path, "mnist", partition=EQUAL, splits="60/20/20")
    assert store.splits == ["train", "validation", "test"]
    assert [store.sizes(split).tolist() for split in store.splits] == [[84] * 5, [28] * 5, [28] * 5]
    numbers = np.concatenate([made.number_of(_together(store, split)["x"]) for split in store.splits])
    assert sorted(numbers) == list(range(700))


def test_held_out_clients_are_whole_and_elsewhere(tmp_path):
    made.mnist(tmp_path / "raw")
    store = _build(tmp_path, "mnist", partition={"name": "equal", "clients": 10}, splits="80/20", held_out=0.2)
    assert {split: len(store.ids(split)) for split in store.splits} == {
        "train": 8, "test": 8, "unseen_train": 2, "unseen_test": 2,
    }  # fmt: skip
    assert store.ids("train") == store.ids("test")
    assert not set(store.ids("train")) & set(store.ids("unseen_train"))
    numbers = np.concatenate([made.number_of(_together(store, split)["x"]) for split in store.splits])
    assert sorted(numbers) == list(range(700))


def test_unseen_clients_have_a_share_of_their_labels(tmp_path):
    made.mnist(tmp_path / "raw")
    options = {"partition": {"name": "equal", "clients": 10}, "splits": "80/20", "held_out": 0.2}
    full, *stores = [
        catalogue.build("mnist", options | extra, 0, tmp_path / "raw", tmp_path / f"store{extra}")
        for extra in ({}, {"labelled": 0.5}, {"labelled": 0.1}, {"labelled": 0.0})
    ]
    assert [store.sizes("unseen_train").tolist() for store in stores] == [[28, 28], [6, 6], [0, 0]]
    for store in stores:
        for split in ("train", "test", "unseen_test"):
            assert np.array_equal(_together(store, split)["x"], _together(full, split)["x"])
    some = [{*made.number_of(_together(store, "unseen_train")["x"]).tolist()} for store in (full, *stores[:2])]
    assert some[2] < some[1] < some[0]
    assert min(some[2]) > min(some[0])  # not the first ones


def test_a_fraction_is_drawn_without_repetition(tmp_path):
    made.mnist(tmp_path / "raw")
    numbers = made.number_of(
        _together(_build(tmp_path, "mnist", partition=EQUAL, splits="none", fraction=0.1), "train")["x"]
    )
    assert len(numbers) == len(set(numbers)) == 70
    assert max(numbers) > 100


def test_the_seed_decides_the_partition(tmp_path):
    made.mnist(tmp_path / "raw")
    options = {"partition": {"name": "dirichlet", "clients": 5, "alpha": 1.0}, "splits": "standard"}
    one, other = _build(tmp_path, "mnist", 0, **options), _build(tmp_path, "mnist", 1, **options)
    again = catalogue.build("mnist", options, 0, tmp_path / "raw", tmp_path / "again")
    assert one.sha256 == again.sha256
    assert one.sizes("train").tolist() != other.sizes("train").tolist()


def test_writers_are_clients_and_test_writers_are_others(tmp_path):
    made.mnist(tmp_path / "raw")
    store = _build(tmp_path, "mnist_writers", partition={"name": "by_group"}, splits="standard")
    assert store.ids("train") == [str(writer) for writer in range(60)]
    assert store.ids("test") == [str(writer) for writer in range(60, 70)]
    for client, writer in enumerate(store.ids("train")):
        assert (made.number_of(store.read("train", client)["x"]) // 10 == int(writer)).all()
    assert "stands in for FEMNIST" in store.manifest["source"]["note"]


def test_writers_of_other_digits_are_refused(tmp_path):
    made.mnist(tmp_path / "raw")
    from fedatlas.data.formats import idx

    idx.write_idx(tmp_path / "raw/qmnist/qmnist-train-labels-idx2-int.gz", np.zeros((600, 8), np.int32))
    with pytest.raises(AtlasError, match="are not MNIST's"):
        _build(tmp_path, "mnist_writers", partition={"name": "by_group"}, splits="standard")


def test_cifar10_keeps_images_with_their_labels(tmp_path):
    made.cifar10(tmp_path / "raw")
    store = _build(tmp_path, "cifar10", partition={"name": "dirichlet", "clients": 4, "alpha": 0.5}, splits="standard")
    train = _together(store, "train")
    assert train["x"].shape == (500, 32, 32, 3)
    assert np.array_equal(train["y"], made.number_of(train["x"]) % 10)
    assert sorted(made.number_of(_together(store, "test")["x"])) == list(range(500, 600))


def test_cifar100_knows_coarse_labels(tmp_path):
    made.cifar100(tmp_path / "raw")
    law = {"name": "pachinko", "clients": 10, "alpha": 0.4, "beta": 10.0}
    store = _build(tmp_path, "cifar100", partition=law, splits="none")
    assert store.sizes("train").tolist() == [200] * 10
    train = _together(store, "train")
    assert sorted(made.number_of(train["x"])) == list(range(2000))
    assert np.array_equal(train["y"], made.number_of(train["x"]) % 100)


def test_a_pachinko_client_of_cifar100_mixes_the_fine_labels_of_a_coarse_one(tmp_path):
    made.cifar100(tmp_path / "raw")
    law = {"name": "pachinko", "clients": 100, "alpha": 0.001, "beta": 100.0}
    first = _build(tmp_path, "cifar100", partition=law, splits="none").read("train", 0)["y"]
    assert len(np.unique(COARSE[first])) == 1
    assert len(np.unique(first)) >= 3


def test_femnist_writers_keep_the_archives_own_splits_and_turn_the_ground_black(tmp_path):
    made.femnist(tmp_path / "raw")
    store = _build(tmp_path, "femnist", classes=62, clients="all", chosen="first", splits="standard")
    assert store.sizes("train").tolist() == list(range(3, 13))
    assert store.sizes("test").tolist() == [2] * 10
    for client in range(10):
        arrays = store.read("train", client)
        assert made.number_of(arrays["x"]).tolist() == list(range(100 * client, 100 * client + client + 3))
        assert (arrays["y"] == client).all()
        assert not arrays["x"][:, 5:].any()


def test_femnist_takes_the_first_writers_or_draws_them(tmp_path):
    made.femnist(tmp_path / "raw")
    options = {"classes": 10, "splits": "60/20/20"}
    first = _build(tmp_path, "femnist", 0, clients=0.45, chosen="first", **options)
    assert first.ids("train") == ["f0000_00", "f0001_00", "f0002_00", "f0003_00"]
    assert sum(first.sizes(split)[3] for split in first.splits) == 8
    drawn = _build(tmp_path, "femnist", 1, clients=4, chosen="random", **options)
    assert len(set(drawn.ids("train"))) == 4
    with pytest.raises(AtlasError, match="'clients' is 11, but the archive has 10 writers"):
        _build(tmp_path, "femnist", 2, clients=11, chosen="first", **options)


def test_emnist_images_are_turned_upright(tmp_path):
    from fedatlas.data.formats import idx

    images = np.zeros((40, 28, 28), np.uint8)
    images[:, 3, :] = 200  # a row in the file, a column upright
    for half in ("train", "test"):
        idx.write_idx(tmp_path / f"raw/emnist/gzip/emnist-byclass-{half}-images-idx3-ubyte.gz", images)
        labels = (np.arange(40) % 62).astype(np.uint8)
        idx.write_idx(tmp_path / f"raw/emnist/gzip/emnist-byclass-{half}-labels-idx1-ubyte.gz", labels)
    made.receipt(tmp_path / "raw/emnist", "emnist", "extracted", [])
    store = _build(tmp_path, "emnist", partition=EQUAL, splits="none")
    x = _together(store, "train")["x"]
    assert (x[:, :, 3] == 200).all()
    assert x.sum() == 80 * 28 * 200


def test_libsvm_sets_in_both_packings(tmp_path, monkeypatch):
    monkeypatch.setattr(A9a, "files", {"a9a": 40, "a9a.t": 40})
    text = "".join(f"{'+1' if k % 4 == 0 else '-1'} {k % 123 + 1}:1\n" for k in range(40)).encode()
    for layout, pack, suffix in (("original", bytes, ""), ("compressed", gzip.compress, ".gz")):
        folder = tmp_path / layout / "raw/a9a"
        folder.mkdir(parents=True)
        for half in ("a9a", "a9a.t"):
            (folder / f"{half}{suffix}").write_bytes(pack(text))
        made.receipt(folder, "a9a", layout, [])
        store = _build(tmp_path / layout, "a9a", partition=EQUAL, splits="standard")
        train = _together(store, "train")
        assert train["y"].sum() == 10
        assert np.array_equal(train["x"].argmax(1) % 4 == 0, train["y"] == 1)


def test_scikit_learns_digits_need_no_files(tmp_path):
    store = _build(tmp_path, "digits", partition={"name": "dirichlet", "clients": 10, "alpha": 0.5}, splits="80/20")
    x = _together(store, "train")["x"]
    assert (x.min(), x.max(), len(np.unique(x))) == (0, 255, 17)
    assert sum(store.sizes(split).sum() for split in store.splits) == 1797
    assert catalogue.needs_raw("digits", {"partition": EQUAL, "splits": "none"}) == []


def test_a_partition_that_the_data_cannot_have_is_one_sentence(tmp_path):
    made.mnist(tmp_path / "raw")
    law = {"name": "pachinko", "clients": 3, "alpha": 1.0, "beta": 1.0}
    with pytest.raises(AtlasError, match="needs coarse labels"):
        _build(tmp_path, "mnist", partition=law, splits="none")
    with pytest.raises(AtlasError, match="needs to know whom examples come from"):
        _build(tmp_path, "mnist", partition={"name": "by_group"}, splits="none")


def test_what_was_not_fetched_is_named_with_the_command(tmp_path):
    with pytest.raises(AtlasError, match=r"raw/mnist is not there: run `fedatlas data fetch mnist"):
        _build(tmp_path, "mnist", partition=EQUAL, splits="none")
    made.mnist(tmp_path / "raw")
    receipt = tmp_path / "raw/mnist/receipt.json"
    whole = receipt.read_bytes()
    receipt.write_bytes(whole[:-9])
    with pytest.raises(AtlasError, match=r"receipt.json is damaged: run `fedatlas data fetch mnist .* writes it"):
        _build(tmp_path, "mnist", partition=EQUAL, splits="none")
    receipt.write_bytes(whole)
    (tmp_path / "raw/mnist/train-images-idx3-ubyte.gz").write_bytes(b"cut")
    with pytest.raises(AtlasError, match=r"train-images-idx3-ubyte\.gz is missing or damaged"):
        _build(tmp_path, "mnist", partition=EQUAL, splits="none")


def test_names_of_stores_are_stable_and_safe():
    options = {"partition": {"clients": 8, "name": "dirichlet", "alpha": 0.3}, "splits": "60/20/20"}
    turned = {"splits": "60/20/20", "partition": {"alpha": 0.3, "name": "dirichlet", "clients": 8}}
    assert catalogue.dataset_id("cifar10", options, 3) == catalogue.dataset_id("cifar10", turned, 3)
    assert (
        catalogue.dataset_id("cifar10", options, 3)
        == "cifar10_partition-dirichlet-alpha-0.3-clients-8_splits-60-20-20_seed-3"
    )


def test_a_stand_in_has_its_own_source_and_store():
    options = {"partition": EQUAL, "splits": "standard"}
    assert catalogue.needs_raw("cifar10", options) == ["cifar10"]
    assert catalogue.needs_raw("cifar10", options | {"stand_in": True}) == ["cifar10-stand-in"]
    assert catalogue.needs_raw("cifar10", options | {"stand_in": "full"}) == ["cifar10-stand-in-full"]
    assert catalogue.needs_raw("mnist_writers", options) == ["mnist", "qmnist"]
    assert catalogue.dataset_id("cifar10", options | {"stand_in": True}, 0) != catalogue.dataset_id(
        "cifar10", options, 0
    )


def test_coordinates_in_the_span_keep_inner_products_and_who_has_what(tmp_path):
    own, span = (
        catalogue.build(
            "digits",
            {"partition": EQUAL, "splits": "80/20", "fraction": 0.0279, "coordinates": coordinates},
            0,
            tmp_path / "raw",
            tmp_path / coordinates,
        )
        for coordinates in ("own", "span")
    )
    pixels, few = _together(own, "train"), _together(span, "train")
    assert few["x"].shape == (40, 50)
    assert np.array_equal(few["y"], pixels["y"])
    x = np.concatenate([_together(own, split)["x"] for split in own.splits]).reshape(50, 64) / 255
    z = np.concatenate([_together(span, split)["x"] for split in span.splits])
    np.testing.assert_allclose(z @ z.T, x @ x.T, atol=1e-12)


def test_test_examples_are_projected_on_the_span_of_the_training_examples(tmp_path):
    made.mnist(tmp_path / "raw")
    options = {"partition": {"name": "equal", "clients": 2}, "splits": "standard", "fraction": 0.02}
    counts = (("train", 12), ("test", 100))
    own = catalogue.build("mnist", options, 0, tmp_path / "raw", tmp_path / "own")
    span = catalogue.build("mnist", options | {"coordinates": "span"}, 0, tmp_path / "raw", tmp_path / "span")
    (x, test), (z, projected) = (
        [_together(store, split)["x"].reshape(count, -1).astype(float) for split, count in counts]
        for store in (own, span)
    )
    np.testing.assert_allclose(projected @ z.T, test @ x.T / 255**2, rtol=1e-12)


@pytest.mark.parametrize("fraction", [0.0279, 0.5])
def test_coordinates_in_the_span_are_along_principal_axes(fraction, tmp_path):
    """Whether there are fewer examples than an image has numbers, or more."""
    options = {"partition": EQUAL, "splits": "none", "fraction": fraction}
    own, span = (
        catalogue.build("digits", options | {"coordinates": coordinates}, 0, tmp_path / "raw", tmp_path / coordinates)
        for coordinates in ("own", "span")
    )
    x, z = (_together(store, "train")["x"] for store in (own, span))
    x = x.reshape(len(x), -1)
    products = z.T @ z
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-9)
    np.testing.assert_allclose(z @ z.T, x / 255 @ (x / 255).T, atol=1e-11)
