"""Fetching against a local server that cuts, lies, is slow or has nothing."""

import hashlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from data.fetching import CHUNK, CONTENT, QUICK, fetched, files_of, one_file, source
from data.serving import serve

from fedatlas.data.download import Downloader
from fedatlas.data.fetch import fetch
from fedatlas.data.raw import Raw
from fedatlas.errors import AtlasError

pytestmark = pytest.mark.usefixtures("no_proxy")


def test_a_file_is_fetched_once(tmp_path):
    with serve({"images.gz": CONTENT}) as served:
        for _ in range(2):
            fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 1
    assert fetched(tmp_path) == CONTENT
    assert files_of(tmp_path) == {"images.gz", "receipt.json"}
    assert Raw.open(tmp_path, "made").kind == "real"


def test_a_cut_connection_is_taken_up_where_it_ended(tmp_path):
    with serve({"images.gz": CONTENT}, cut_after=[16 * CHUNK, 8 * CHUNK + 1]) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
    assert [asked for _, asked in served.gets] == [None, f"bytes={16 * CHUNK}-", f"bytes={24 * CHUNK}-"]
    assert fetched(tmp_path) == CONTENT


def test_a_cut_connection_starts_over_where_the_server_knows_no_ranges(tmp_path):
    with serve({"images.gz": CONTENT}, cut_after=[1_000_000], ranges=False) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 2
    assert fetched(tmp_path) == CONTENT


def test_a_connection_that_is_always_cut_leaves_what_it_brought_to_the_next_call(tmp_path):
    with serve({"images.gz": CONTENT}, cut_after=[CHUNK] * 4) as served:
        made = one_file(f"{served.address}/images.gz")
        with pytest.raises(AtlasError, match=r"images\.gz \(3 MB\) could not be fetched .*cut again and again"):
            fetch("made", made, tmp_path, downloader=QUICK)
        assert files_of(tmp_path) == {"images.gz.part"}
        fetch("made", made, tmp_path, downloader=QUICK)
        assert served.gets[-1][1] == f"bytes={4 * CHUNK}-"
    assert fetched(tmp_path) == CONTENT


def test_a_remainder_of_another_file_is_set_aside_and_all_is_fetched_again(tmp_path, capfd):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "images.gz.part").write_bytes(b"x" * 1000)
    with serve({"images.gz": CONTENT}) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert [asked for _, asked in served.gets] == ["bytes=1000-", None]
    assert fetched(tmp_path) == CONTENT
    assert "does not have the known hash" in capfd.readouterr().err


def test_without_a_known_hash_no_remainder_is_trusted(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "images.gz.part").write_bytes(b"x" * 1000)
    with serve({"images.gz": CONTENT}) as served:
        fetch("made", one_file(f"{served.address}/images.gz", size=None, sha256=None), tmp_path, downloader=QUICK)
    assert fetched(tmp_path) == CONTENT


@pytest.mark.parametrize("page", [b"<!DOCTYPE html>\n<title>Sign in</title>", b"\n  <html lang=en>"])
def test_a_page_is_not_taken_for_a_file_without_a_hash(tmp_path, page):
    with (
        serve({"images.gz": page}) as served,
        pytest.raises(AtlasError, match=r"is a web page, such as a login page, and not the file; it was set aside"),
    ):
        fetch("made", one_file(f"{served.address}/images.gz", size=None, sha256=None), tmp_path, downloader=QUICK)
    assert files_of(tmp_path) == {"images.gz.damaged"}


@pytest.mark.parametrize(("content", "size"), [(b"<html>Sign in</html>", None), (CONTENT[:1000], len(CONTENT))])
def test_what_was_put_there_by_hand_is_checked_too(tmp_path, content, size):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "images.gz").write_bytes(content)
    with serve({"images.gz": CONTENT}) as served:
        fetch("made", one_file(f"{served.address}/images.gz", size=size, sha256=None), tmp_path, downloader=QUICK)
    assert fetched(tmp_path) == CONTENT


def test_a_wrong_checksum_is_named_and_the_file_is_set_aside(tmp_path):
    with serve({"images.gz": CONTENT[:-1] + b"?"}) as served:
        with pytest.raises(
            AtlasError, match=r"does not have the known hash [0-9a-f]{64}; it was set aside as .*damaged"
        ):
            fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 2
    assert files_of(tmp_path) == {"images.gz.damaged"}


def test_a_wrong_size_is_named(tmp_path):
    with (
        serve({"images.gz": CONTENT[:1000]}) as served,
        pytest.raises(AtlasError, match="has 1000 bytes instead of 3000000"),
    ):
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)


