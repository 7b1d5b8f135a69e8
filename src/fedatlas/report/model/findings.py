"""What the atlas found about each paper, in sentences that name the verdicts they rest on.

The sentences stand in config/papers/<paper>.yaml and are written by hand. When a published verdict changes, `check`
lists the sentences that have to be read again.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from fedatlas.claims.status import Status
from fedatlas.claims.tally import SentenceOutcome, claim_of, is_counted, sentences
from fedatlas.config import Names, Strict

if TYPE_CHECKING:
    from fedatlas.report.model.papers import Paper

NOT_PUBLISHED = "not published"
Found = Status | Literal["not published"]
Verdict = Mapping[str, Any]
LONGEST_HEAD = 110  # characters, two lines of a page at most
HEADINGS = {
    "claims": "What the paper claims",
    "held": "What held",
    "failed": "What did not hold, and why",
    "indicated": "What too few independent seeds indicate",
    "undecided": "What could not be judged here, and why",
}


class Sentence(Strict):
    """What was found, and the verdicts that it rests on.

    Attributes:
        head: the finding in a line, for whoever reads no numbers.
        text: the finding with its numbers.
        rests_on: by the id of a claim of the paper, the published status that makes the sentence true. A claim that no
            published experiment has judged is `not published`.
    """

    head: Annotated[str, Field(min_length=1, max_length=LONGEST_HEAD)] | None = None
    text: str
    rests_on: dict[str, Found] = {}


class Summary(Strict):
    """What stands on top of a paper's page.

    Attributes:
        claims: what the paper claims; needs no verdicts.
        held: what was reproduced.
        failed: what was not, and why.
        indicated: what was measured on fewer independent seeds than decide.
        undecided: what could not be judged here, and why.
    """

    claims: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    held: tuple[Sentence, ...]
    failed: tuple[Sentence, ...]
    indicated: tuple[Sentence, ...] = ()
    undecided: tuple[Sentence, ...]

    @model_validator(mode="after")
    def _all_have_a_head_and_rest_on_verdicts(self) -> Summary:
        for sentence in (*self.held, *self.failed, *self.indicated, *self.undecided):
            begins = textwrap.shorten(sentence.text, 80, placeholder=" …")
            if not sentence.rests_on:
                raise ValueError(f"'{begins}' names no claim; say under 'rests_on' which verdicts it is about")
            if not sentence.head:
                raise ValueError(f"'{begins}' has no head; say under 'head' in one line what was found")
        return self


class Picture(Strict):
    """The published picture on a paper's card.

    Attributes:
        experiment: id of an experiment of the paper.
        figure: id of the paper's figure that shows it, of which the first panel is drawn.
        algorithms: those that it shows; all of the figure if not given.
    """

    experiment: str
    figure: str
    algorithms: Names = ()


class Findings(Strict):
    """What was found about one paper.

    Attributes:
        claim: the paper's main claim.
        answer: our answer to it.
        not_counted: by id, experiments of paper scale whose data or size is not the paper's, and what it is instead;
            the bar of the card leaves their verdicts out.
    """

    claim: str
    answer: Sentence
    picture: Picture
    not_counted: dict[str, str] = {}
    summary: Summary

    @model_validator(mode="after")
    def _answer_rests_on_verdicts(self) -> Findings:
        if not self.answer.rests_on:
            raise ValueError("the 'answer' names no claim; say under 'rests_on' which verdicts it is about")
        return self

    @property
    def sentences(self) -> Iterator[Sentence]:
        """All sentences that rest on verdicts, the answer first."""
        yield self.answer
        for part in HEADINGS:
            yield from getattr(self.summary, part)


@dataclass(frozen=True)
class Outdated:
    """A sentence one of whose verdicts is not what it rests on."""

    sentence: str
    claim: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"“{self.sentence}” rests on {self.claim}, which was “{self.was}” and is “{self.now}”: read it again"


def check(findings: Findings, verdicts: Iterable[Verdict]) -> list[Outdated]:
    """The sentences whose verdicts have changed or are missing.

    Args:
        verdicts: all published ones of the paper, as in reports/published/<paper>/<experiment>/claims.json.
    """
    now = {verdict["id"]: verdict["status"] for verdict in verdicts}
    return [
        Outdated(sentence.text, claim, was, now.get(claim, NOT_PUBLISHED))
        for sentence in findings.sentences
        for claim, was in sentence.rests_on.items()
        if now.get(claim, NOT_PUBLISHED) != was
    ]


def counted(findings: Findings, verdicts: Iterable[Verdict]) -> Counter[Status]:
    """How many verdicts have each status, of those at the paper's own scale and on its own data."""
    return Counter(
        Status(verdict["status"])
        for verdict in verdicts
        if is_counted(verdict)
        and verdict["scale"] == "paper"
        and verdict["experiment"].partition("/")[2] not in findings.not_counted
    )


def card_of(
    paper: Paper, findings: Findings, published: Iterable[Verdict], href: str | None, picture: Any
) -> dict[str, Any]:
    """What `card` of findings.html.j2 shows.

    Args:
        published: the published verdicts of the paper.
        href: the paper's page; None if it has none.
        picture: a `drawing.picture.Picture`; None if its experiment has not been published.
    """
    published = list(published)
    counts = counted(findings, published)
    found = sentences(published)
    outcomes = [one.counted(found[one]) for one in SentenceOutcome if found[one]]
    return {
        "paper": paper,
        "counts": counts,
        "sentences": found.total(),
        "outcomes": outcomes,
        "href": href,
        "picture": picture,
    }


def summary_of(
    findings: Findings, published: Iterable[Verdict], others: Iterable[Verdict], unjudged: Mapping[str, Verdict]
) -> list[dict[str, Any]]:
    """What `summary` of findings.html.j2 shows: a heading and its sentences, each with the claims that it rests on.

    Args:
        others: verdicts on what this machine has run, whose claims stand on the page even if not published.
        unjudged: figure and statement of claims that perhaps nothing has judged, by their ids.
    """
    kept, here = ({verdict["id"]: verdict for verdict in verdicts} for verdicts in (published, others))
    return [
        {
            "heading": heading,
            "sentences": [
                {
                    "head": one.head,
                    "text": one.text,
                    "claims": [_link(id, kept.get(id), here.get(id), unjudged.get(id)) for id in one.rests_on],
                }
                for one in getattr(findings.summary, name)
            ],
        }
        for name, heading in HEADINGS.items()
        if getattr(findings.summary, name)
    ]


def _link(id: str, kept: Verdict | None, here: Verdict | None, unjudged: Verdict | None) -> dict[str, Any]:
    """One claim: its published status, None if it has none, and where it stands on the page, None if it does not."""
    verdict = kept or here
    about = verdict or unjudged or {"figure": id, "statement": id}
    return {
        "label": about["figure"],
        "statement": about["statement"],
        "status": Status(kept["status"]) if kept else None,
        "href": f"#{claim_of(verdict)}" if verdict else None,
    }
