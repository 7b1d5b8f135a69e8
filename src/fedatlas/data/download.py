"""One file from one place to another: retried, resumed, checked, and never seen half-written."""

from __future__ import annotations

import contextlib
import lzma
import shutil
import stat
import sys
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import pooch
import requests

from fedatlas.errors import AtlasError
from fedatlas.files import writing


class DamagedError(Exception):
    """What arrived is not what the catalogue says; it has been set aside."""


def answer(error: requests.HTTPError) -> requests.Response:
    """What the server said, which every such error of `raise_for_status` has."""
    return cast(requests.Response, error.response)


@dataclass(frozen=True)
class Downloader:
    """How patient a download is.

    Attributes:
        attempts: tries per address; each goes on where the last one stopped.
        wait: seconds before the second try, doubled before each further one.
        connect, silence: seconds to wait for a connection, and for the next bytes.
    """

    attempts: int = 4
    wait: float = 1.0
    connect: float = 10.0
    silence: float = 60.0
    progress: bool = True

    def fetch(self, origin: str | Path, target: Path, known_hash: str | None = None, size: int | None = None) -> None:
        """Brings `origin`, an http address or a file, to `target`.

        Raises:
            OSError: if it could not be had (a `requests` error is one).
            DamagedError: if its hash or size is another than the known one.
            AtlasError: if the disk cannot be written.
        """
        part = target.with_name(f"{target.name}.part")
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(origin, Path):
            with origin.open("rb") as source, writing(target), part.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
        else:
            if known_hash is None:  # nothing would show that the rest does not fit what an earlier call left
                part.unlink(missing_ok=True)
            self._download(origin, part)
        self._check(part, target, known_hash, size, origin)
        with writing(target):
            part.replace(target)

    def exists(self, address: str) -> bool:
        """Whether the address answers and has the file."""
        try:
            return pooch.HTTPDownloader(timeout=(self.connect, self.silence))(address, None, None, check_only=True)
        except requests.RequestException:
            return False

    def _download(self, address: str, part: Path) -> None:
        for attempt in range(self.attempts):
            try:
                with writing(part), part.open("ab") as file:
                    return self._go_on(address, file)
            except requests.HTTPError as error:
                status = answer(error).status_code
                if status == requests.codes.requested_range_not_satisfiable:
                    return None  # all of it had arrived
                if status < 500 or attempt + 1 == self.attempts:
                    raise
            except requests.RequestException:
                if attempt + 1 == self.attempts:
                    raise
            time.sleep(self.wait * 2**attempt)
        return None

    def _go_on(self, address: str, file) -> None:
        start = file.tell()

        def restart_if_whole(response: requests.Response, *_args, **_kwargs) -> None:
            if start and response.status_code == requests.codes.ok:  # the whole file, though asked for the rest
                file.truncate(0)

        get = pooch.HTTPDownloader(
            progressbar=self.progress and sys.stderr.isatty(),
            chunk_size=1 << 16,  # what a cut connection loses at most
            timeout=(self.connect, self.silence),
            headers={"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})},
            hooks={"response": restart_if_whole},
        )
        get(address, file, None)

    def _check(self, part: Path, target: Path, known_hash: str | None, size: int | None, origin: str | Path) -> None:
        found = part.stat().st_size
        if size is not None and found != size:
            problem = f"has {found} bytes instead of {size}"
        elif known_hash and not pooch.hashes.hash_matches(str(part), known_hash):
            problem = f"does not have the known hash {known_hash}"
        elif not known_hash and is_web_page(part):
            problem = "is a web page, such as a login page, and not the file"
        else:
            return
        raise DamagedError(f"what came from {origin} {problem}; it was set aside as {set_aside(part, target)}")


def is_web_page(path: Path) -> bool:
    """Whether a file begins as pages do; no data set does."""
    with path.open("rb") as file:
        return file.read(256).lstrip().lower().startswith((b"<!doctype html", b"<html"))


def set_aside(path: Path, name_of: Path | None = None) -> Path:
    """Moves a damaged file out of the way, beside where it belongs, and returns its new place."""
    name_of = name_of or path
    aside = name_of.with_name(f"{name_of.name}.damaged")
    with writing(aside):
        path.replace(aside)
    return aside


@contextlib.contextmanager
def _taking_out_of(archive: Path) -> Iterator[None]:
    """Sets the archive aside if it cannot be read."""
    try:
        with writing(archive.parent):
            yield
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, KeyError) as error:
        reason = (str(error.args[0] if error.args else "") or type(error).__name__).splitlines()[0]
        raise AtlasError(
            f"{archive} is damaged ({reason}); it was set aside as {set_aside(archive)}: run the same command again, "
            "and it is fetched again."
        ) from error


def unpack(archive: Path, members: tuple[str, ...]) -> None:
    """Takes the members out of a tar or zip archive, into its own folder.

    Only the members are read, and each must be a file: a link in an archive could lead out of the folder.

    Raises:
        AtlasError: if the archive is damaged or does not hold them, or the disk cannot be written.
    """
    with _taking_out_of(archive):
        missing = set(members)
        for name, content in (_zipped if archive.suffix == ".zip" else _tarred)(archive, missing):
            target = archive.parent / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(content, file, 1 << 20)
            missing.discard(name)
        if missing:
            raise KeyError(f"it has no file {', '.join(sorted(missing))}")


def _tarred(archive: Path, wanted: set[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The wanted files of a tar archive, in its order."""
    with tarfile.open(archive) as opened:
        for entry in opened:
            if entry.isfile() and entry.name in wanted:
                yield entry.name, cast(IO[bytes], opened.extractfile(entry))


def _zipped(archive: Path, wanted: set[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """The wanted files of a zip archive, in its order."""
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            if not stat.S_ISLNK(entry.external_attr >> 16) and entry.filename in wanted:
                with opened.open(entry) as content:
                    yield entry.filename, content


def decompress(file: Path, name: str) -> None:
    """Decompresses a gzip, bzip2 or lzma file to `name` beside it.

    Raises:
        AtlasError: if the file is damaged, or the disk cannot be written.
    """
    with _taking_out_of(file):
        pooch.Decompress(method="xz" if file.suffix == ".lzma" else "auto", name=name)(str(file), "download", None)
