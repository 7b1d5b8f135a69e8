"""The register of what the papers leave open or contradict, and what we chose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fedatlas.config import ONCE, Place, Strict, read_yaml, validate
from fedatlas.config.ids import Label, check_paper_id
from fedatlas.errors import AtlasError


class Assumption(Strict):
    """One item of the register.

    Attributes:
        figures: the figures and tables that it concerns.
        item: what it is about, a few words.
        paper_says, code_does: what the paper and the authors' (or the nearest) code say; 'nothing' if nothing.
        we_chose, why: our choice and its reason.
        evidence: what was measured or read to support it.
        erratum: in a sentence, where the paper contradicts itself, its data or its authors' program.
    """

    paper: str
    id: Label
    figures: Annotated[tuple[str, ...], Field(min_length=1), ONCE]
    item: str
    paper_says: str
    code_does: str
    we_chose: str
    why: str
    evidence: str | None = None
    erratum: str | None = None


class _File(Strict):
    assumptions: tuple[dict, ...]


def load_assumptions(folder: Path) -> list[Assumption]:
    """All of config/assumptions/<paper>.yaml, in the order of the files.

    Raises:
        AtlasError: names the file, the entry, the key and the value if one is wrong, or an id that is used twice.
    """
    return [assumption for assumption, _ in placed_assumptions(folder)]


def placed_assumptions(folder: Path) -> list[tuple[Assumption, Place]]:
    """The same, each with the place where it stands.

    Raises:
        AtlasError: as `load_assumptions`.
    """
    found: dict[str, tuple[Assumption, Place]] = {}
    for path in sorted(folder.glob("*.yaml")):
        check_paper_id(path)
        for position, content in enumerate(validate(read_yaml(path), _File, path).assumptions):
            words = f"assumption {content.get('id', position + 1)}"
            place = Place(path).under("assumptions", position, words=words)
            assumption = validate(content | {"paper": path.stem}, Assumption, place)
            if assumption.id in found:
                raise AtlasError(
                    f"{place.naming(('id',))}: the id '{assumption.id}' is already used in "
                    f"{found[assumption.id][1].naming(('id',))}: give it another one."
                )
            found[assumption.id] = assumption, place
    return list(found.values())
