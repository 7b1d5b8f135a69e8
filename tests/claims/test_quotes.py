"""Every quote stands in its paper, wherever the papers' texts are at hand."""

from __future__ import annotations

import itertools
import os
import re
import unicodedata
from pathlib import Path

import configuration
import pytest

ROOT = Path(__file__).parents[2]
PAPERS = Path(os.environ.get("FEDATLAS_PAPERS", ROOT.parent / "shared" / "papers"))
CLAIMS = {(c.paper, c.quote): c for c in configuration.claims() if not c.source.startswith("README")}
CUT = "[...]"
DUMP = 600  # characters: a formula is in the texts several times over, as signs, in LaTeX and in words


def squashed(text: str) -> str:
    """Letters and digits alone, as line ends, dashes and quotation marks differ."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKC", text).lower())


def pieces(part: str) -> list[str]:
    """The words between formulas, and the digits of the formulas."""
    runs = itertools.groupby(part.split(), key=_is_formula)
    found = (re.findall("[0-9]+", " ".join(run)) if formula else [squashed("".join(run))] for formula, run in runs)
    return [piece for run in found for piece in run if piece]


def _is_formula(word: str) -> bool:
    """Whether it has a digit, a sign of equality or a Greek letter, or is one letter that is no English word."""
    return bool(re.search(r"[0-9=]|[^\W\d_a-zA-Z]", word) or re.fullmatch(r"\W*[b-zB-HJ-Z]\W*", word))


def stands_in(part: str, text: str) -> bool:
    """Whether the pieces follow each other in the text, no farther apart than a formula's dump is long."""
    if squashed(part) in text:
        return True
    first, *others = pieces(part)
    starts = (match.end() for match in re.finditer(first, text))
    return any(_follow(others, text, start) for start in starts)


def _follow(others: list[str], text: str, end: int) -> bool:
    for piece in others:
        place = text.find(piece, end, end + DUMP + len(piece))
        if place < 0:
            return False
        end = place + len(piece)
    return True


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    if not PAPERS.is_dir():
        pytest.skip(f"{PAPERS} is not there; FEDATLAS_PAPERS names another folder with the papers' texts")
    return {paper: squashed(next(PAPERS.glob(f"{paper}*.txt")).read_text()) for paper, _ in CLAIMS}


@pytest.mark.parametrize(("paper", "quote"), CLAIMS, ids=[claim.id for claim in CLAIMS.values()])
def test_a_quote_stands_in_its_paper(paper, quote, texts):
    parts = [part for part in quote.split(CUT) if squashed(part)]
    assert parts
    assert [part for part in parts if not stands_in(part, texts[paper])] == []


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("the rate p = 0.5 is best.", True),
        ("the rate p = 0.7 is best.", False),
        ("the rate p = 0.5 is worst.", False),
        ("rate is best", False),
    ],
)
def test_formulas_are_found_in_their_dumps(part, found):
    text = squashed("We see that the rate p=0.5𝑝0.5p=0.5italic_p = 0.5 is best.")
    assert stands_in(part, text) == found
