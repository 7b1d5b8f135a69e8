"""Bringing a source into its folder: from a mirror that holds one of its layouts, or from where the public has it."""

from __future__ import annotations

import contextlib
import datetime
import sys
from collections.abc import Iterator
from pathlib import Path

import filelock
import pooch
import requests

from fedatlas.data.download import DamagedError, Downloader, answer, decompress, is_web_page, set_aside, unpack
from fedatlas.data.mirror import choose, not_had
from fedatlas.data.raw import Raw, write_receipt
from fedatlas.data.sources import File, Layout, Source
from fedatlas.errors import AtlasError
from fedatlas.files import writing


def fetch(name: str, source: Source, raw: Path, mirror: str | None = None, downloader: Downloader | None = None) -> Raw:
    """Makes sure that the source's files are in `raw`/`name`, whole, and returns the folder opened.

    Files that are there and intact are not fetched again; damaged ones are set aside and fetched anew.

    Raises:
        AtlasError: if a file cannot be had: names the file, its size, where it was looked for, and what to do.
    """
    with _alone(raw, name):
        return _fetch(name, source, raw, mirror, downloader or Downloader())


@contextlib.contextmanager
def _alone(raw: Path, name: str) -> Iterator[None]:
    """Lets one process at a time work on a source; another waits, and then finds the work done."""
    lock = filelock.FileLock(raw / f".{name}.lock")
    with writing(raw):
        raw.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            print(f"{raw / name} is being fetched by another process: waiting for it.", file=sys.stderr)
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _fetch(name: str, source: Source, raw: Path, mirror: str | None, downloader: Downloader) -> Raw:
    here = Raw.look(raw, name)
    if here:
        damaged = here.damaged(hashes=True)
        if not damaged:
            return here
        for damaged_name in damaged:
            _quarantine(here.folder / damaged_name)
    layout_name, places = choose(name, source, mirror, downloader)
    layout, origins = source.layouts[layout_name], []
    for file_name, file in layout.files.items():
        origin = _obtain(name, file_name, file, raw / name, places[file_name], downloader)
        origins += [(kept, origin) for kept in _unpacked(raw / name / file_name, file, file_name)]
    opened = write_receipt(raw / name, _facts(name, source, layout_name, layout), origins)
    _remove_packed(raw / name, layout)  # not before: without a receipt only the archive's hash says what is there
    return opened


def _remove_packed(folder: Path, layout: Layout) -> None:
    """Removes the files of which all that is kept has been taken out."""
    with writing(folder):
        for file_name, file in layout.files.items():
            if file.extract or file.decompress:
                (folder / file_name).unlink()


def _quarantine(path: Path) -> None:
    if path.exists():
        print(f"{path} is damaged; it was set aside as {set_aside(path)} and is fetched again.", file=sys.stderr)


def _facts(name: str, source: Source, layout_name: str, layout: Layout) -> dict[str, str | None]:
    return {
        "source": name,
        "kind": "real",
        "title": source.title,
        "citation": source.citation,
        "licence": source.licence,
        "homepage": source.homepage,
        "note": " ".join(note for note in (source.note, layout.note, layout.unchecked) if note) or None,
        "layout": layout_name,
        "fetched": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _obtain(
    name: str, file_name: str, file: File, folder: Path, places: list[str | Path], downloader: Downloader
) -> str:
    """Fetches one file from the first place that has it whole, unless it is there; returns where it is from."""
    target, problems = folder / file_name, []
    if _is_whole(target, file):
        return "was there before"
    for place in places:
        try:
            _bring(place, target, file, downloader)
            return str(place)
        except DamagedError as error:
            problems.append(str(error))
        except (requests.RequestException, OSError) as error:
            problems.append(f"{place}: {_reason(error)}")
    raise AtlasError(not_had(name, file_name, file, "; ".join(problems)))


def _bring(place: str | Path, target: Path, file: File, downloader: Downloader) -> None:
    """Fetches one file from one place; damaged from the network, it is fetched once more, from the first byte."""
    try:
        downloader.fetch(place, target, file.hash, file.size)
    except DamagedError as error:
        if isinstance(place, Path):
            raise
        print(f"{error}, and is fetched again.", file=sys.stderr)
        downloader.fetch(place, target, file.hash, file.size)


def _is_whole(target: Path, file: File) -> bool:
    """Whether an earlier, interrupted call or a person has brought this file; a damaged one is set aside."""
    if not target.is_file():
        return False
    if _is_another(target, file):
        _quarantine(target)
        return False
    return True


def _is_another(target: Path, file: File) -> bool:
    """Whether a file is not the one that the catalogue knows, as far as it says what that is."""
    if file.size is not None and target.stat().st_size != file.size:
        return True
    return not pooch.hashes.hash_matches(str(target), file.hash) if file.hash else is_web_page(target)


def _unpacked(path: Path, file: File, name: str) -> list[str]:
    """The files that are kept of a fetched one."""
    if file.extract:
        unpack(path, file.extract)
        return [str(Path(name).parent / member) for member in file.extract]
    if file.decompress:
        decompress(path, file.decompress)
        return [str(Path(name).parent / file.decompress)]
    return [name]


def _reason(error: Exception) -> str:
    if isinstance(error, requests.HTTPError):
        return f"the server says {answer(error).status_code} {answer(error).reason}"
    if isinstance(error, requests.Timeout):
        return "the server did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut again and again"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error)