def test_the_second_address_is_tried_when_the_first_has_it_not(tmp_path):
    with serve({"good/images.gz": CONTENT, "wrong/images.gz": CONTENT[::-1]}) as served:
        addresses = [f"{served.address}/{place}/images.gz" for place in ("none", "wrong", "good")]
        made = source(only={"images.gz": {"urls": addresses, "sha256": hashlib.sha256(CONTENT).hexdigest()}})
        fetch("made", made, tmp_path, downloader=QUICK)
    assert Raw.open(tmp_path, "made").receipt["files"]["images.gz"]["origin"] == addresses[2]
    assert fetched(tmp_path) == CONTENT


def test_a_missing_file_is_not_asked_for_again_and_again(tmp_path):
    with serve({}) as served:
        with pytest.raises(AtlasError, match=r"/images\.gz: the server says 404 .*HTTPS_PROXY.*FEDATLAS_MIRROR"):
            fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 1


def test_a_server_in_trouble_is_asked_again(tmp_path):
    with serve({"images.gz": CONTENT}, statuses=[503, 500]) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 3
    assert fetched(tmp_path) == CONTENT


def test_a_slow_answer_is_asked_for_again(tmp_path):
    with serve({"images.gz": CONTENT}, silence=[0.6]) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
        assert len(served.gets) == 2
    assert fetched(tmp_path) == CONTENT


def test_a_server_that_never_answers_is_given_up_in_a_sentence(tmp_path):
    with (
        serve({"images.gz": CONTENT}, silence=[0.5] * 9) as served,
        pytest.raises(AtlasError, match=r"images\.gz \(3 MB\) could not be fetched"),
    ):
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=Downloader(2, 0.01, 1, 0.2))


def test_no_network_names_file_size_source_and_both_mends(tmp_path):
    words = (
        r"source 'made': images\.gz \(3 MB\) could not be fetched \(http://127\.0\.0\.1:9/images\.gz: no connection\)"
    )
    with pytest.raises(AtlasError, match=f"{words}: set a proxy .* or name, by FEDATLAS_MIRROR or `mirror:`"):
        fetch("made", one_file("http://127.0.0.1:9/images.gz"), tmp_path, downloader=QUICK)


def test_a_damaged_file_is_named_set_aside_and_fetched_again(tmp_path, capfd):
    with serve({"images.gz": CONTENT}) as served:
        made = one_file(f"{served.address}/images.gz")
        fetch("made", made, tmp_path, downloader=QUICK)
        (tmp_path / "made" / "images.gz").write_bytes(CONTENT[:-1] + b"?")
        fetch("made", made, tmp_path, downloader=QUICK)
    assert "images.gz is damaged; it was set aside as" in capfd.readouterr().err
    assert fetched(tmp_path) == CONTENT
    assert (tmp_path / "made" / "images.gz.damaged").read_bytes()[-1:] == b"?"


def test_a_truncated_file_is_never_opened(tmp_path):
    with serve({"images.gz": CONTENT}) as served:
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
    os.truncate(tmp_path / "made" / "images.gz", 5)
    with pytest.raises(AtlasError, match=r"images\.gz is missing or damaged: run `fedatlas data fetch made"):
        Raw.open(tmp_path, "made")


def test_a_full_disk_gets_one_sentence(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "images.gz.part").symlink_to("/dev/full")  # every write to it fails with ENOSPC
    with (
        serve({"images.gz": CONTENT}) as served,
        pytest.raises(AtlasError, match=r"images\.gz\.part cannot be written: the disk is full: free some space"),
    ):
        fetch("made", one_file(f"{served.address}/images.gz"), tmp_path, downloader=QUICK)
    assert not (tmp_path / "made" / "receipt.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights and take them again")
def test_a_read_only_folder_gets_one_sentence(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "raw").mkdir(mode=0o555)
    with serve({"images.gz": CONTENT}) as served:
        os.seteuid(65534)
        try:
            with pytest.raises(AtlasError, match="raw cannot be written: there is no permission to write here"):
                fetch("made", one_file(f"{served.address}/images.gz"), tmp_path / "raw", downloader=QUICK)
        finally:
            os.seteuid(0)
        assert served.gets == []


def test_two_processes_fetch_a_source_once(tmp_path):
    program = """
        import sys
        from pathlib import Path
        from data.test_fetch import QUICK, one_file
        from fedatlas.data.fetch import fetch
        fetch("made", one_file(sys.argv[1]), Path(sys.argv[2]), downloader=QUICK)
    """
    with serve({"images.gz": CONTENT}, silence=[0.2]) as served:
        command = [sys.executable, "-c", textwrap.dedent(program), f"{served.address}/images.gz", str(tmp_path)]
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
        both = [subprocess.Popen(command, env=os.environ | {"PYTHONPATH": paths}) for _ in range(2)]
        assert [process.wait() for process in both] == [0, 0]
        assert len(served.gets) == 1
    assert fetched(tmp_path) == CONTENT
