"""What has been published, as the README's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from fedatlas.claims.status import Status
from fedatlas.errors import AtlasError
from fedatlas.files import write_text
from fedatlas.formatting import duration
from fedatlas.report.model.papers import figure_order
from fedatlas.results import summary
from fedatlas.results.published import Published

START, END = "<!-- published: written by `fedatlas publish` -->", "<!-- end of published -->"


def readme_table(published: Mapping[str, Published]) -> str:
    """The rows as Markdown."""
    lines = ["| figure | experiment | data | claims | computed |", "|---|---|---|---|---|"]
    for one in sorted(published.values(), key=lambda one: figure_order(one.experiment)):
        experiment, results, runs = one.experiment, one.results, one.results.all
        counts = Counter(verdict["status"] for verdict in one.verdicts)
        claims = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status]) or "none"
        data = f"**{results.data}**" if results.is_stand_in else results.data
        claims += ", on stand-in data" if results.is_stand_in else ""
        picture = f"{one.key}/{experiment.figure.lower().replace(' ', '-')}.svg"
        title = f"[{experiment.title}](reports/published/{picture})"
        title += "" if one.scale == "paper" else f", {one.scale} scale"
        computed = f"{summary.when(runs)} in {duration(summary.seconds(runs))}, commit {summary.commit(runs)}"
        lines.append(f"| {experiment.paper}, {experiment.figure} | {title} | {data} | {claims} | {computed} |")
    return "\n".join(lines) + "\n"


def update_readme(path: Path, published: Mapping[str, Published]) -> None:
    """Writes the table between its two markers.

    Raises:
        AtlasError: if the file does not hold the markers.
    """
    text = path.read_text(encoding="utf-8")
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise AtlasError(f"{path} does not hold the lines '{START}' and '{END}', between which the table stands.")
    write_text(path, f"{before}{START}\n{readme_table(published)}{END}{after}")
