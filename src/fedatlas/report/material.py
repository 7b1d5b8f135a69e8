"""What pages are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedatlas.claims.evidence import Evidence
from fedatlas.claims.schema import Claim
from fedatlas.report.assumptions import Assumption
from fedatlas.report.papers import Paper


@dataclass(frozen=True)
class Material:
    """Everything that the pages of one build are made from.

    Attributes:
        out: the folder of all pages.
        clients: the folder of the client stores.
        verdicts: the entries of reports/claims.json, each with `published`, its verdict at paper scale or None.
    """

    out: Path
    clients: Path
    evidence: Evidence
    claims: Sequence[Claim]
    verdicts: Sequence[dict[str, Any]]
    papers: Sequence[Paper]
    assumptions: Sequence[Assumption]
