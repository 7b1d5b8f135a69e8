"""Algorithms of different papers beside each other: a table to choose them in, and their curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from fedatlas.about.entry import Entry
from fedatlas.formatting import number
from fedatlas.lazy import alt
from fedatlas.report.drawing import vega
from fedatlas.report.drawing.axis_scales import is_log
from fedatlas.report.model.figure import Panel, anchor
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages.explorers import save_explorer
from fedatlas.report.views._base import Explorer
from fedatlas.results.standings import Standing

FIRST = ("fedavg", "fedprox", "scaffold", "feddualavg")  # those that are shown until others are chosen
STEM = "figures/side-by-side"


def side_by_side(
    inputs: SiteInputs, found: Mapping[str, list[Standing]], entries: Mapping[str, Entry]
) -> dict[str, Any] | None:
    """What the page says of the experiments in which several algorithms ran; None where there are none."""
    together = [one for stood in found.values() for one in stood if one.of > 1]
    if not together:
        return None
    ran = [id for id in entries if any(one.method == id for one in together)]
    return {
        "columns": [(id, entries[id].name, id in FIRST) for id in ran],
        "groups": _groups(inputs, together),
        "explorer": save_explorer(inputs.out, STEM, _explorer(inputs, together, entries)),
    }


def about(one: Standing) -> dict[str, Any]:
    """The experiment in which an algorithm stands; `href` is where its figure is, from the folder of all pages."""
    experiment = one.results.experiment
    return {
        "paper": experiment.paper,
        "title": experiment.title,
        "href": f"{experiment.paper}.html#{anchor(experiment.figure)}",
        "metric": one.metric.name,
        "best": experiment.select.best,
        "scale": one.results.scale,
        "stand_in": one.results.is_stand_in,
        "of": one.of,
    }


def _groups(inputs: SiteInputs, together: Iterable[Standing]) -> list[tuple[str, list[dict[str, Any]]]]:
    """By paper, a row for each experiment with a cell for each algorithm that ran."""
    rows: dict[str, dict[str, Any]] = {}
    for one in together:
        row = rows.setdefault(one.results.key, {**about(one), "cells": {}})
        row["cells"][one.method] = {"value": number(one.value), "place": one.place}
    ordered = [rows[key] for key in inputs.published if key in rows]
    names = [name for name in inputs.short_names if any(row["paper"] == name for row in ordered)]
    return [(inputs.short_names[name], [row for row in ordered if row["paper"] == name]) for name in names]


def _explorer(inputs: SiteInputs, together: list[Standing], entries: Mapping[str, Entry]) -> Explorer:
    """The curves of the metric that selects, of one experiment at a time; opens where most of FIRST ran."""
    by_key: dict[str, list[Standing]] = {}
    for one in together:
        by_key.setdefault(one.results.key, []).append(one)
    keys = sorted(by_key, key=lambda key: -sum(one.method in FIRST for one in by_key[key]))
    first = by_key[keys[0]][0]
    rows = pd.concat([_curve(one, entries[one.method].name) for key in keys for one in by_key[key]], ignore_index=True)
    colours = {entries[id].name: vega.style_colour(entries[id].cls.colour) for id in entries}
    panel = Panel(metric=first.metric.metric, split=first.metric.split)
    scale = "log" if is_log(rows[rows["experiment"] == keys[0]]["value"], panel) else "linear"
    words = {key: f"{inputs.short_names[key.split('/')[0]]}: {by_key[key][0].results.experiment.title}" for key in keys}
    chart = _chart(rows, colours, {"experiment": keys[0], "metric": "value", "scale": scale})
    y = vega.Title("experiment", {key: by_key[key][0].metric.name for key in keys})
    choices = [("experiment", "experiment", [*words.items()]), vega.scale_choice(scale)]
    present = {key: [entries[one.method].name for one in by_key[key]] for key in keys}
    shown = {name: colour for name, colour in colours.items() if any(name in names for names in present.values())}
    return {**vega.explorer(chart, choices, shown, "rounds", y), "present": ["experiment", present]}


def _curve(one: Standing, name: str) -> pd.DataFrame:
    """The mean over the seeds that are scored."""
    runs = one.results.scored(one.entry)
    by_seed = pd.concat([run.values(one.metric.metric, one.metric.split) for run in runs], axis=1)
    values = by_seed.mean(axis=1, skipna=False).dropna()
    return pd.DataFrame(
        {
            "experiment": one.results.key,
            "algorithm": name,
            "round": values.index,
            "value": [vega.rounded(value) for value in values],
        }
    )


def _chart(rows: pd.DataFrame, colours: Mapping[str, str], start: Mapping[str, Any]) -> alt.LayerChart:
    base = (
        alt.Chart(rows)
        .transform_filter("datum.experiment == experiment && indexof(hidden, datum.algorithm) < 0")
        .transform_calculate(y=vega.SCALED)
        .transform_filter("isValid(datum.value) && isFinite(datum.y)")
        .encode(
            x=alt.X("round:Q", title=None).axis(grid=False, tickCount=8),
            y=vega.y_axis(),
            color=vega.colour(colours),
        )
    )
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("round:Q", format=",d"), alt.Tooltip("value:Q", format=".4~g"),
    ]  # fmt: skip
    return alt.layer(base.mark_line(strokeWidth=1.8), vega.points(base, tooltip)).add_params(*vega.parameters(start))
