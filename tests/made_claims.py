"""Claims about two toy experiments, judged on the evidence that a test makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject
from fedatlas.claims.schema import Claim
from fedatlas.claims.verdict import Verdict
from fedatlas.config import validate
from fedatlas.results.collection import Results

F1 = {"metric": "f1", "split": "model"}
LAST = {"kind": "value", **F1, "at": "last"}
TO_90 = {"kind": "rounds_to", **F1, "reach": 0.9, "rising": True}


def claim_of(check: Mapping[str, Any], **changes: Any) -> Claim:
    """A claim with this check; `changes` are other keys of it."""
    content = {
        "paper": "toy", "id": "c", "source": "Figure 1", "quote": "It works.", "statement": "It works.",
        "experiment": "first", "needs_scale": "quick", "check": check,
    }  # fmt: skip
    return validate(content | changes, Claim, "test")


def verdict(check: Mapping[str, Any], results: Results, **changes: Any) -> Verdict:
    """The verdict on a claim with this check; `changes` are other keys of the claim."""
    return check_claim(Subject(claim_of(check, **changes)), results)


def rising(rounds_to_90: int) -> Callable[[np.ndarray], np.ndarray]:
    """F1 that reaches 0.9 at a given round."""
    return lambda rounds: np.minimum(1.0, 0.9 * rounds / rounds_to_90)


def ordering(order: Sequence[Any] = ("feddualavg", "fedmid"), **changes: Any) -> dict[str, Any]:
    """A check that the first algorithm's last F1 is ahead by 0.01."""
    check = {"kind": "ordering", "quantity": LAST, "best": "highest", "relation": "ahead", "margin": 0.01}
    return check | {"order": list(order)} | changes
