"""Pictures as small SVG files that follow the reader's theme.

A picture is drawn once, in the light theme. Every colour that belongs to the theme becomes a custom property, which the
file's own style sets for light and for dark pages.
"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
from matplotlib.backends.backend_svg import FigureCanvasSVG

from fedatlas.report.drawing.theme import DARK, INKS, LIGHT, lines_drawn

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_STEP = re.compile(r"([MLCQz])([^MLCQz]*)")
_LONG = re.compile(r"(-?\d+\.\d)\d+")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_UNSEEN = {"fill: none", "fill: none; opacity: 0"}
_EVERYWHERE = "*{stroke-linejoin:round;stroke-linecap:butt}"

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", LINK)


def svg(figure: plt.Figure, follow: bool = True) -> bytes:
    """The figure as SVG; closes it. The same figure gives the same bytes every time.

    Its colours follow the page's theme, unless `follow` is false: then they are as drawn.
    """
    for part in (figure, *figure.axes):
        part.patch.set(facecolor="none", edgecolor="none")
    buffer = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    plt.close(figure)
    text = _small(ElementTree.fromstring(buffer.getvalue()))
    return (_themed(text) if follow else text).encode()


def _small(root: ElementTree.Element) -> str:
    """The same picture to a tenth of a point: styles as classes, nothing that no browser needs."""
    metadata = root.find(f"{{{SVG}}}metadata")
    if metadata is not None:
        root.remove(metadata)
    classes: dict[str, str] = {}
    _reduce(root, classes)
    style = root.find(f"{{{SVG}}}defs/{{{SVG}}}style")
    assert style is not None, "Matplotlib writes one into every picture"
    style.text = _EVERYWHERE + "".join(f".{name}{{{rules}}}" for rules, name in classes.items())
    return ElementTree.tostring(root, encoding="unicode")


def _reduce(element: ElementTree.Element, classes: dict[str, str]) -> None:
    kept: list[ElementTree.Element] = []
    for child in element:
        _reduce(child, classes)
        if not (child.tail or "").strip():
            child.tail = None
        if child.tag == f"{{{SVG}}}g" and not child.attrib:  # a group of nothing but its parts
            kept += child
        elif not _is_unseen(child):
            kept.append(child)
    element[:] = kept
    if not (element.text or "").strip():
        element.text = None
    _shorten(element, classes)


def _is_unseen(element: ElementTree.Element) -> bool:
    empty = element.tag == f"{{{SVG}}}g" and not len(element)
    return empty or (element.tag == f"{{{SVG}}}path" and element.attrib.get("style") in _UNSEEN)


def _shorten(element: ElementTree.Element, classes: dict[str, str]) -> None:
    attributes = element.attrib
    if element.tag == f"{{{SVG}}}g":
        attributes.pop("id", None)
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    if "d" in attributes:
        attributes["d"] = _path(attributes["d"])
    for name in {"x", "y", "transform", "width", "height", "viewBox"} & attributes.keys():
        attributes[name] = _LONG.sub(r"\1", attributes[name])
    if "style" in attributes:
        rules = attributes.pop("style").replace(": ", ":").replace("; ", ";").replace(", ", ",")
        attributes["class"] = classes.setdefault(rules, f"s{len(classes)}")


def _path(d: str) -> str:
    """The path in tenths of a point, without lines that end where they began."""
    steps: list[str] = []
    for command, rest in _STEP.findall(d):
        step = command + " ".join(f"{float(number):.1f}".removesuffix(".0") for number in rest.split())
        if not (steps and step[0] == "L" and step[1:] == steps[-1][1:]):
            steps.append(step)
    return re.sub(r"(?<=\d)L", " ", "".join(steps))


def _themed(text: str) -> str:
    """Colours of the theme as custom properties of the picture's style."""
    pairs = {getattr(LIGHT, ink): getattr(DARK, ink) for ink in INKS} | lines_drawn()
    used = sorted({colour for colour in _COLOUR.findall(text) if pairs.get(colour, colour) != colour})
    names = {colour: f"--{place}" for place, colour in enumerate(used)}
    light = ";".join(f"{name}:{colour}" for colour, name in names.items())
    dark = ";".join(f"{name}:{pairs[colour]}" for colour, name in names.items())
    text = _COLOUR.sub(lambda found: f"var({names[found.group()]})" if found.group() in names else found.group(), text)
    style = f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
    return text.replace(_EVERYWHERE, style + _EVERYWHERE, 1)
