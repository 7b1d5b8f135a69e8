"""Fetching from mirrors."""

import pytest
from data.fetching import CONTENT, QUICK, fetched, one_file, source
from data.serving import serve

from fedatlas.data.fetch import fetch
from fedatlas.data.mirror import mirror_setting
from fedatlas.errors import AtlasError

pytestmark = pytest.mark.usefixtures("no_proxy")


@pytest.mark.parametrize("place", ["made/images.gz", "elsewhere/images.gz", "images.gz"])
def test_a_mirror_is_a_folder_or_an_address(tmp_path, place):
    mirror = tmp_path / "mirror"
    (mirror / place).parent.mkdir(parents=True, exist_ok=True)
    (mirror / place).write_bytes(CONTENT)
    fetch("made", one_file(), tmp_path / "one", str(mirror), QUICK)
    with serve({place: CONTENT}) as served:
        fetch("made", one_file(), tmp_path / "two", served.address, QUICK)
    assert fetched(tmp_path / "one") == fetched(tmp_path / "two") == CONTENT


def test_a_layout_without_its_first_file_is_not_asked_for_the_others(tmp_path):
    made = source(whole={"a": {}, "b": {}, "c": {}}, other={"d": {}})
    with serve({"d": CONTENT}) as served:
        assert fetch("made", made, tmp_path, served.address, QUICK).layout == "other"
    assert {path.rpartition("/")[2] for _, path, _ in served.requests} == {"a", "d"}


def test_the_mirror_decides_the_layout(tmp_path):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "b").write_bytes(b"second")
    made = source(first={"a": {"urls": ["http://127.0.0.1:9/a"]}}, second={"b": {}})
    assert fetch("made", made, tmp_path, str(tmp_path / "mirror"), QUICK).layout == "second"


def test_of_two_layouts_one_of_the_known_sizes_is_chosen(tmp_path):
    """A file of the same name may be another source's."""
    (tmp_path / "mirror/made").mkdir(parents=True)
    (tmp_path / "mirror/made/a").write_bytes(b"of another source")
    (tmp_path / "mirror/made/b").write_bytes(b"second")
    layouts = {"first": {"a": {"size": 5}}, "second": {"b": {"size": 6}}}
    assert fetch("made", source(**layouts), tmp_path / "raw", str(tmp_path / "mirror"), QUICK).layout == "second"
    (tmp_path / "mirror/a").write_bytes(b"first")
    assert fetch("made", source(**layouts), tmp_path / "other", str(tmp_path / "mirror"), QUICK).layout == "first"


def test_a_damaged_mirror_gives_way_to_the_public_address(tmp_path):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "images.gz").write_bytes(CONTENT[:-1])
    with serve({"images.gz": CONTENT}) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, str(tmp_path / "mirror"), QUICK)
    assert fetched(tmp_path) == CONTENT


def test_a_mirror_that_is_no_folder_is_said_so(tmp_path):
    with pytest.raises(AtlasError, match="is '/no/such/mirror', but no such folder exists"):
        fetch("made", one_file(), tmp_path, "/no/such/mirror", QUICK)


def test_a_mirror_without_the_file_leads_to_the_mends(tmp_path):
    with pytest.raises(AtlasError, match=r"images\.gz \(3 MB\) could not be fetched \(it has no public address\)"):
        fetch("made", one_file(), tmp_path, str(tmp_path), QUICK)


def test_the_environment_overrules_the_configured_mirror(monkeypatch):
    assert mirror_setting() is None
    assert mirror_setting("configured") == "configured"
    monkeypatch.setenv("FEDATLAS_MIRROR", "mine")
    assert mirror_setting("configured") == "mine"
