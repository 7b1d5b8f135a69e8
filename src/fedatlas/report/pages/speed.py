"""The page of speed: a round of the atlas's engine beside those of other simulators, and how it grows."""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt

from fedatlas.formatting import grouped, listed, number
from fedatlas.report.drawing import panels
from fedatlas.report.drawing.axis_scales import set_log
from fedatlas.report.drawing.picture import Picture, save
from fedatlas.report.drawing.theme import Theme
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.model.speed import US, Speed, Time
from fedatlas.report.pages import layout

COLOUR = "#1d6fd1"
BUSY = 0.25  # cores of other programs above which a time is marked
DIFFERENT = {  # what a peer does otherwise, by its name
    US: "draws its own cohorts; clients shuffle their examples in every round; networks compute one client per core.",
    "numpy by hand": "one loop over clients, no framework; all pairs of rates share each product; no shuffling.",
    "JAX by hand": "one compiled function per round, examples on the device, clients vectorised; no shuffling.",
    "FedJAX": "its fed_avg with the compiled loop over clients; one pair of rates at a time; no shuffling.",
    "PyTorch loop": "a module and an optimiser for each client in turn; one pair of rates at a time; no shuffling.",
    "pfl-research": "its simulated backend with PyTorch models; one pair of rates at a time; no shuffling.",
    "stock TFF": (
        "tff.learning with tf.data clients in memory and its faster loop; one pair of rates at a time. Its worker "
        "process counts as another program."
    ),
}


def write_speed(inputs: SiteInputs) -> None:
    """Writes `speed.html` and its pictures."""
    speed, context = inputs.speed, {}
    if speed is not None:
        context = {
            "beside": _beside(inputs, speed),
            "growth": _growth(inputs, speed),
            "works": [(work, _rows(speed, id)) for id, work in speed.works.items()],
            "versions": _versions(speed),
            "different": [(peer, DIFFERENT[peer]) for peer in DIFFERENT if any(t.peer == peer for t in speed.times)],
            "machine": f"{speed.machine.processor}, {speed.machine.cores} cores",
            "bandwidth": f"{speed.machine.bandwidth / 1e9:.1f} GB",
            "peak": f"{speed.machine.peak / 1e9:.0f} billion",
        }
    body = layout.render("speed.html.j2", speed=speed, **context)
    layout.write_page(inputs.out, "speed.html", "Speed", body, inputs.navigation)


def _rows(speed: Speed, work: str) -> list[dict[str, Any]]:
    times = speed.of(work)
    ours = times[US].ms
    return [_row(speed, time, ours) for time in times.values()]


def _row(speed: Speed, time: Time, ours: float) -> dict[str, Any]:
    of_peak, of_bandwidth = speed.shares(time)
    return {
        "peer": time.peer,
        "ms": number(time.ms),
        "blocks": f"{number(min(time.blocks))} to {number(max(time.blocks))}",
        "times": number(time.ms / ours),
        "peak": _share(of_peak),
        "bandwidth": _share(of_bandwidth),
        "busy": f"{time.other_cores:.2f}" if time.other_cores > BUSY else "",
    }


def _share(value: float) -> str:
    return f"{value:.1%}" if value >= 0.001 else "< 0.1%"


def _versions(speed: Speed) -> str:
    found = {name: version for time in speed.times for name, version in time.versions.items()}
    return listed(f"{name} {version}" for name, version in sorted(found.items()))


def _beside(inputs: SiteInputs, speed: Speed) -> Picture:
    def draw(theme: Theme, columns: int) -> plt.Figure:
        return draw_beside(speed, theme, columns)

    told = (f"{work.about}: {_in_words(speed.of(id))}." for id, work in speed.works.items())
    caption = "A dot is the median of three blocks of rounds; the axes are logarithmic."
    return save(inputs.out, "figures/speed/beside", draw, " ".join(told), caption)


def draw_beside(speed: Speed, theme: Theme, columns: int) -> plt.Figure:
    """A panel for each work with a dot for each peer, the fastest on top; call inside `theme.style`."""
    size = panels.Size(panels.WIDE if columns > 1 else panels.NARROW, columns)
    canvas, axes = panels.grid(len(speed.works), size, 2.3, left=1.25)
    for axis, (id, work) in zip(axes.flat, speed.works.items(), strict=False):
        _draw_times(axis, [*speed.of(id).values()][::-1], theme)
        axis.set_title(work.about.split(",")[0].split(";")[0], fontsize=9)
    return canvas


def _in_words(times: dict[str, Time]) -> str:
    return listed(f"{time.peer} {number(time.ms)} ms" for time in times.values())


def _draw_times(axis: plt.Axes, times: list[Time], theme: Theme) -> None:
    for place, time in enumerate(times):
        colour = theme.readable(COLOUR) if time.peer == US else theme.faint
        axis.plot([time.ms], [place], "o", color=colour, markersize=7)
        axis.annotate(number(time.ms), (time.ms, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
    axis.set_yticks(range(len(times)), [time.peer for time in times])
    axis.set_ylim(-0.6, len(times) - 0.4)
    set_log(axis, "x")
    axis.margins(x=0.25)
    axis.set_xlabel("milliseconds per round and configuration")


def _growth(inputs: SiteInputs, speed: Speed) -> Picture:
    """The time of a round of least squares as one thing grows, and the memory as the clients do."""
    grown: dict[str, tuple[tuple[tuple[int, float], ...], str]] = {
        axis: (found, "milliseconds per round") for axis, found in speed.scaling.items()
    }
    grown["clients"] = (speed.memory, "MB at the peak")

    def draw(theme: Theme, columns: int) -> plt.Figure:
        size = panels.Size(panels.WIDE if columns > 1 else panels.NARROW, columns)
        canvas, axes = panels.grid(len(grown), size, 2.2, left=0.8)
        for axis, (name, (found, words)) in zip(axes.flat, grown.items(), strict=False):
            _draw_growth(axis, found, theme)
            axis.set(xlabel=name, ylabel=words, title=f"{name}: s = {_slope(found):.2f}")
        return canvas

    alt = " ".join(
        f"By {name}: {listed(f'{grouped(size)}: {number(value)}' for size, value in found)} {words}."
        for name, (found, words) in grown.items()
    )
    return save(
        inputs.out, "figures/speed/growth", draw, alt, "Both axes are logarithmic. s is the slope from end to end."
    )


def _draw_growth(axis: plt.Axes, found: tuple[tuple[int, float], ...], theme: Theme) -> None:
    sizes, values = zip(*found, strict=True)
    axis.plot(sizes, values, "o-", color=theme.readable(COLOUR), markersize=5)
    set_log(axis)
    axis.set_ylim(min(values) / 1.6, max(values) * 1.6)
    set_log(axis, "x")
    axis.set_xticks(sizes, [grouped(size) for size in sizes])


def _slope(found: tuple[tuple[int, float], ...]) -> float:
    """Of the logarithm of the value against that of the size, between the ends: 1 where both grow alike."""
    (first, low), (last, high) = found[0], found[-1]
    return math.log(high / low) / math.log(last / first)
