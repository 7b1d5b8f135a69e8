"""The list of what has been published: reports/published/README.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fedatlas.claims.status import Status
from fedatlas.files import write_text
from fedatlas.formatting import duration
from fedatlas.report.model.figure import anchor
from fedatlas.report.model.papers import Paper, figure_order
from fedatlas.results import summary
from fedatlas.results.published import Published

FILE = "README.md"
_INTRODUCTION = """\
# Published results

`make publish` writes this file and the folders beside it, from complete runs at paper or medium scale. Each folder
holds the verdicts (`claims.json`), the curves (`metrics.csv`), the score of every configuration (`sweep.csv`), the
pictures, and where every run comes from (`manifest.json`). A result is at the paper's own scale unless its row says
otherwise.
"""


def published_list(published: Mapping[str, Published], papers: Sequence[Paper]) -> str:
    """The file as Markdown: a section for each paper, with a row for each of its experiments."""
    sections = [_INTRODUCTION]
    for paper in papers:
        own = [one for one in published.values() if one.experiment.paper == paper.id]
        if own:
            heading = f"## {paper.id}\n\n[{paper.title}]({paper.link}), {paper.year}\n"
            sections.append(f"{heading}\n{_table(sorted(own, key=lambda one: figure_order(one.experiment)))}")
    return "\n".join(sections)


def write_list(folder: Path, published: Mapping[str, Published], papers: Sequence[Paper]) -> None:
    """Writes the list into the folder of what is published."""
    write_text(folder / FILE, published_list(published, papers))


def _table(rows: Iterable[Published]) -> str:
    lines = ["| figure | experiment | data | verdicts | computed |", "|---|---|---|---|---|"]
    for one in rows:
        experiment, results, runs = one.experiment, one.results, one.results.all
        counts = Counter(verdict["status"] for verdict in one.verdicts)
        verdicts = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status]) or "none"
        verdicts += ", on stand-in data" if results.is_stand_in else ""
        data = f"**{results.data}**" if results.is_stand_in else results.data
        title = f"[{experiment.title}]({one.key}/{_picture(one)})"
        title += "" if one.scale == "paper" else f", {one.scale} scale"
        computed = f"{summary.when(runs)} in {duration(summary.seconds(runs))}, commit {summary.commit(runs)}"
        lines.append(f"| {experiment.figure} | {title} | {data} | {verdicts} | {computed} |")
    return "\n".join(lines) + "\n"


def _picture(one: Published) -> str:
    return f"{anchor(one.experiment.figure)}.svg"
