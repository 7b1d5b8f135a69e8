"""Wrong options of data sets are told before anything is fetched."""

from __future__ import annotations

import pytest

from fedatlas.data import catalogue
from fedatlas.errors import AtlasError

EQUAL = {"name": "equal", "clients": 5}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"partition": {"name": "equal"}, "splits": "none"}, "'partition.clients' is missing"),
        (
            {"partition": {"name": "equl", "clients": 3}, "splits": "none"},
            "'partition.name' is 'equl'; did you mean 'equal'",
        ),
        ({"partition": {"name": "dirichlet", "clients": 3, "alpha": 0}, "splits": "none"}, "alpha' is 0, but"),
        ({"partition": {**EQUAL, "alpha": 1}, "splits": "none"}, r"unknown key 'partition\.alpha'"),
        ({"partition": EQUAL, "splits": "70/30"}, "'splits' is '70/30', but must be one of 'standard'"),
        ({"partition": EQUAL}, "the key 'splits' is missing"),
        ({"partition": EQUAL, "splits": "none", "held_out": 1.5}, "'held_out' is 1.5"),
        ({"partition": EQUAL, "splits": "none", "labelled": 0.5}, "'labelled'.*give 'held_out' too"),
        ({"partition": EQUAL, "splits": "none", "held_out": 0.01}, "'held_out' is 0.01, which of .* is none or all"),
        (
            {"partition": {"name": "dirichlet", "clients": 3, "alpha": 1, "label_groups": 11}, "splits": "none"},
            "'partition.label_groups' is 11, but there are 10 classes",
        ),
        (
            {"partition": {"name": "dirichlet", "clients": 3, "alpha": 1, "minimum": 30000}, "splits": "none"},
            "'partition.clients' is 3 of at least 30000 examples each, but there are 70000 examples",
        ),
        (
            {"partition": {"name": "pathological", "clients": 3, "labels_per_client": 2}, "splits": "none"},
            "'partition.labels_per_client' is 2, but 3 clients with so many cannot hold 10 classes",
        ),
    ],
)
def test_wrong_options_are_one_sentence(options, sentence):
    with pytest.raises(AtlasError, match=sentence):
        catalogue.dataset_id("mnist", options, 0)
