"""The form of a claim.

    config/claims/<paper>/<anything>.yaml:   claims: [{id, source, quote, statement, experiment, check, needs_scale}]

The same claim about further experiments is not copied but says `also: [their ids]`; each becomes a claim of its own.

A term of a comparison is an algorithm of the claim's experiment (`fedmid`), or one of another experiment of the same
paper (`lasso_1/fedmid`); `*` stands for every algorithm of `each`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fedatlas.claims import grids, quantities
from fedatlas.config import Strict, read_yaml, validate
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.sections import Best

Quantity = Annotated[
    quantities.Value
    | quantities.Contrast
    | quantities.RoundsTo
    | quantities.Trend
    | quantities.Decades
    | quantities.Rate
    | quantities.Roughness
    | quantities.Product
    | grids.OverGrid
    | grids.Spread,
    Field(discriminator="kind"),
]
Algorithms = Annotated[tuple[str, ...], Field(min_length=1)]
Tolerance = Annotated[float, Field(ge=0)]


class Bounds(Strict):
    """What is expected of one number: a value within a margin, or one bound.

    With `better`, a number beyond the margin on that side is better than the paper; without it, it is a miss.
    """

    algorithms: Algorithms
    expect: float | None = None
    margin: Tolerance | None = None
    better: Best | None = None
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None
    above: float | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Bounds:
        given = [name for name in ("expect", *SENSES) if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of 'expect', {', '.join(map(repr, SENSES))}, not {given or 'none'}")
        if (self.expect is None) != (self.margin is None):
            raise ValueError("'expect' and 'margin' go together")
        if self.better and self.expect is None:
            raise ValueError("'better' needs 'expect'")
        return self

    @property
    def bound(self) -> tuple[str, float]:
        """(sense, threshold) of a one-sided expectation."""
        return next((name, getattr(self, name)) for name in SENSES if getattr(self, name) is not None)


SENSES = ("at_least", "at_most", "below", "above")


class Value(Bounds, quantities.Value):
    """A metric at a round lies where the paper says."""


class Contrast(Bounds, quantities.Contrast):
    """A metric differs between two splits as the paper says."""


class RoundsTo(Bounds, quantities.RoundsTo):
    """A metric reaches a target after as many rounds as the paper says."""


class Trend(Bounds, quantities.Trend):
    """A metric changes between two rounds as the paper says."""


class Decades(Bounds, quantities.Decades):
    """A metric falls by as many powers of ten between two rounds as the paper says."""


class Rate(Bounds, quantities.Rate):
    """A metric falls by as many powers of ten per round as the paper says."""


class OverGrid(Bounds, grids.OverGrid):
    """The median of a metric over the sweep lies where the paper says."""


class Spread(Bounds, grids.Spread):
    """A metric depends as much or as little on a hyper-parameter as the paper says."""


def _groups(order: Any) -> Any:
    if not isinstance(order, list):
        return order
    return [group if isinstance(group, list) else [group] for group in order]


class Ordering(Strict):
    """Every term of a group is ahead of (or not behind) every term of the next group, seed by seed."""

    kind: Literal["ordering"]
    quantity: Quantity
    best: Best
    order: Annotated[tuple[Algorithms, ...], BeforeValidator(_groups), Field(min_length=2)]
    each: tuple[str, ...] = ()
    relation: Literal["ahead", "not_behind"]
    margin: Tolerance


class Gap(Strict):
    """The absolute difference of two terms is at least or at most a number, seed by seed."""

    kind: Literal["gap"]
    quantity: Quantity
    between: tuple[str, str]
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Gap:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("give exactly one of 'at_least' and 'at_most'")
        return self


class Ratio(Strict):
    """One term's number divided by that of each of some others is at least, at most or between two numbers, by seed."""

    kind: Literal["ratio"]
    quantity: Quantity
    of: str
    to: Algorithms
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _a_bound(self) -> Ratio:
        if not self.bounds:
            raise ValueError("give 'at_least', 'at_most' or both")
        return self

    @property
    def bounds(self) -> list[tuple[str, float]]:
        """(sense, threshold) of each bound."""
        return [(name, getattr(self, name)) for name in ("at_least", "at_most") if getattr(self, name) is not None]


class Choice(Strict):
    """The sweep selects the configuration that the paper reports."""

    kind: Literal["choice"]
    algorithms: Algorithms
    expect: Annotated[dict[str, float], Field(min_length=1)]


class InsideGrid(Strict):
    """The selected configuration lies inside the grid, so that the grid holds the best one.

    On the grid's edge nothing follows either way: the claim is then inconclusive. What has one value has no edge.
    """

    kind: Literal["inside_grid"]
    algorithms: Algorithms


Check = Annotated[
    Value
    | Contrast
    | RoundsTo
    | Trend
    | Decades
    | Rate
    | OverGrid
    | Spread
    | Ordering
    | Gap
    | Ratio
    | Choice
    | InsideGrid,
    Field(discriminator="kind"),
]


class Claim(Strict):
    """One statement of a paper.

    Attributes:
        source: where in the paper it stands.
        quote: the paper's own sentence.
        statement: the same in our words, without symbols.
        experiment: id of the experiment of the same paper that the claim is about.
        also: ids of further experiments that it is about; always empty once claims are loaded.
        needs_scale: the smallest scale at which the claim can be judged.
        threshold_from: where the number of the check comes from when the paper's sentence holds none.
    """

    paper: str
    id: str
    source: str
    quote: str
    statement: str
    experiment: str
    also: tuple[str, ...] = ()
    check: Check
    needs_scale: Scale
    threshold_from: str | None = None

    def by_experiment(self) -> list[Claim]:
        """One claim for each of its experiments; those of `also` are called `<id>@<experiment>`."""
        others = [{"id": f"{self.id}@{other}", "experiment": other, "also": ()} for other in self.also]
        return [self.model_copy(update=changes) for changes in ({"also": ()}, *others)]


class ClaimsFile(Strict):
    claims: tuple[dict[str, Any], ...]


def load_claims(folder: Path, paper: str = "*") -> list[Claim]:
    """The claims of config/claims, one for each of its experiments, in the order of the files.

    Those of one paper, or of all if none is given.

    Raises:
        AtlasError: names the file, the claim, the key and the value if one is wrong, and both files of a repeated id.
    """
    found: dict[tuple[str, str], tuple[Claim, Path]] = {}
    for path in sorted(folder.glob(f"{paper}/*.yaml")):
        entries = validate(read_yaml(path), ClaimsFile, path).claims
        for position, content in enumerate(entries):
            source = f"{path}, claim {content.get('id', position + 1)}"
            for claim in validate(content | {"paper": path.parent.name}, Claim, source).by_experiment():
                if (claim.paper, claim.id) in found:
                    other = found[claim.paper, claim.id][1]
                    raise AtlasError(
                        f"{path}: the claim id '{claim.id}' is already used in {other}; give it another name."
                    )
                found[claim.paper, claim.id] = claim, path
    return [claim for claim, _ in found.values()]
