"""The text that a reader sees on every page, of a small fixed set of published results.

`pytest tests/golden --rewrite-golden` writes the texts anew; the difference is what a reviewer reads.
"""

from __future__ import annotations

import difflib
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from fedatlas.cli import main
from fedatlas.config import read_yaml
from fedatlas.results.published import seal

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "pages"
pytestmark = pytest.mark.core  # two papers of small runs, in two seconds
KEYS = ("dualfl/theorem_4_1", "fedpd/claim_2_2")
PAGES = ("assumptions", "data", "dualfl", "fedpd", "index")
HIDDEN = {"script", "style", "template", "svg", "head"}
LINES = {"p", "div", "section", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "figure", "figcaption",
         "table", "details", "dt", "dd", "nav", "header", "main", "footer", "article", "pre"}  # fmt: skip
EMPTY = {"img", "br", "hr", "meta", "link", "input", "source", "col"}
ENTRIES = 3  # of each paper on the page of assumptions, where all look alike
MASKS = {
    r"\b\d{4}-\d{2}-\d{2}": "<date>",
    r"(?:\b|(?<=>))[0-9a-f]{10,64}\b": "<hash>",
    r"\b\d[\d.,\u202f\u00a0]* ?(?:s|ms|min|h|d|seconds|minutes|hours)\b": "<time>",
    r"\b\d[\d.,\u202f\u00a0]* ?(?:kB|MB|GB)\b": "<size>",
}


class VisibleText(HTMLParser):
    """The text of a page, a line for each block, without what browsers do not show."""

    def __init__(self):
        super().__init__()
        self._hidden, self._parts = 0, []

    def handle_starttag(self, tag, attributes):
        self._hidden += tag in HIDDEN
        if tag in LINES:
            self._parts.append("\n")
        if tag in ("td", "th"):
            self._parts.append(" | ")
        if tag == "img" and not self._hidden:
            self._parts.append(f"\n[{dict(attributes).get('alt', '')}]\n")

    def handle_endtag(self, tag):
        self._hidden -= tag in HIDDEN
        if tag in LINES:
            self._parts.append("\n")

    def handle_data(self, data):
        if not self._hidden:
            self._parts.append(re.sub(r"\s+", " ", data))

    @property
    def text(self) -> str:
        lines = (re.sub(r"[ ]+", " ", line).strip() for line in "".join(self._parts).split("\n"))
        text = "\n".join(line for line in lines if line) + "\n"
        for pattern, mask in MASKS.items():
            text = re.sub(pattern, mask, text)
        return text


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("reports")
    for key in KEYS:
        shutil.copytree(ROOT / "reports/published" / key, out / "published" / key)
    seal(out / "published")
    papers = sorted({key.split("/")[0] for key in KEYS})
    given = ["--out", out, "--runs", out / "no-runs", "--clients", out / "no-clients"]
    for page in PAGES:
        config = _short(tmp_path_factory.mktemp("made")) if page == "assumptions" else ROOT / "config"
        chosen = ["--page", page, "--papers", *papers, "--config", config]
        assert main(["report", "--published-only", *map(str, [*given, *chosen])]) == 0
    return out


def _short(folder: Path) -> Path:
    """The configuration with a few assumptions of each paper."""
    shutil.copytree(ROOT / "config", folder / "config")
    for path in (folder / "config/assumptions").iterdir():
        path.write_text(yaml.safe_dump({"assumptions": read_yaml(path)["assumptions"][:ENTRIES]}))
    return folder / "config"


@pytest.mark.parametrize("page", PAGES)
def test_text(site, page, request):
    assert {path.stem for path in site.glob("*.html")} == {*PAGES}
    found, path = VisibleText(), GOLDEN / f"{page}.txt"
    found.feed((site / f"{page}.html").read_text(encoding="utf-8"))
    if request.config.getoption("--rewrite-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found.text, encoding="utf-8")
    golden = path.read_text(encoding="utf-8") if path.is_file() else ""
    changes = difflib.unified_diff(golden.splitlines(), found.text.splitlines(), str(path), "now", lineterm="", n=1)
    if text := "\n".join(changes):
        pytest.fail(f"{text}\nIf this is meant: pytest tests/golden --rewrite-golden", pytrace=False)
