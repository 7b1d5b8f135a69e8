"""What the catalogue says of the files that are fetched: a sha256, or why there is none."""

from __future__ import annotations

from pathlib import Path

from fedatlas.data.sources import load_sources

CATALOGUE = Path(__file__).parents[2] / "data/sources.yaml"
FILES = [
    (f"{source}/{layout}/{name}", file)
    for source, own in load_sources(CATALOGUE).items()
    for layout, form in own.layouts.items()
    for name, file in form.files.items()
]


def test_only_haxbys_archives_and_what_is_taken_out_of_others_have_no_better_hash_than_md5():
    weak = {name.rpartition("/")[0] for name, file in FILES if file.md5 and not file.sha256}
    assert weak == {"haxby/archives", "cifar10/extracted/cifar-10-batches-py", "cifar100/extracted/cifar-100-python"}


def test_what_is_fetched_without_encryption_has_a_hash():
    assert [name for name, file in FILES if not file.hash and any(url.startswith("http:") for url in file.urls)] == []
