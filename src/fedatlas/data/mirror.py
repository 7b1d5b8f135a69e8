"""Where a source's files can be had: the layouts of a mirror, and the public addresses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from fedatlas.data.download import Downloader
from fedatlas.data.sources import File, Layout, Source
from fedatlas.errors import AtlasError

MIRROR = "FEDATLAS_MIRROR"
HTTP = ("http://", "https://")


def mirror_setting(configured: str | None = None) -> str | None:
    """The mirror to use: the environment's FEDATLAS_MIRROR, else the configured one; a folder or an http address."""
    return os.environ.get(MIRROR) or configured or None


def choose(
    name: str, source: Source, mirror: str | None, downloader: Downloader
) -> tuple[str, dict[str, list[str | Path]]]:
    """The first layout that the mirror holds whole, else the first that is public; and the places of each file.

    Of two layouts that the mirror holds, one goes first whose files have the sizes that are known.

    Raises:
        AtlasError: if the mirror is a folder that does not exist, or no layout can be had.
    """
    if mirror:
        if not mirror.startswith(HTTP) and not Path(mirror).expanduser().is_dir():
            raise AtlasError(f"the mirror (--mirror, {MIRROR} or `mirror:`) is '{mirror}', but no such folder exists.")
        doubtful = None
        for layout_name, held in _held(name, source, mirror, downloader):
            files = source.layouts[layout_name].files
            places = {file: [place, *files[file].urls] for file, place in held.items()}
            if all(_fits(place, files[file]) for file, place in held.items()):
                return layout_name, places
            doubtful = doubtful or (layout_name, places)
        if doubtful:
            return doubtful
        print(f"the mirror {mirror} holds no layout of '{name}' as a whole; trying its public home.", file=sys.stderr)
    for layout_name, layout in source.layouts.items():
        if all(file.urls for file in layout.files.values()):
            return layout_name, {file: list(entry.urls) for file, entry in layout.files.items()}
    file_name, file = next(iter(next(iter(source.layouts.values())).files.items()))
    raise AtlasError(not_had(name, file_name, file, "it has no public address"))


def _held(
    name: str, source: Source, mirror: str, downloader: Downloader
) -> Iterator[tuple[str, dict[str, str | Path]]]:
    """The layouts of which the mirror holds every file, and where."""
    for layout_name, layout in source.layouts.items():
        held: dict[str, str | Path] = {}
        for file in layout.files:
            place = _on_mirror(name, layout, file, mirror, downloader)
            if place is None:  # the others need not be asked for
                break
            held[file] = place
        else:
            yield layout_name, held


def _on_mirror(name: str, layout: Layout, file: str, mirror: str, downloader: Downloader) -> str | Path | None:
    """Where the mirror holds a file, if it does; a folder's file of the size that is known before any other."""
    candidates = _candidates(name, layout, file)
    if mirror.startswith(HTTP):
        addresses = (f"{mirror.rstrip('/')}/{place}" for place in candidates)
        return next((address for address in addresses if downloader.exists(address)), None)
    held = [path for path in (Path(mirror).expanduser() / place for place in candidates) if path.is_file()]
    return next((path for path in held if _fits(path, layout.files[file])), held[0] if held else None)


def _fits(place: str | Path, file: File) -> bool:
    """Whether it has the size that is known of the file, as far as one can tell without fetching it."""
    return isinstance(place, str) or file.size is None or place.stat().st_size == file.size


def _candidates(name: str, layout: Layout, file: str) -> Iterator[str]:
    for folder in dict.fromkeys((name, *layout.folders, "")):
        yield f"{folder}/{file}" if folder else file


def not_had(name: str, file_name: str, file: File, why: str) -> str:
    """The sentence for a file that cannot be had, with the two mends."""
    return (
        f"source '{name}': {file_name} ({file.words}) could not be fetched ({why}): set a proxy (HTTPS_PROXY, "
        f"HTTP_PROXY) if your network needs one, or name, by {MIRROR} or `mirror:` in the configuration, a folder or "
        "an http address that holds the file (data/README.md lists the layouts that are understood)."
    )
