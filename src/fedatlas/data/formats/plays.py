"""The plays of Shakespeare as speeches by role, from the text of Project Gutenberg's etext 100.

The rules are those of LEAF (Caldas et al., 2018), which are those of McMahan et al., AISTATS 2017: they rely on the
indentation of this text, so its older postings are needed and today's will not do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

AUTHOR = "by William Shakespeare"
LAST_LINE = 124195  # the plays end here, counted from the second line of the text
ROLE, SPEECH = re.compile(r"  ([a-zA-Z][a-zA-Z ]*)\. (.*)"), re.compile(r"    (.*)")
# one play is not indented: there a speech goes on until a stage direction or the next act
UNINDENTED = "THE COMEDY OF ERRORS"
UNINDENTED_ROLE = re.compile(r"([a-zA-Z][a-zA-Z ]*)\. (.*)")


def read_roles(text: str) -> dict[str, list[str]]:
    """The lines that each role of each play speaks, in order, by `<PLAY>_<ROLE>`.

    Roles with at most two lines, and plays with at most one role, are left out.
    """
    roles: dict[str, list[str]] = {}
    for title, lines in _plays(text):
        spoken: dict[str, list[str]] = {}
        for role, line in _speeches(lines, indented=title != UNINDENTED):
            spoken.setdefault(role, []).append(line)
        if len(spoken) > 1:
            for role, said in spoken.items():
                if len(said) > 2:
                    roles.setdefault(re.sub(r"\W+", "_", f"{title}_{role}"), []).extend(said)
    return roles


def as_one_text(lines: Iterable[str]) -> str:
    """A role's lines as LEAF cuts its windows from them: joined, with every run of spaces made one."""
    return re.sub("  +", " ", "".join(f"{line} " for line in lines))


def _plays(text: str) -> Iterator[tuple[str, list[str]]]:
    """The title and the lines of each play; the first author line is the sonnets', before the plays."""
    lines = text.splitlines()[1 : LAST_LINE + 2]
    starts = [number for number, line in enumerate(lines) if AUTHOR in line][1:]
    for start, end in pairwise([*starts, len(lines)]):
        yield _title(lines, start), lines[start + 1 : end]


def _title(lines: list[str], author: int) -> str:
    """The title stands two to seven lines above the author."""
    above = (lines[number].strip() for number in range(author - 2, max(author - 8, -1), -1))
    return next((line for line in above if line), "")


def _speeches(lines: Iterable[str], indented: bool) -> Iterator[tuple[str, str]]:
    """(role, line) of a play, roles in capitals."""
    role = None
    for line in lines:
        if start := (ROLE if indented else UNINDENTED_ROLE).match(line):
            role = start[1].upper()
            if not indented and role.startswith("ACT "):
                role = None
            else:
                yield role, start[2]
        elif role and indented and (more := SPEECH.match(line)):
            yield role, more[1]
        elif role and not indented:
            if line.startswith("<"):
                role = None
            else:
                yield role, line
