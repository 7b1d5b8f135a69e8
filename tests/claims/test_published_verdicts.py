"""Every published verdict follows again from the tables that are kept beside it, as far as they can decide it.

They keep less than the runs had: five digits; of long runs not every evaluated round; of a sweep the selected
configuration and the scores. Which verdicts they cannot decide follows from that, see `undecidable`.
"""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import pytest
from published_results import CONFIG, ROOT, published, results

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.quantities.rate import Rate
from fedatlas.claims.quantities.roughness import Roughness
from fedatlas.claims.quantities.rounds_to import RoundsTo
from fedatlas.claims.quantities.spread import Spread
from fedatlas.claims.quantities.value import Value
from fedatlas.claims.references import References
from fedatlas.claims.schema import Claim, load_claims
from fedatlas.results.run import Run

PAPERS = sorted(path.name for path in (ROOT / "reports" / "published").iterdir() if path.is_dir())
KEPT_DIGITS = 1e-4  # of a number with five digits, or of the difference of two such, by its size
# How many verdicts of each paper the tables decide: as many as when this was written, or more.
LEAST = {"dualfl": 49, "fco": 119, "feddua": 102, "fedem": 141, "fedpd": 17}
NUMBER = re.compile(r"(?<![\w.])[+−-]?\d[\d ]*(?:\.\d+)?(?:e[+−-]?\d+)?")


def runs_of(claim: Claim, references: References) -> list[Run]:
    """The runs that the claim speaks about."""
    check = claim.check
    pairs = itertools.product(check.terms or check.algorithms, getattr(check, "each", ()) or ("*",))
    named = {term.replace("*", one) for term, one in pairs}
    return [run for term in named for run in references.runs(term).values()]


def undecidable(claim: Claim, kept: dict[str, Any], references: References) -> str | None:
    """Why the kept tables cannot decide a claim, if so."""
    if not claim.experiments <= set(references.results.experiments):
        return None  # not run at this scale: that is decided
    quantity, runs = getattr(claim.check, "quantity", claim.check), runs_of(claim, references)
    if getattr(quantity, "sweep_only", False) and not all(holds_sweep(run, quantity) for run in runs if run.is_sweep):
        return "only the selected configurations are kept"
    if reads_a_stretch(quantity) and any(is_thinned(run, references) for run in runs):
        return "not every evaluated round is kept"
    if any(is_tie(condition, kept["measured"]) for condition in kept["details"].get("conditions", ())):
        return "it hangs on digits that are not kept"
    return None


def holds_sweep(run: Run, quantity: Any) -> bool:
    """Whether the table holds what the quantity reads of every configuration: at one round, or at the last ones."""
    rows = run.table[(run.table["metric"] == quantity.metric) & (run.table["split"] == quantity.split)]
    if isinstance(quantity, Spread):
        counts = rows.groupby("configuration")["round"].nunique()
        return len(counts) == len(run.grid) and counts.nunique() == 1
    when = rows["round"].max() if quantity.at == "last" else quantity.at
    return rows[rows["round"] == when]["configuration"].nunique() == len(run.grid)


def reads_a_stretch(quantity: Any) -> bool:
    """Whether it reads the rounds between others, not single ones."""
    return isinstance(quantity, RoundsTo | Rate | Roughness) or (isinstance(quantity, Value) and quantity.at == "mean")


def is_thinned(run: Run, references: References) -> bool:
    experiment = references.results[f"{run.manifest.paper}/{run.manifest.experiment}"].experiment
    spec = experiment.for_algorithm(run.manifest.algorithm.id)
    evaluated = {*range(0, spec.training.rounds + 1, spec.evaluation.every), spec.training.rounds}
    return not evaluated <= set(run.table["round"])


def is_tie(condition: dict[str, Any], measured: str) -> bool:
    """Whether a seed's number differs from the threshold by less than rounding to what is kept changes it."""
    size = max(map(abs, numbers(measured)), default=0.0)
    values = [value for value in condition["values"].values() if not isinstance(value, str)]
    return any(0 < abs(value - condition["threshold"]) <= KEPT_DIGITS * size for value in values)


def numbers(text: str) -> list[float]:
    return [float(found.replace(" ", "").replace("−", "-")) for found in NUMBER.findall(text)]


def agree(one: str, other: str) -> bool:
    """Whether two texts say the same words, and numbers that differ by no more than one in the third digit."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    return all(
        abs(a - b) <= 1.001 * third_digit(max(abs(a), abs(b)))
        for a, b in zip(numbers(one), numbers(other), strict=True)
    )


def third_digit(value: float) -> float:
    return 10.0 ** (math.floor(math.log10(value)) - 2) if value else 0.0


def judged(paper: str) -> list[tuple[str, dict[str, Any], Claim, References]]:
    """(key of the experiment, the kept verdict, the claim, what its terms refer to in the kept tables)."""
    claims = {claim.id: claim for claim in load_claims(CONFIG / "claims", paper)}
    by_scale = {one.scale: results(one.scale, paper) for one in published(paper).values()}
    return [
        (key, verdict, claims[verdict["id"]], References(claims[verdict["id"]], by_scale[one.scale]))
        for key, one in published(paper).items()
        for verdict in one.verdicts
    ]


@pytest.mark.parametrize("paper", PAPERS)
def test_published_verdicts_follow_from_the_kept_tables(paper):
    every, left_out, wrong = judged(paper), {}, []
    for key, kept, claim, references in every:
        if why := undecidable(claim, kept, references):
            left_out[f"{key} {claim.id}"] = why
            continue
        found = check_claim(claim, references.results).as_json()
        same = [found[name] == kept[name] for name in ("status", "expected", "data", "scale", "figure")]
        if not all(same) or not agree(found["measured"], kept["measured"]):
            wrong.append(
                f"{key} {claim.id}: {kept['status']}, {kept['measured']}; now {found['status']}, {found['measured']}"
            )
    assert not wrong, "\n".join(wrong)
    assert len(every) - len(left_out) >= LEAST[paper], left_out
