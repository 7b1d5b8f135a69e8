"""Every partitioner: a partition is a partition, seeds reproduce, the minimum is kept; and the laws of each."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedatlas.data.partitioners.by_group import by_group
from fedatlas.data.partitioners.dirichlet import dirichlet, dirichlet_equal
from fedatlas.data.partitioners.equal import equal
from fedatlas.data.partitioners.held_out import held_out
from fedatlas.data.partitioners.pachinko import pachinko
from fedatlas.data.partitioners.pathological import pathological
from fedatlas.data.partitioners.splits import splits
from fedatlas.errors import AtlasError

# name -> (partition of labels over clients, does it use every example?)
PARTITIONERS = {
    "dirichlet": (lambda y, rng, n: dirichlet(y, rng, num_clients=n, alpha=1.0), True),
    "dirichlet by groups": (lambda y, rng, n: dirichlet(y, rng, num_clients=n, alpha=1.0, label_groups=2), True),
    "dirichlet, equal sizes": (lambda y, rng, n: dirichlet_equal(y, rng, num_clients=n, alpha=0.1), True),
    "pachinko": (lambda y, rng, n: pachinko(y, rng, coarse=y // 2, num_clients=n, alpha=0.4, beta=10), False),
    "pathological": (lambda y, rng, n: pathological(y, rng, num_clients=n, labels_per_client=3), True),
    "by group": (lambda y, rng, n: by_group(y, rng), True),
    "equal": (lambda y, rng, n: equal(y, rng, num_clients=n), True),
    "equal, in order": (lambda y, rng, n: equal(y, rng, num_clients=n, shuffle=False), True),
}
MANY = settings(max_examples=40, deadline=None)


@st.composite
def labels(draw):
    """Labels of 4 to 6 classes, each with at least 20 examples, in random order."""
    counts = draw(st.lists(st.integers(20, 90), min_size=4, max_size=6))
    return np.random.default_rng(draw(st.integers(0, 99))).permutation(np.repeat(np.arange(len(counts)), counts))


@pytest.mark.parametrize("name", PARTITIONERS)
@MANY
@given(y=labels(), clients=st.integers(2, 8), seed=st.integers(0, 2**31))
def test_a_partition_is_a_partition(name, y, clients, seed):
    partition, covers = PARTITIONERS[name]
    parts = partition(y, np.random.default_rng(seed), clients)
    together = np.concatenate(parts)
    assert len(np.unique(together)) == len(together)
    assert together.min() >= 0
    assert together.max() < len(y)
    assert all(len(part) and (np.diff(part) > 0).all() for part in parts)
    if covers:
        assert len(together) == len(y)


@pytest.mark.parametrize("name", PARTITIONERS)
@MANY
@given(y=labels(), seed=st.integers(0, 2**31))
def test_the_generator_alone_decides(name, y, seed):
    partition, _ = PARTITIONERS[name]
    first, again = (partition(y, np.random.default_rng(seed), 4) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("name", sorted(set(PARTITIONERS) - {"by group", "equal, in order"}))
def test_another_seed_is_another_partition(name):
    y = np.repeat(np.arange(6), 50)
    one, two = (np.concatenate(PARTITIONERS[name][0](y, np.random.default_rng(seed), 5)) for seed in (0, 1))
    assert not np.array_equal(one, two)


@MANY
@given(seed=st.integers(0, 2**31), minimum=st.integers(1, 15), groups=st.sampled_from([None, 3]))
def test_dirichlet_keeps_the_minimum(seed, minimum, groups):
    y = np.repeat(np.arange(10), 100)
    parts = dirichlet(
        y, np.random.default_rng(seed), num_clients=8, alpha=0.5, label_groups=groups, minimum=minimum, attempts=2000
    )
    assert min(map(len, parts)) >= minimum


def test_dirichlet_gives_up_with_one_sentence():
    with pytest.raises(AtlasError, match=r"in each of 5 draws \(at best \d+\): take fewer clients"):
        dirichlet(np.zeros(60, int), np.random.default_rng(0), num_clients=20, alpha=0.01, minimum=3, attempts=5)


def test_dirichlet_counts_have_the_moments_of_the_dirichlet_multinomial():
    """Count of a class of n at a client: mean n/N, variance n p (1-p) (n+A)/(1+A) with p = 1/N, A = N alpha."""
    n, clients, alpha = 200, 5, 0.4
    y = np.repeat(np.arange(20), n)
    counts = np.array(
        [
            [np.bincount(y[part], minlength=20) for part in dirichlet(y, rng, num_clients=clients, alpha=alpha)]
            for rng in map(np.random.default_rng, range(150))
        ]
    )
    p, total = 1 / clients, clients * alpha
    variance = n * p * (1 - p) * (n + total) / (1 + total)
    error = math.sqrt(variance / (150 * 20))  # of a client's mean over independent classes
    assert counts.mean((0, 2)) == pytest.approx([n * p] * clients, abs=4 * error)
    # 3000 independent classes: the sample variance has a standard error of about 2 %
    assert counts.var() == pytest.approx(variance, rel=0.08)


def test_dirichlet_of_groups_shares_one_proportion_within_a_group():
    """Classes of one group have nearly the same proportions at a client; a wrong grouping would differ wildly."""
    y = np.repeat(np.arange(10), 3000)
    parts = dirichlet(y, np.random.default_rng(3), num_clients=10, alpha=0.4, label_groups=3)
    shares = np.array([np.bincount(y[part], minlength=10) for part in parts]) / 3000
    patterns = {tuple(np.flatnonzero(np.abs(shares - shares[:, [c]]).max(0) < 0.05)) for c in range(10)}
    assert sorted(len(pattern) for pattern in patterns) == [3, 3, 4]


def test_equal_dirichlet_has_equal_sizes_and_dirichlet_proportions():
    """E sum_c p_c^2 = (alpha + 1) / (classes alpha + 1) for Dirichlet(alpha), nearly: classes run out."""
    classes, alpha = 10, 0.5
    y = np.repeat(np.arange(classes), 16000)
    parts = dirichlet_equal(y, np.random.default_rng(0), num_clients=400, alpha=alpha)
    assert {len(part) for part in parts} == {400}
    shares = np.array([np.bincount(y[part], minlength=classes) for part in parts]) / 400
    assert (shares**2).sum(1).mean() == pytest.approx((alpha + 1) / (classes * alpha + 1), rel=0.15)


def test_two_examples_of_a_pachinko_client_agree_as_two_dirichlet_levels_say():
    """P(same coarse) = E sum theta_c^2 = (alpha + 1) / (C alpha + 1), and likewise one level below (first client)."""
    coarse_labels, per_coarse, size, alpha, beta = 4, 3, 60, 0.4, 10.0
    fine = np.repeat(np.arange(coarse_labels * per_coarse), size)
    options = {"num_clients": len(fine) // size, "alpha": alpha, "beta": beta, "coarse": fine // per_coarse}
    pairs = []
    for rng in map(np.random.default_rng, range(1500)):
        parts = pachinko(fine, rng, **options)
        assert {len(part) for part in parts} == {size}
        pairs.append(fine[rng.choice(parts[0], 2, replace=False)])
    one, other = np.array(pairs).T
    coarse_law = (alpha + 1) / (coarse_labels * alpha + 1)
    fine_law = coarse_law * (beta + 1) / (per_coarse * beta + 1)
    assert np.mean(one // per_coarse == other // per_coarse) == pytest.approx(coarse_law, abs=0.04)
    assert np.mean(one == other) == pytest.approx(fine_law, abs=0.04)


def test_pathological_clients_have_at_most_k_labels_and_equal_sizes():
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(10), 500))
    parts = pathological(y, np.random.default_rng(1), num_clients=50, labels_per_client=2)
    assert max(len(np.unique(y[part])) for part in parts) == 2
    assert {len(part) for part in parts} == {100}


def test_pathological_shards_are_cut_from_the_sorted_labels_whatever_a_class_holds():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1], [900, 100]))
    parts = pathological(y, np.random.default_rng(1), num_clients=10, labels_per_client=1)
    assert sorted(int(np.unique(y[part]).item()) for part in parts) == [0] * 9 + [1]


def test_by_group_keeps_every_example_of_an_id_together():
    ids = np.array(["b", "a", "b", "c", "a", "b"])
    assert [list(part) for part in by_group(ids, np.random.default_rng(0))] == [[1, 4], [0, 2, 5], [3]]
    assert [list(part) for part in by_group(ids, np.random.default_rng(0), minimum=2)] == [[1, 4], [0, 2, 5]]
    with pytest.raises(AtlasError, match="3 clients are wanted, but 2 ids have at least 2 examples"):
        by_group(ids, np.random.default_rng(0), minimum=2, num_clients=3)


def test_by_group_draws_the_ids_that_are_wanted():
    ids = np.repeat(np.arange(40), 3)
    drawn = {seed: {ids[part[0]] for part in by_group(ids, np.random.default_rng(seed), num_clients=5)}
             for seed in range(20)}  # fmt: skip
    assert {len(chosen) for chosen in drawn.values()} == {5} and len({*map(frozenset, drawn.values())}) > 10
    assert max(map(max, drawn.values())) > 30


def test_equal_in_order_keeps_neighbours():
    parts = equal(np.zeros(7), np.random.default_rng(0), num_clients=3, shuffle=False)
    assert [list(part) for part in parts] == [[0, 1, 2], [3, 4], [5, 6]]


@MANY
@given(sizes=st.lists(st.integers(3, 60), min_size=1, max_size=6), seed=st.integers(0, 999), shuffle=st.booleans())
def test_splits_cut_every_client_by_the_fractions(sizes, seed, shuffle):
    partition = np.split(np.arange(sum(sizes)) * 2, np.cumsum(sizes)[:-1])
    cut = splits(partition, np.random.default_rng(seed), shuffle=shuffle)
    for client, indices in enumerate(partition):
        pieces = [cut[name][client] for name in ("train", "validation", "test")]
        assert np.array_equal(np.sort(np.concatenate(pieces)), indices)
        for piece, fraction in zip(pieces, (0.6, 0.2, 0.2), strict=True):
            assert len(piece) >= 1
            assert abs(len(piece) - fraction * len(indices)) < 1 or len(piece) == 1
        if not shuffle:
            assert np.array_equal(np.concatenate(pieces), indices)


def test_splits_refuse_what_cannot_be():
    with pytest.raises(AtlasError, match="client 1 has 2 examples, too few for 3 splits"):
        splits([np.arange(5), np.arange(2)], np.random.default_rng(0))
    with pytest.raises(AtlasError, match="sum 1"):
        splits([np.arange(5)], np.random.default_rng(0), fractions={"train": 0.5, "test": 0.4})


@MANY
@given(clients=st.integers(5, 400), seed=st.integers(0, 999))
def test_a_fifth_of_the_clients_is_held_out(clients, seed):
    seen, unseen = held_out(clients, np.random.default_rng(seed))
    assert np.array_equal(np.sort(np.concatenate([seen, unseen])), np.arange(clients))
    assert abs(len(unseen) - clients / 5) <= 0.5


def test_the_seed_draws_who_is_held_out():
    drawn = {tuple(held_out(40, np.random.default_rng(seed))[1]) for seed in range(20)}
    assert len(drawn) == 20 and max(map(max, drawn)) > 30


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda y, r: equal(y, r, num_clients=99), "30 examples are too few for 99 clients"),
        (lambda y, r: dirichlet(y, r, num_clients=3, alpha=1, label_groups=9), "label_groups is 9, but there are 3"),
        (lambda y, r: pachinko(y, r, coarse=np.arange(30), num_clients=3, alpha=1, beta=1), "must have one"),
        (lambda y, r: pathological(y, r, num_clients=2, labels_per_client=1), "cannot hold 3 classes"),
        (lambda y, r: held_out(2, r), "leaves one side without a client"),
    ],
)
def test_impossible_wishes_are_one_sentence(make, sentence):
    with pytest.raises(AtlasError, match=sentence):
        make(np.repeat(np.arange(3), 10), np.random.default_rng(0))
