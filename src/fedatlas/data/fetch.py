"""Bringing a source into its folder: from a mirror that holds one of its layouts, or from where the public has it."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pooch
import requests

from fedatlas.data.download import DamagedError, Downloader, decompress, set_aside, unpack
from fedatlas.data.raw import Raw, write_receipt
from fedatlas.data.sources import File, Layout, Source
from fedatlas.errors import AtlasError

MIRROR = "FEDATLAS_MIRROR"


def mirror_setting(configured: str | None = None) -> str | None:
    """The mirror to use: the environment's FEDATLAS_MIRROR, else the configured one; a folder or an http address."""
    return os.environ.get(MIRROR) or configured or None


def fetch(name: str, source: Source, raw: Path, mirror: str | None = None, downloader: Downloader | None = None) -> Raw:
    """Makes sure that the source's files are in `raw`/`name`, whole, and returns the folder opened.

    Files that are there and intact are not fetched again; damaged ones are set aside and fetched anew.

    Raises:
        AtlasError: if a file cannot be had: names the file, its size, where it was looked for, and what to do.
    """
    here = Raw.look(raw, name)
    damaged = here.damaged(hashes=True) if here else []
    if here and not damaged:
        return here
    for file in damaged:
        _quarantine(here.folder / file)
    downloader = downloader or Downloader()
    layout_name, places = _choose(name, source, mirror, downloader)
    layout, origins = source.layouts[layout_name], []
    for file_name, file in layout.files.items():
        origin = _obtain(name, file_name, file, raw / name, places[file_name], downloader)
        origins += [(kept, origin) for kept in _unpacked(raw / name / file_name, file, file_name)]
    return write_receipt(raw / name, _facts(name, source, layout_name, layout), origins)


def _quarantine(path: Path) -> None:
    if path.exists():
        print(f"{path} is damaged; it was set aside as {set_aside(path)} and is fetched again.", file=sys.stderr)


def _facts(name: str, source: Source, layout_name: str, layout: Layout) -> dict[str, str | None]:
    return {
        "format": "fedatlas-raw/1",
        "source": name,
        "kind": "real",
        "title": source.title,
        "citation": source.citation,
        "licence": source.licence,
        "homepage": source.homepage,
        "note": " ".join(note for note in (source.note, layout.note) if note) or None,
        "layout": layout_name,
        "fetched": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _choose(
    name: str, source: Source, mirror: str | None, downloader: Downloader
) -> tuple[str, dict[str, list[str | Path]]]:
    """The first layout that the mirror holds whole, else the first that is public; and the places of each file."""
    if mirror:
        for layout_name, layout in source.layouts.items():
            found = {file: _on_mirror(name, layout, file, mirror, downloader) for file in layout.files}
            if all(found.values()):
                return layout_name, {file: [found[file], *layout.files[file].urls] for file in layout.files}
    for layout_name, layout in source.layouts.items():
        if all(file.urls for file in layout.files.values()):
            return layout_name, {file: list(entry.urls) for file, entry in layout.files.items()}
    raise AtlasError(_sentence(name, *next(iter(next(iter(source.layouts.values())).files.items())), mirror))


def _on_mirror(name: str, layout: Layout, file: str, mirror: str, downloader: Downloader) -> str | Path | None:
    """Where the mirror holds a file, if it does."""
    for place in _candidates(name, layout, file):
        if mirror.startswith(("http://", "https://")):
            if downloader.exists(f"{mirror.rstrip('/')}/{place}"):
                return f"{mirror.rstrip('/')}/{place}"
        elif (Path(mirror).expanduser() / place).is_file():
            return Path(mirror).expanduser() / place
    return None


def _candidates(name: str, layout: Layout, file: str) -> Iterator[str]:
    for folder in dict.fromkeys((name, *layout.folders, "")):
        yield f"{folder}/{file}" if folder else file


def _obtain(
    name: str, file_name: str, file: File, folder: Path, places: list[str | Path], downloader: Downloader
) -> str:
    """Fetches one file from the first place that has it whole; returns the place."""
    target, problems = folder / file_name, []
    if _is_out(target, file) or _is_whole(target, file):
        return str(places[0])
    for place in places:
        try:
            downloader.fetch(place, target, file.hash, file.size)
            return str(place)
        except DamagedError as error:
            problems.append(str(error))
        except (requests.RequestException, OSError) as error:
            problems.append(f"{place}: {_reason(error)}")
    raise AtlasError(_sentence(name, file_name, file, None, problems))


def _is_out(target: Path, file: File) -> bool:
    """Whether an earlier, interrupted call has already brought this file, or unpacked it."""
    kept = [target.parent / member for member in file.extract] or (
        [target.parent / file.decompress] if file.decompress else []
    )
    return bool(kept) and not target.exists() and all(path.is_file() for path in kept)


def _is_whole(target: Path, file: File) -> bool:
    """Whether an earlier, interrupted call has brought this file; a damaged one is set aside."""
    if not target.is_file():
        return False
    if file.hash and not pooch.hashes.hash_matches(str(target), file.hash):
        _quarantine(target)
        return False
    return True


def _unpacked(path: Path, file: File, name: str) -> list[str]:
    """The files that are kept of a fetched one."""
    if file.extract:
        if path.exists():
            unpack(path, file.extract)
        return [str(Path(name).parent / member) for member in file.extract]
    if file.decompress:
        if path.exists():
            decompress(path, file.decompress)
        return [str(Path(name).parent / file.decompress)]
    return [name]


def _reason(error: Exception) -> str:
    if isinstance(error, requests.HTTPError):
        return f"the server says {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.Timeout):
        return "the server did not answer in time"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut again and again"
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return str(error)


def _sentence(name: str, file_name: str, file: File, mirror: str | None, problems: list[str] | None = None) -> str:
    looked = (
        f"the mirror {mirror} does not hold it, and it has no public address" if mirror else "it has no public address"
    )
    tried = "; ".join(problems) if problems else looked
    return (
        f"source '{name}': {file_name} ({file.words}) could not be fetched ({tried}): set a proxy (HTTPS_PROXY, "
        f"HTTP_PROXY) if your network needs one, or name a folder or an http address that holds the file with "
        f"{MIRROR} or `mirror:` in the configuration (data/README.md lists the layouts that are understood)."
    )
