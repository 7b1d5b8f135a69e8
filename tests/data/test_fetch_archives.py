"""What becomes of a fetched file that is packed."""

import io
import lzma
import stat
import tarfile
import zipfile

import pytest
from data.fetching import CHUNK, CONTENT, QUICK, files_of, source
from data.serving import serve

from fedatlas.data.download import unpack
from fedatlas.data.fetch import fetch
from fedatlas.errors import AtlasError

pytestmark = pytest.mark.usefixtures("no_proxy")


def archive(kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as file:
            file.writestr("inner/one", b"1" * 1000)
            file.writestr("inner/other", b"2")
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as file:
            for name, content in (("inner/one", b"1" * 1000), ("inner/other", b"2")):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                file.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_members_are_taken_out_of_an_archive(tmp_path, kind):
    with serve({"archive": archive(kind)}) as served:
        entry = {"urls": [f"{served.address}/archive"], "extract": ["inner/one"]}
        raw = fetch("made", source(only={f"packed.{kind}": entry}), tmp_path, downloader=QUICK)
    assert list(raw.receipt["files"]) == ["inner/one"]
    assert raw.path("inner/one").read_bytes() == b"1" * 1000
    assert files_of(tmp_path) == {"inner", "receipt.json"}


def test_members_that_nobody_has_vouched_for_are_taken_out_again(tmp_path):
    """Without a receipt nothing says that they are those of the archive."""
    (tmp_path / "made/inner").mkdir(parents=True)
    (tmp_path / "made/inner/one").write_bytes(b"something else")
    with serve({"archive": archive("zip")}) as served:
        entry = {"urls": [f"{served.address}/archive"], "extract": ["inner/one"]}
        raw = fetch("made", source(only={"packed.zip": entry}), tmp_path, downloader=QUICK)
    assert raw.path("inner/one").read_bytes() == b"1" * 1000
    assert raw.receipt["files"]["inner/one"]["origin"] == f"{served.address}/archive"


def test_an_archive_that_is_there_is_not_fetched(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made/packed.zip").write_bytes(archive("zip"))
    entry = {"urls": ["http://127.0.0.1:9/archive"], "extract": ["inner/one"]}
    raw = fetch("made", source(only={"packed.zip": entry}), tmp_path, downloader=QUICK)
    assert raw.receipt["files"]["inner/one"]["origin"] == "was there before"
    assert files_of(tmp_path) == {"inner", "receipt.json"}


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("zip", archive("zip")[:-30], "packed.zip is damaged .* it was set aside as .*: run the same"),
        ("tar.gz", archive("tar.gz")[:60], "packed.tar.gz is damaged .* it was set aside as .*: run the same"),
        ("tar.gz", b"<html>Please log in</html>", "packed.tar.gz .* is a web page.* it was set aside as "),
        ("zip", b"<html>Please log in</html>", "packed.zip .* is a web page.* it was set aside as "),
    ],
)
def test_an_archive_that_cannot_be_read_is_set_aside(tmp_path, kind, content, said):
    with serve({"archive": content}) as served:
        made = source(only={f"packed.{kind}": {"urls": [f"{served.address}/archive"], "extract": ["inner/one"]}})
        with pytest.raises(AtlasError, match=said):
            fetch("made", made, tmp_path, downloader=QUICK)
        assert not (tmp_path / "made" / "receipt.json").exists()
        served.files["archive"] = archive(kind)
        raw = fetch("made", made, tmp_path, downloader=QUICK)
    assert raw.path("inner/one").read_bytes() == b"1" * 1000


def test_a_link_in_an_archive_leads_nowhere(tmp_path):
    """What a member's own folder is a link to stays as it is, and a member that is a link is none."""
    outside, buffer = tmp_path / "outside", io.BytesIO()
    outside.mkdir()
    with tarfile.open(fileobj=buffer, mode="w:gz") as file:
        for name, target in (("inner", str(outside)), ("other/one", str(outside / "one"))):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            file.addfile(link)
        entry = tarfile.TarInfo("inner/one")
        entry.size = 4
        file.addfile(entry, io.BytesIO(b"evil"))
    (tmp_path / "made").mkdir()
    (tmp_path / "made/packed.tar.gz").write_bytes(buffer.getvalue())
    unpack(tmp_path / "made/packed.tar.gz", ("inner/one",))
    assert (tmp_path / "made/inner/one").read_bytes() == b"evil"
    assert not (tmp_path / "made/inner").is_symlink() and not any(outside.iterdir())
    (tmp_path / "made/packed.tar.gz").write_bytes(buffer.getvalue())
    with pytest.raises(AtlasError, match="is damaged .it has no file other/one"):
        unpack(tmp_path / "made/packed.tar.gz", ("other/one",))


def test_a_link_in_a_zip_archive_is_no_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as file:
        link = zipfile.ZipInfo("one")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "/etc/passwd")
    with pytest.raises(AtlasError, match="is damaged .it has no file one"):
        unpack(tmp_path / "packed.zip", ("one",))


def test_a_compressed_file_is_decompressed(tmp_path):
    with serve({"db.lzma": lzma.compress(CONTENT[:CHUNK], format=lzma.FORMAT_ALONE)}) as served:
        made = source(only={"db.lzma": {"urls": [f"{served.address}/db.lzma"], "decompress": "db"}})
        raw = fetch("made", made, tmp_path, downloader=QUICK)
    assert raw.path("db").read_bytes() == CONTENT[:CHUNK]
    assert files_of(tmp_path) == {"db", "receipt.json"}
