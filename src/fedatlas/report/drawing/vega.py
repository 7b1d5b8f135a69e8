"""What interactive charts have in common: ink, colours, the legend and the choices of their buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from fedatlas.files import write_text
from fedatlas.lazy import alt, pd, vl_convert

SCALES = {"linear": "linear", "log": "logarithmic"}
DIGITS = 5  # significant ones in the page
DASHES = [[1, 0], [4, 4]]  # of what was measured, and of rates of the theory
SCALED = "scale == 'log' ? log(datum[metric]) / LN10 : datum[metric]"
LABEL = (
    "scale != 'log' ? datum.label"
    " : abs(datum.value - round(datum.value)) < 0.01 && abs(datum.value) > 3 ? '1e' + format(datum.value, 'd')"
    " : format(pow(10, datum.value), '.2~g')"
)


def bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network; its first line says who made it."""
    return f"{_made_by()}\n{vl_convert.javascript_bundle()}"


def write_bundle(path: Path) -> None:
    """Writes the script, which takes seconds to make, unless it is there already."""
    if not path.is_file() or not path.read_text(encoding="utf-8").startswith(_made_by()):
        write_text(path, bundle())


def _made_by() -> str:
    return f"// vl-convert-python {version('vl-convert-python')}"


class Title(NamedTuple):
    """Of an axis: its words by the value of a parameter."""

    parameter: str
    words: Mapping[str, str]


def explorer(
    chart: alt.Chart | alt.LayerChart, choices: Sequence[tuple[Any, ...]], colours: Mapping[str, str], x: str | Title,
    y: str | Title,
) -> dict[str, Any]:  # fmt: skip
    """What the page's script draws: the chart, the choices that its buttons offer, the axes' titles and the legend."""
    with alt.data_transformers.disable_max_rows():  # the page is read from disk
        spec = _dressed(chart).to_dict(validate=False)
    return {
        "spec": spec,
        "choices": choices,
        "titles": {
            name: [title.parameter, dict(title.words)] if isinstance(title, Title) else ["", {"": title}]
            for name, title in (("x", x), ("y", y))
        },
        "algorithms": [{"name": name, "colour": colour} for name, colour in colours.items()],
    }


def rounded(value: float) -> float:
    """To the digits that a page keeps."""
    return float(f"{value:.{DIGITS}g}")


def style_property(colour: str) -> str:
    """The name of the pages' style property that holds the colour as the theme shows it."""
    return f"--line-{colour.removeprefix('#').lower()}"


def style_colour(colour: str) -> str:
    """The colour as the pages' style writes it, following the theme."""
    return f"var({style_property(colour)})"


def scale_choice(first: str) -> tuple[str, str, list[tuple[str, str]]]:
    """The buttons for a linear or logarithmic axis."""
    return "scale", "scale", sorted(SCALES.items(), key=lambda pair: pair[0] != first)


def parameters(start: Mapping[str, Any]) -> list[alt.Parameter]:
    """What the buttons change, as it is at first; nothing is hidden."""
    return [alt.param(name=name, value=value) for name, value in {**start, "hidden": []}.items()]


def y_axis() -> alt.Y:
    """Of values that may be drawn as logarithms; the page writes its title."""
    return alt.Y("y:Q", title=None).axis(tickCount=6, labelExpr=LABEL, minExtent=46).scale(zero=False)


def colour(colours: Mapping[str, str]) -> alt.Color:
    """Colours by name, which follow the page's theme; its buttons are the legend."""
    return alt.Color("algorithm:N", legend=None).scale(domain=[*colours], range=[*colours.values()])


def lines(rows: pd.DataFrame, shown: str, x: alt.X, colours: Mapping[str, str], start: Mapping[str, Any]) -> alt.Chart:
    """Lines with a point at every value of the metric `start["metric"]`, of the rows of which the condition holds."""
    there = f"{shown} && indexof(hidden, datum.algorithm) < 0 && isValid(datum[metric]) && isFinite(datum.y)"
    tooltip = [alt.Tooltip("algorithm:N"), alt.Tooltip(x.shorthand), alt.Tooltip(f"{start['metric']}:Q", format=".4~g")]
    base = (
        alt.Chart(rows)
        .transform_calculate(y=SCALED)
        .transform_filter(there)
        .encode(x=x, y=y_axis(), color=colour(colours), tooltip=tooltip)
    )
    chart = alt.layer(base.mark_line(strokeWidth=1.8), base.mark_point(filled=True, size=80))
    return chart.add_params(*parameters(start))


def points(base: alt.Chart, tooltip: list[alt.Tooltip]) -> alt.Chart:
    """A point to hover over for every value; it shows while the pointer is near it."""
    near = alt.selection_point(name="near", on="pointerover", clear="pointerout", empty=False)
    shown = alt.when(near).then(alt.value(1)).otherwise(alt.value(0))
    return base.mark_point(filled=True, size=150).encode(opacity=shown, tooltip=tooltip).add_params(near)


def _dressed(chart: alt.Chart | alt.LayerChart) -> alt.Chart | alt.LayerChart:
    """The chart in the page's ink and as wide as the page."""
    return chart.properties(width="container", height=330).configure(background="transparent").configure_view(
        stroke=None
    ).configure_axis(
        labelColor="currentColor", domainColor="currentColor", tickColor="currentColor", gridColor="currentColor",
        titleColor="currentColor", gridOpacity=0.15, domainOpacity=0.5, labelFont="inherit", labelFontSize=12,
        titleFont="inherit", titleFontSize=12, titleFontWeight="normal",
    )  # fmt: skip
