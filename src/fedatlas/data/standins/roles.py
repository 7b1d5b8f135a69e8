"""Plays with speaking roles, laid out as Project Gutenberg's etext 100.

Every role draws its words from preferences of its own, and words follow one another by a chain that all roles share,
so that there is something to learn and something that differs.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

NOTE = "Word chains in the layout of the plays, with preferred words per role; nobody wrote them."
SIZES = {
    "tiny": {"plays": 2, "roles": 4, "speeches": 10},
    "quick": {"plays": 10, "roles": 12, "speeches": 30},
    "full": {"plays": 37, "roles": 31, "speeches": 60},
}
WIDTH = 62
VOCABULARY = (
    "the and of to my in you is that not me it with be his your for he this but have thou as him so will what thy all "
    "her no by do shall if are we thee on lord our king good now from sir they come at was or more love man let here "
    "hath well then their when she who there them say which enter see like upon make than know may us give would must "
    "should yet go one how take had speak death heart heaven night time hand these eyes father live day son look where "
    "life hear tell art mine can such blood world men fair never first true some nor sweet mother fear most honour "
    "name think great old ever nothing friend much tongue before dead very bring god head way soul face false noble"
)
WORDS = VOCABULARY.split()
TITLES = ("THE TRAGEDY OF", "THE HISTORY OF", "THE COMEDY OF")
SYLLABLES = ("AN", "BEL", "COR", "DO", "EL", "FI", "GA", "HE", "LO", "MAR", "NI", "OR", "PE", "RO", "SA", "TI", "VAL")


def write(folder: Path, rng: np.random.Generator, plays: int, roles: int, speeches: int) -> None:
    """Writes `100.txt`: `plays` plays of `roles` roles with about `speeches` speeches each."""
    chain = rng.dirichlet(np.full(len(WORDS), 0.05), len(WORDS))
    lines = ["A stand-in for the works of Shakespeare: made up by fedatlas, not written by anybody.", "", "1609", ""]
    lines += ["THE SONNETS", "", "by William Shakespeare", ""]
    names = _names(plays * (roles + 1), rng)
    for play in range(plays):
        own = names[play * (roles + 1) : (play + 1) * (roles + 1)]
        lines += ["", "1600", "", f"{TITLES[play % len(TITLES)]} {own[0]}", "", "by William Shakespeare", "", ""]
        lines += ["ACT I. SCENE 1.", "", *_scene(own[1:], speeches, chain, rng), "", "THE END", ""]
    (folder / "100.txt").write_text("\n".join(lines) + "\n", encoding="ascii")


def _names(number: int, rng: np.random.Generator) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < number:
        found["".join(rng.choice(SYLLABLES, rng.integers(2, 5)))] = None
    return list(found)


def _scene(roles: list[str], speeches: int, chain: np.ndarray, rng: np.random.Generator) -> list[str]:
    """The lines of all speeches, roles in random order."""
    likes = rng.dirichlet(np.full(len(WORDS), 0.3), len(roles)) * len(WORDS)
    laws = [np.cumsum(chain * like, axis=1) for like in likes]
    lines = []
    for role in rng.permutation(np.repeat(np.arange(len(roles)), speeches)):
        first, *rest = textwrap.wrap(" ".join(_sentence(laws[role], rng) for _ in range(rng.integers(1, 5))), WIDTH)
        lines += [f"  {roles[role]}. {first}", *(f"    {line}" for line in rest)]
    return lines


def _sentence(law: np.ndarray, rng: np.random.Generator) -> str:
    word, words = int(rng.integers(len(WORDS))), []
    for uniform in rng.random(rng.integers(4, 14)):
        words.append(WORDS[word])
        word = int(np.searchsorted(law[word], uniform * law[word, -1]))
    return " ".join(words).capitalize() + str(rng.choice([".", ".", ".", "!", "?", ";"]))
