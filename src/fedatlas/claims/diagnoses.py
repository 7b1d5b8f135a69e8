"""Why a claim was not reproduced, as far as the runs tell.

config/diagnoses/<paper>.yaml:   diagnoses: [{claims, cause, why, shown_by}]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fedatlas.config import ONCE, Place, Strict, read_yaml, validate
from fedatlas.config.ids import check_paper_id
from fedatlas.errors import AtlasError

Cause = Literal["our setting", "an assumption", "data or scale", "the paper", "not found"]


class Diagnosis(Strict):
    """One cause, and the claims that it explains.

    Attributes:
        claims: their ids, with `@experiment` where they have it.
        why: what we know, in sentences.
        shown_by: id of the experiment whose runs tell the cause from others, if there is one.
    """

    claims: Annotated[tuple[str, ...], Field(min_length=1), ONCE]
    cause: Cause
    why: Annotated[str, Field(min_length=20)]
    shown_by: str | None = None


class DiagnosesFile(Strict):
    diagnoses: tuple[Diagnosis, ...]


def load_diagnoses(folder: Path, paper: str = "*") -> dict[tuple[str, str], Diagnosis]:
    """The diagnoses by paper and claim.

    Raises:
        AtlasError: names the file and the key if one is wrong, or a claim that has two.
    """
    return {key: diagnosis for key, (diagnosis, _) in placed_diagnoses(folder, paper).items()}


def placed_diagnoses(folder: Path, paper: str = "*") -> dict[tuple[str, str], tuple[Diagnosis, Place]]:
    """The same, each with the place where it stands.

    Raises:
        AtlasError: as `load_diagnoses`.
    """
    found: dict[tuple[str, str], tuple[Diagnosis, Place]] = {}
    for path in sorted(folder.glob(f"{paper}.yaml")):
        check_paper_id(path)
        for position, diagnosis in enumerate(validate(read_yaml(path), DiagnosesFile, path).diagnoses):
            place = Place(path).under("diagnoses", position)
            for number, claim in enumerate(diagnosis.claims):
                if (path.stem, claim) in found:
                    where = place.naming(("claims", number))
                    raise AtlasError(f"{where}: 'claims' has '{claim}', which has two diagnoses: keep one.")
                found[path.stem, claim] = diagnosis, place
    return found
