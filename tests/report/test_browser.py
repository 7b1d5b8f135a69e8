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

# The chart of what this machine has run, which is folded below what is published.
CLICKS = """<script>addEventListener("load", () => setTimeout(async () => {
const here = document.querySelector("#figure-3 details.here"), details = here.querySelector("details.explore");
const root = document.documentElement.dataset, plot = details.querySelector(".plot");
const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50)); };
const press = (label) => [...details.querySelectorAll("button")].find((one) => one.textContent === label).click();
const lines = () => plot.querySelectorAll("g.mark-line path").length;
const last = () => [...plot.querySelectorAll("g.role-axis-label")][0].lastChild.textContent;
const titles = () => [...details.querySelectorAll(".title-x, .title-y")].map((one) => one.textContent).join("; ");
root.drawnUnopened = plot.querySelectorAll("svg").length;
here.open = true; details.open = true;
await until(() => details.querySelector(".legend"));
root.lines = lines(); root.last = last(); root.titles = titles();
const point = plot.querySelector("g.mark-symbol path"), box = point.getBoundingClientRect();
const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
for (const kind of ["pointerover", "mouseover", "pointermove", "mousemove"])
  point.dispatchEvent(new (kind.startsWith("pointer") ? PointerEvent : MouseEvent)(kind, at));
await until(() => document.querySelector("#vg-tooltip-element")?.textContent);
root.tooltip = document.querySelector("#vg-tooltip-element").textContent;
press("FedMiD"); press("gradient evaluations");
await until(() => lines() < root.lines && last() !== root.last);
root.linesWithoutFedmid = lines(); root.lastGradient = last(); root.titlesThen = titles();
press("FedMiD"); press("megabytes sent");
await until(() => last() !== root.lastGradient);
root.linesAgainstMegabytes = lines();
}, 500));</script>"""

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


SHOWN = ["index.html", "fco.html", "claims.html", "assumptions.html", "library.html", "algorithms.html"]


@pytest.mark.parametrize("name", [*SHOWN, "notebooks/fco.html", "algorithms/fednova.html"])
def test_a_page_shows_its_pictures_without_a_console_message(site, tmp_path, name):
    dom, console = visit(site / name, tmp_path)
    assert console == []
    assert 'data-overflow="0"' in dom
    assert 'data-seen="false"' not in dom
    assert dom.count('data-seen="true"') == dom.count("<img")


def test_the_interactive_views_draw_and_offer_their_choices(site, tmp_path):
    dom, _ = visit(site / "fco.html", tmp_path)
    charts = Page(site / "fco.html").explorers.values()
    assert "could not be loaded" not in dom
    assert dom.count('class="legend"') == len(charts)
    assert dom.count('aria-pressed="true"') == sum(len(one["algorithms"]) + len(one["choices"]) for one in charts)


def test_the_buttons_change_the_chart_and_points_say_what_they_are(site, tmp_path):
    dom, console = visit(site / "fco.html", tmp_path, CLICKS)
    assert console == []
    seen = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', re.search("<html[^>]*>", dom).group()))
    assert seen["drawn-unopened"] == "0"
    assert seen["lines"] == "4"  # without the central solver, whose rounds are epochs
    assert seen["lines-without-fedmid"] == "3"
    assert seen["lines-against-megabytes"] == "4"
    assert (seen["last"], seen["last-gradient"]) == ("100", "120,000")
    assert (seen["titles"], seen["titles-then"]) == ("F1; round", "F1; gradient evaluations")
    assert "undefined" not in seen["tooltip"]
    assert re.search("algorithm(FedDualAvg|FedMiD).*seed0", seen["tooltip"])


CHOOSE = """<script>addEventListener("load", () => setTimeout(async () => {
const root = document.documentElement.dataset, table = document.querySelector("table.side-by-side");
const shown = (what) => [...table.querySelectorAll(what)].filter((one) => one.offsetParent !== null).length;
root.columns = shown("thead [data-method]"); root.rows = shown("[data-ran]");
const box = document.querySelector("form.columns input[value=fedmid]");
box.closest("details").open = true; box.click();
root.columnsThen = shown("thead [data-method]"); root.rowsThen = shown("[data-ran]");
const details = document.querySelector("details.explore"); details.open = true;
const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50)); };
await until(() => details.querySelector(".legend"));
root.offered = [...details.querySelectorAll(".legend button")].filter((one) => !one.hidden).length;
}, 500));</script>"""


def test_algorithms_can_be_chosen_for_the_table_and_charts_offer_those_that_ran(site, tmp_path):
    dom, console = visit(site / "algorithms.html", tmp_path, CHOOSE)
    assert console == []
    seen = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', re.search("<html[^>]*>", dom).group()))
    (chart,) = Page(site / "algorithms.html").explorers.values()
    first = chart["choices"][0][2][0][0]
    assert int(seen["columns-then"]) == int(seen["columns"]) + 1
    assert int(seen["rows-then"]) >= int(seen["rows"]) > 0
    assert int(seen["offered"]) == len(chart["present"][1][first])


@pytest.mark.parametrize("name", SHOWN)
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
