"""data/sources.yaml: what can be fetched, from where, under which licence, in which layouts a mirror may hold it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, Field, RootModel, model_validator

from fedatlas.config import ONCE, Address, Strict, read_yaml, validate
from fedatlas.config.ids import Label
from fedatlas.errors import AtlasError
from fedatlas.names import instead

CATALOGUE = Path("data/sources.yaml")
MD5 = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
SHA256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def _relative(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"'{name}' must be a path inside the source's own folder")
    return name


Name = Annotated[str, AfterValidator(_relative)]


class File(Strict):
    """A file to fetch.

    Attributes:
        urls: where the public has it, in order of preference; none if only a mirror can have it.
        size: bytes, exact.
        about: the size in words, where the exact one is not known.
        extract: the members of this archive to keep; the archive itself goes once they are out.
        decompress: the name of the one file that this compressed file holds.
    """

    urls: Annotated[tuple[Address, ...], ONCE] = ()
    size: Annotated[int, Field(strict=True, gt=0, lt=2**50)] | None = None
    about: str | None = None
    md5: MD5 | None = None
    sha256: SHA256 | None = None
    extract: Annotated[tuple[Name, ...], ONCE] = ()
    decompress: Name | None = None

    @property
    def hash(self) -> str | None:
        """The known hash, as pooch writes it."""
        return self.sha256 or (self.md5 and f"md5:{self.md5}")

    @property
    def words(self) -> str:
        """The size, for a person."""
        return size_in_words(self.size) if self.size else self.about or "size not known"


class Layout(Strict):
    """One way in which the source's files may lie: the original archives, extracted files, another packing.

    Attributes:
        folders: the folders of a mirror in which the files may lie, besides its top and one named as the source.
        note: how this layout differs from the original, if it does.
        unchecked: why a file has no hash here, and what stands for it; needed if there is such a file.
    """

    files: Annotated[dict[Name, File], Field(min_length=1)]
    folders: Annotated[tuple[Name, ...], ONCE] = ()
    note: str | None = None
    unchecked: str | None = None

    @model_validator(mode="after")
    def _says_what_is_unchecked(self) -> Layout:
        without = [name for name, file in self.files.items() if not file.hash]
        if without and not self.unchecked:
            raise ValueError(f"'{without[0]}' has neither sha256 nor md5: give one, or say in 'unchecked' why not")
        if self.unchecked and not without:
            raise ValueError("every file has a hash: remove 'unchecked'")
        return self


class Source(Strict):
    """Something that is fetched as a whole."""

    title: str
    citation: str
    licence: str
    homepage: Address
    note: str | None = None
    layouts: Annotated[dict[str, Layout], Field(min_length=1)]


class Catalogue(RootModel[dict[Label, Source]]):
    """All sources by name."""


def load_sources(path: Path = CATALOGUE) -> dict[str, Source]:
    """All sources by name.

    Raises:
        AtlasError: if the catalogue is missing or wrong; names the file, the key, the value and the mend.
    """
    return validate(read_yaml(path), Catalogue, path).root


def find_source(name: str) -> Source:
    """One source.

    Raises:
        AtlasError: as `load_sources`, or if there is none of this name.
    """
    sources = load_sources()
    if name not in sources:
        raise AtlasError(f"{CATALOGUE} has no source '{name}'; {instead(name, sources)}")
    return sources[name]


def size_in_words(size: int) -> str:
    """'9.9 MB'."""
    if size < 1000:
        return f"{size} bytes"
    amount = size / 1000
    for unit in ("kB", "MB"):
        if amount < 1000:
            return f"{amount:.3g} {unit}"
        amount /= 1000
    return f"{amount:.3g} GB"
