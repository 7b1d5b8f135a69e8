"""The pages as files: nothing from the network, alt texts, no dead link, honest statuses."""

import json
from urllib.parse import unquote, urlsplit

import pytest
from html_page import Page
from made_runs import write_runs

from fedatlas.claims.evidence import collect
from fedatlas.cli import main
from fedatlas.report.papers import Figure
from fedatlas.report.shell import write_page
from fedatlas.report.tables import best_configurations

FIGURE = Figure(id="Figure 3", about="a", panels=({"metric": "f1", "split": "model"},))


@pytest.fixture(scope="session")
def pages(site):
    return {str(path.relative_to(site)): Page(path) for path in site.rglob("*.html")}


def test_the_pages_are_there(pages):
    assert {"index.html", "fco.html", "assumptions.html", "notebooks/fco.html"} <= set(pages)
    assert sum(name.startswith("notebooks/fco/") for name in pages) == 10  # 2 experiments, 5 algorithms, 1 seed


def test_nothing_is_loaded_from_the_network(pages):
    for name, page in pages.items():
        assert page.from_network == [], name
        assert "@import" not in page.text


def test_everything_that_a_page_loads_or_links_to_is_there(pages):
    for name, page in pages.items():
        for address in [*page.loads, *page.links]:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = page.path.parent / unquote(parts.path) if parts.path else page.path
            assert target.is_file(), f"{name} points to {address}"
            if parts.fragment and target.suffix == ".html":
                assert parts.fragment in Page(target).ids, f"{name} points to {address}"


def test_every_image_has_an_alt_text(pages):
    for name, page in pages.items():
        for image in page.images:
            assert len(image.get("alt", "")) > 20, f"{name}: {image}"


def test_the_interactive_views_hold_their_numbers(pages):
    scripts = pages["fco.html"].scripts
    assert len(scripts) == 2
    for content in scripts:
        rows = next(iter(content["spec"]["datasets"].values()))
        assert {row["algorithm"] for row in rows} == {algorithm["name"] for algorithm in content["algorithms"]}
        for axis, _ in content["axes"]:
            assert all(axis in row for row in rows)
        for metric, _ in content["metrics"]:
            assert all(metric in row for row in rows)
        assert content["metrics"][0] == ["model_f1", "F1"]


def test_the_bundle_is_written_once(site):
    assert [path.name for path in site.rglob("vega*")] == ["vega.js"]
    assert (site / "assets" / "vega.js").stat().st_size > 500_000


def test_every_claim_is_shown_with_its_status_and_quote(site, pages):
    text = pages["fco.html"].text
    verdicts = [v for v in json.loads((site / "claims.json").read_text()) if v["experiment"] in ("fco/lasso_I",)]
    assert len(verdicts) == 14
    for verdict in verdicts:
        assert f'id="{verdict["id"]}"' in text
    assert "at paper scale, published:" in text
    assert "quick scale" in text
    assert "data: synthetic as in the paper" in text


def test_figures_that_were_not_run_are_listed_as_such(pages):
    assert 'id="figure-3"' in pages["fco.html"].text
    assert 'id="figure-4"' not in pages["fco.html"].text
    assert "Figure 4: Low-rank recovery, rank 16" in pages["fco.html"].text
    assert pages["index.html"].text.count("Not in this atlas yet.") == 4


def test_the_assumptions_link_to_the_figures_that_were_run(pages):
    assert "fco.html#figure-3" in pages["assumptions.html"].links
    assert "fco.html#figure-4" not in pages["assumptions.html"].links


def test_configurations_that_tie_with_the_selected_one_are_listed(evidence, tmp_path):
    """Numbers in which every configuration that does not diverge has the same score."""
    known = {"fco/lasso_I": evidence.known["fco/lasso_I"]}
    write_runs(tmp_path, known.values(), curve=lambda run, c, split, metric, rounds: rounds * 0 + 1.0)
    found = best_configurations(collect(tmp_path, known, "paper"), "fco/lasso_I", FIGURE, [])
    row = next(row for row in found if row["name"] == "FedDualAvg")
    assert row["ours"] not in row["ties"]
    assert row["ties"].count("(") == 48


def test_provenance_is_on_the_page(pages):
    text = pages["fco.html"].text
    for piece in ("0123456789", "tensorflow_federated 0.87.0", "812 MB", "strength: 0.4", "inprocess"):
        assert piece in text


def test_a_page_of_another_room_stands_in_the_navigation(tmp_path):
    write_page(tmp_path, "data.html", "Data", "<h1>Data</h1>")
    write_page(tmp_path, "index.html", "fedatlas", "<h1>Atlas</h1>")
    for name in ("data.html", "index.html"):
        assert Page(tmp_path / name).links == ["index.html", "data.html"]
    assert '<a href="data.html" aria-current="page">Data</a>' in (tmp_path / "data.html").read_text()
    assert (tmp_path / "assets" / "atlas.css").is_file()


def test_what_a_notebook_printed_is_escaped(pages):
    assert "&lt;tag&gt;" in pages["notebooks/fco.html"].text
    assert "<tag>" not in pages["notebooks/fco.html"].text


def test_the_report_of_one_scale_refuses_the_verdicts_of_another(site, runs, capsys):
    options = ["--scale", "paper", "--experiments", "fco/lasso_I", "--runs", str(runs)]
    assert main(["report", *options, "--claims", str(site / "claims.json"), "--out", str(site)]) == 2
    assert "is of quick scale: run `fedatlas claims --scale paper`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "does not exist: run `fedatlas claims` first"), ("{", "not a list of verdicts"), ("[1]", "not a list")],
)
def test_the_report_without_verdicts(tmp_path, runs, capsys, content, sentence):
    claims = tmp_path / "claims.json"
    if content is not None:
        claims.write_text(content)
    options = ["--experiments", "fco/lasso_I", "--runs", str(runs), "--claims", str(claims), "--out", str(tmp_path)]
    assert main(["report", *options]) == 2
    assert sentence in capsys.readouterr().err
