"""The claims that are in git: valid, and answered from whole runs at every scale at which their experiments run."""

from pathlib import Path

import configuration
import pytest
from made_runs import results_in_memory

from fedatlas.claims.evaluate import check_claim
from fedatlas.claims.readings import Subject
from fedatlas.claims.status import Status

ROOT = Path(__file__).parents[2]
CLAIMS = configuration.claims()
PAPER = configuration.known("paper")


@pytest.fixture(scope="module", params=["quick", "medium", "paper"])
def evidence(request):
    """Whole runs of what claims compare, cut down to four configurations and three seeds that score."""
    grid = {"sweep": {"client_lr": (0.001, 0.01), "server_lr": (0.3, 1.0)}}
    known = configuration.known(request.param)
    compared = {key: known[key] for claim in CLAIMS for key in sorted(Subject(claim).experiments)}
    small = {
        key: one.model_copy(update=grid | {"seeds": one.seeds.model_copy(update={"tuned": one.seeds.tuned[:3]})})
        for key, one in compared.items()
    }
    return results_in_memory(small, request.param)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_gets_a_verdict(claim, evidence):
    found = check_claim(Subject(claim), evidence)
    assert found.status in Status
    assert found.expected or not evidence.known[f"{claim.paper}/{claim.experiment}"].runs_here
    if _largest_scale(claim) == evidence.scale:
        assert found.status != "not run at this scale"
        assert found.measured


def _largest_scale(claim) -> str:
    return max(PAPER[f"{claim.paper}/{claim.experiment}"].scales, key=lambda scale: scale.size)


def test_every_experiment_has_claims():
    """But for readings, judged by the claims about what they read, and for experiments that no paper has."""
    main = {key for key, experiment in PAPER.items() if experiment.reading is None}
    ours = {key for key in main if PAPER[key].proxy_for == "no such experiment"}
    assert {f"{claim.paper}/{claim.experiment}" for claim in CLAIMS} == main - ours


def test_every_claim_quotes_the_paper_and_says_where_its_number_is_from():
    for claim in CLAIMS:
        assert len(claim.quote) > 20
        assert claim.source.startswith(("Figure", "Section", "Table", "README"))
