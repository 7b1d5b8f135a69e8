"""Pictures in few letters are the same pictures."""

import base64
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from fedatlas.report.drawing import theme
from fedatlas.report.drawing.svg import svg
from fedatlas.report.drawing.svg_path import shortened


def places(d: str) -> list[tuple[str, list[float]]]:
    """Every step of a path of relative commands, in absolute places."""
    found, here, began = [], np.zeros(2), np.zeros(2)
    for command, rest in re.findall(r"([mlcqz])([^mlcqz]*)", d):
        if command == "z":
            here = began
            found.append(("z", []))
            continue
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        points = np.array(numbers).reshape(-1, {"m": 1, "l": 1, "c": 3, "q": 2}[command], 2)
        for place, step in enumerate(points):
            found.append(("l" if command == "m" and place else command, (here + step).ravel().tolist()))
            here = here + step[-1]
            began = here if command == "m" and place == 0 else began
    return found


@pytest.mark.parametrize(
    ("path", "letters"),
    [
        ("M 10 20 L 10.5 19.5 L 11 20.25", "m10 20 .5-.5.5.7"),
        ("M 0 0 L 0 0.04 L 1 0", "m0 0 1 0"),
        ("M 1 1 L 2 1 L 2 2 z M 5 5 L 6 6", "m1 1 1 0 0 1zm4 4 1 1"),
        ("M 0 -0.5 C 0.1 -0.5 0.3 -0.4 0.4 -0.3 C 0.5 -0.2 0.5 -0.1 0.5 0", "m0-.5c.1 0 .3.1.4.2.1.1.1.2.1.3"),
        ("M 3 4 Q 4 4 4 5 L 4 6", "m3 4q1 0 1 1l0 1"),
        ("M 0 0 L 1 0 L 2 0 L 4 0 L 3 0 L 3 1 L 4 2 L 6 4 L 7 6", "m0 0 4 0-1 0 0 1 3 3 1 2"),
    ],
)
def test_a_path_in_few_letters(path, letters):
    assert shortened(path) == letters


def test_a_long_line_ends_where_it_ended():
    rng = np.random.default_rng(0)
    points = rng.uniform(-300, 300, (2000, 2))
    path = " ".join(f"{'L' if i else 'M'} {x:.6f} {y:.6f}" for i, (x, y) in enumerate(points))
    drawn = np.array([numbers for _, numbers in places(shortened(path))])
    assert np.abs(drawn - points).max() < 0.051
    assert len(shortened(path)) < 0.65 * len(path)


def drawn(axis_of) -> str:
    with theme.style(theme.LIGHT):
        figure, axis = plt.subplots()
        axis_of(axis)
        return svg(figure).decode()


def test_neighbours_share_their_style_and_their_clip():
    def dots(axis):
        axis.scatter(range(40), range(40), color="#d97706")
        for height in range(5):
            axis.plot([0, 1], [height, height], color="#0d9488")

    text = drawn(dots)
    (group,) = re.findall(r"<g[^>]*>((?:<use[^>]*/>){40})</g>", text)
    assert "class=" not in group and "clip-path=" not in group
    (lines,) = re.findall(r"<g class=[^>]*>((?:<path[^>]*/>){5})</g>", text)
    assert "class=" not in lines
    assert text.count("#0d9488") == 1


def test_what_is_faint_as_a_whole_stays_so_by_itself():
    """A group of faint parts would not show where they overlap."""
    text = drawn(lambda axis: axis.bar(range(9), 1, 2, color="#0d9488", alpha=0.5))
    faint = {name for name, rules in re.findall(r"\.(s\d+)\{([^}]*)\}", text) if re.search(r"(?<!-)opacity:", rules)}
    assert faint and not faint & set(re.findall(r'<g class="(s\d+)"', text))
    assert sum(text.count(f'class="{name}"') for name in faint) >= 9


def test_an_image_keeps_every_pixel():
    pixels = np.random.default_rng(1).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    text = drawn(lambda axis: axis.imshow(pixels, interpolation="none"))
    packed = re.search(r'href="data:image/webp;base64,([^"]*)"', text).group(1)
    with Image.open(io.BytesIO(base64.b64decode(packed))) as image:
        seen = np.asarray(image.convert("RGB"))
    assert {tuple(pixel) for pixel in pixels.reshape(-1, 3)} == {tuple(pixel) for pixel in seen.reshape(-1, 3)}


def test_every_name_that_is_used_is_there():
    text = drawn(lambda axis: axis.plot(range(5), "o-"))
    names = set(re.findall(r' id="([^"]*)"', text))
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]*)', text))
    assert used and used <= names
    assert max(map(len, names)) < 4


def test_letters_are_in_no_group():
    """A browser leaves out what stands in a group within a text."""
    text = drawn(lambda axis: axis.semilogy([1e-25, 1e-5]))
    labels = re.findall(r"<text[^>]*>.*?</text>", text)
    assert any(label.count("<tspan") > 3 for label in labels)
    assert not any("<g" in label for label in labels)
