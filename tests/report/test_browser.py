"""The pages in headless Chromium: no console error, pictures visible, nothing wider than a phone."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from html_page import Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=12000",
    "--enable-logging=stderr", "--v=0",
]  # fmt: skip
PROBE = """<script>addEventListener("load", () => setTimeout(() => {
document.querySelectorAll("details").forEach((d) => { d.open = true; });
for (const image of document.images) image.loading = "eager";
const root = document.documentElement;
setTimeout(() => {
  root.dataset.overflow = root.scrollWidth - root.clientWidth;
  for (const image of document.images) image.dataset.seen = image.naturalWidth > 0 && image.offsetHeight > 20;
}, 4000);
}, 1500));</script>"""

CLICKS = """<script>addEventListener("load", () => setTimeout(async () => {
const details = document.querySelectorAll("#figure-3 details.explore")[1], root = document.documentElement.dataset;
const settled = () => new Promise((resolve) => setTimeout(resolve, 800));
root.drawnUnopened = details.querySelectorAll("svg").length;
details.open = true; await settled();
const plot = details.querySelector(".plot");
const press = (label) => [...details.querySelectorAll("button")]
  .find((button) => button.textContent === label).click();
const lines = () => plot.querySelectorAll("g.mark-line path").length;
const last = () => [...plot.querySelectorAll("g.role-axis-label")][0].lastChild.textContent;
root.lines = lines(); root.last = last();
press("FedMiD"); press("gradient evaluations"); await settled();
root.linesWithoutFedmid = lines(); root.lastGradient = last();
press("FedMiD"); press("megabytes sent"); await settled();
root.linesAgainstMegabytes = lines();
}, 1500));</script>"""

PHONE = """<script>addEventListener("load", () => setTimeout(() => {
document.querySelectorAll("details").forEach((d) => { d.open = true; });
setTimeout(() => {
  const root = document.documentElement;
  parent.postMessage(root.scrollWidth - root.clientWidth, "*");
}, 300);
}, 1500));</script>"""
LISTEN = (
    """<script>addEventListener("message", (event) => { document.body.dataset.overflow = event.data; });</script>"""
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"),
]


def visit(page, tmp_path, probe=PROBE):
    """(the page's DOM after its scripts and the probe have run, what its console said)."""
    copy = page.with_name(f"probed-{page.name}")
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{probe}</body>"), encoding="utf-8")
    command = [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path}", "--window-size=1280,1000"]
    try:
        done = subprocess.run([*command, "--dump-dom", copy.as_uri()], capture_output=True, text=True, timeout=120)
    finally:
        copy.unlink()
    return done.stdout, re.findall(r".*CONSOLE.*", done.stderr)


@pytest.mark.parametrize("name", ["index.html", "fco.html", "assumptions.html", "notebooks/fco.html"])
def test_a_page_shows_its_pictures_without_a_console_message(site, tmp_path, name):
    dom, console = visit(site / name, tmp_path)
    assert console == []
    assert 'data-overflow="0"' in dom
    assert 'data-seen="false"' not in dom
    assert dom.count('data-seen="true"') == dom.count("<img")


def test_the_interactive_views_draw_and_offer_their_choices(site, tmp_path):
    dom, _ = visit(site / "fco.html", tmp_path)
    views = Page(site / "fco.html").scripts
    assert dom.count('class="mark-line role-mark') >= dom.count("gradient evaluations</button>") == 8
    assert dom.count("after round</span>") == 2
    assert dom.count('aria-pressed="true"') == sum(len(view["algorithms"]) + len(view["choices"]) for view in views)


def test_the_buttons_change_the_chart(site, tmp_path):
    dom, console = visit(site / "fco.html", tmp_path, CLICKS)
    assert console == []
    seen = dict(re.findall(r'data-(drawn[a-z-]*|lines[a-z-]*|last[a-z-]*)="([^"]*)"', dom[:2000]))
    assert seen["drawn-unopened"] == "0"
    assert seen["lines"] == "5"
    assert seen["lines-without-fedmid"] == "4"
    assert seen["lines-against-megabytes"] == "4"  # a centralised baseline sends nothing
    assert (seen["last"], seen["last-gradient"]) == ("100", "120,000")


@pytest.mark.parametrize("name", ["index.html", "fco.html", "assumptions.html"])
def test_a_phone_needs_no_sideways_scrolling(site, tmp_path, name):
    """Headless Chromium has a least width of 500, so the page is put into a frame of 390."""
    frame = site / f"frame-{name}"
    copy = site / f"framed-{name}"
    copy.write_text((site / name).read_text(encoding="utf-8").replace("</body>", f"{PHONE}</body>"), encoding="utf-8")
    frame.write_text(f'<!doctype html><iframe src="framed-{name}" width="390" height="900"></iframe>{LISTEN}')
    command = [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path}", "--dump-dom", frame.as_uri()]
    try:
        dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    finally:
        frame.unlink()
        copy.unlink()
    assert 'data-overflow="0"' in dom
