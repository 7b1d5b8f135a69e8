"""The gallery: every algorithm of the atlas with its code and where it stands, and all of them beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedatlas.about.entry import Entry
from fedatlas.about.families import FAMILIES
from fedatlas.algorithms import algorithms
from fedatlas.formatting import named_rates, number
from fedatlas.report.drawing.vega import style_colour
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages import highlighted, layout
from fedatlas.report.pages.colours import colour_rules
from fedatlas.report.pages.side_by_side import about, side_by_side
from fedatlas.results.standings import Standing, by_method

TITLE = "Algorithms"
FOLDER = "algorithms"


def write_algorithms(inputs: SiteInputs) -> None:
    """Writes `algorithms.html`, and `algorithms/<id>.html` of every algorithm."""
    found = by_method(one.results for one in inputs.published.values())
    entries = {id: Entry(id) for id in algorithms}
    highlighted.write_style(inputs.out)
    for id, entry in entries.items():
        _write_one(inputs, entry, found.get(id, []))
    body = layout.render(
        "algorithms.html.j2",
        families=[(name, [_row(entries[id], found.get(id, [])) for id in ids]) for name, ids in FAMILIES.items()],
        colours=colour_rules(entry.cls.colour for entry in entries.values()),
        beside=side_by_side(inputs, found, entries),
    )
    layout.write_page(inputs.out, f"{FOLDER}.html", TITLE, body, inputs.navigation)


def _row(entry: Entry, stood: Sequence[Standing]) -> dict[str, Any]:
    return {
        "entry": entry,
        "href": f"{FOLDER}/{entry.id}.html",
        "dot": style_colour(entry.cls.colour),
        "experiments": len(stood),
        "first": sum(one.place == 1 and one.of > 1 for one in stood),
        "beside": sum(one.of > 1 for one in stood),
    }


def _write_one(inputs: SiteInputs, entry: Entry, stood: Sequence[Standing]) -> None:
    body = layout.render(
        "algorithm.html.j2",
        entry=entry,
        file=f"src/fedatlas/algorithms/{entry.id}.py",
        code=highlighted.python(entry.own_code),
        inherited={name: highlighted.python(code) for name, code in entry.inherited.items()},
        call=highlighted.python(call(entry)),
        stood=[_stood(inputs, one) for one in stood],
        dot=style_colour(entry.cls.colour),
        colours=colour_rules([entry.cls.colour]),
    )
    layout.write_page(inputs.out, f"{FOLDER}/{entry.id}.html", entry.name, body, inputs.navigation)


def call(entry: Entry) -> str:
    """How a program asks for it, as the library does and as a process of TensorFlow Federated."""
    given = ", ".join(f"{own.name}={own.usual.split(', ')[0]}" for own in entry.parameters)
    lines = [
        "import fedatlas as fa",
        "",
        f'study = fa.compare(["{entry.id}"], problem, clients)  # over its usual grid',
    ]
    if not entry.not_a_process:
        spec = ", ".join(filter(None, ["problem", "input_spec=spec", given]))
        lines.append(f'process = fa.tff_process("{entry.id}", {spec})')
    return "\n".join(lines)


def _stood(inputs: SiteInputs, one: Standing) -> dict[str, Any]:
    """An algorithm in an experiment, as a row of a table."""
    return about(one) | {
        "short": inputs.short_names.get(one.results.experiment.paper, one.results.experiment.paper),
        "label": one.label,
        "value": number(one.value),
        "place": one.place,
        "configuration": named_rates(one.results.sweep_run(one.entry).configuration),
    }
