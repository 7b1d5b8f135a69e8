"""The form of a claim.

    config/claims/<paper>/<anything>.yaml:   claims: [{id, source, quote, statement, experiment, check, needs_scale}]

A file whose claims need more seeds than others, as their paper has as many, says `needs_seeds` once for all.
The same claim about further experiments is not copied but says `also: [their ids]`; each becomes a claim of its own.
Claims about the numbers of a printed table are one entry (see `tables`).

A term of a comparison is an algorithm of the claim's experiment (`fedmid`), or one of another experiment of the same
paper (`lasso_I/fedmid`); `*` stands for every algorithm of `each`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fedatlas.claims.checks import AnyCheck
from fedatlas.claims.conditions import ENOUGH
from fedatlas.claims.tables import ReadTable, unfolded
from fedatlas.config import Names, Place, Strict, read_yaml, validate
from fedatlas.config.ids import Label, check_paper_id, check_stem
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale


class Claim(Strict):
    """One statement of a paper.

    Attributes:
        source: where in the paper it stands.
        quote: the paper's own sentence.
        statement: the same in our words, without symbols.
        experiment: id of the experiment of the same paper that the claim is about.
        also: ids of further experiments that it is about; always empty once claims are loaded.
        needs_scale: the smallest scale at which the claim can be judged.
        needs_data: the data that can show it: the paper's own, or any that is real; any data if not given.
        needs_seeds: how many independent seeds decide it: as many as the paper has, but at least three.
        threshold_from: where the number of the check comes from when the paper's sentence holds none.
        by_construction: why it can hardly fail (an identity, a proved bound, a projection); such claims are shown, but
            not counted.
    """

    paper: str
    id: Label
    source: str
    quote: str
    statement: str
    experiment: str
    also: Names = ()
    check: AnyCheck
    needs_scale: Scale
    needs_data: Literal["own", "real"] | None = None
    needs_seeds: Annotated[int, Field(ge=ENOUGH)] = ENOUGH
    threshold_from: str | None = None
    by_construction: Annotated[str, Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _others_are_others(self) -> Claim:
        if self.experiment in self.also:
            raise ValueError(f"'also' names '{self.experiment}', which is the claim's experiment: leave it out")
        return self

    @property
    def experiments(self) -> set[str]:
        """The keys of all experiments that it needs."""
        others = {f"{self.paper}/{term.rpartition('/')[0]}" for term in self.check.terms if "/" in term}
        return others | {f"{self.paper}/{self.experiment}"}

    def by_experiment(self) -> list[Claim]:
        """One claim for each of its experiments; those of `also` are called `<id>@<experiment>`."""
        others: list[dict[str, Any]] = [
            {"id": f"{self.id}@{other}", "experiment": other, "also": ()} for other in self.also
        ]
        return [self.model_copy(update=changes) for changes in ({"also": ()}, *others)]


class ClaimsFile(Strict):
    needs_seeds: int = ENOUGH
    claims: tuple[dict[str, Any], ...]


def load_claims(folder: Path, paper: str = "*") -> list[Claim]:
    """The claims of config/claims, one for each of its experiments, in the order of the files.

    Those of one paper, or of all if none is given.

    Raises:
        AtlasError: names the file, the claim, the key and the value if one is wrong, and both files of a repeated id.
    """
    return [claim for claim, _ in placed_claims(folder, paper)]


def placed_claims(folder: Path, paper: str = "*") -> list[tuple[Claim, Place]]:
    """The same, each with the place where it stands.

    Raises:
        AtlasError: as `load_claims`.
    """
    found: dict[tuple[str, str], tuple[Claim, Place]] = {}
    read_table = functools.cache(lambda name: read_yaml(folder.parent / "paper_results" / f"{name}.yaml"))
    for path in sorted(folder.glob(f"{paper}/*.yaml")):
        check_paper_id(path.parent)
        check_stem(path)
        file = validate(read_yaml(path), ClaimsFile, path)
        for position, entry in enumerate({"needs_seeds": file.needs_seeds, **claim} for claim in file.claims):
            place = Place(path).under("claims", position, words=f"claim {entry.get('id', position + 1)}")
            for claim in _of_entry(entry, path.parent.name, read_table, place):
                if (claim.paper, claim.id) in found:
                    where = place.naming(("id",))
                    other = found[claim.paper, claim.id][1].naming(("id",))
                    raise AtlasError(f"{where}: the id '{claim.id}' is already used in {other}: give it another one.")
                found[claim.paper, claim.id] = claim, place
    return list(found.values())


def _of_entry(entry: dict[str, Any], paper: str, read_table: ReadTable, place: Place) -> Iterator[Claim]:
    """The claims of an entry of a file."""
    for content in unfolded(entry, read_table, place):
        yield from validate(content | {"paper": paper}, Claim, place).by_experiment()
