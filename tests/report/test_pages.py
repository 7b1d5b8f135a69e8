"""The pages as files: nothing from the network, alt texts, no dead link, honest statuses."""

import json
import re
from urllib.parse import unquote, urlsplit

import pytest
from fedatlas.report.shell import write_page
from html_page import Page
from made_runs import write_runs

from fedatlas.cli import main
from fedatlas.report.model.papers import Figure
from fedatlas.report.tables import best_configurations
from fedatlas.results.collection import read_results

FIGURE = Figure(id="Figure 3", about="a", panels=({"metric": "f1", "split": "model"},))


@pytest.fixture(scope="session")
def pages(site):
    return {str(path.relative_to(site)): Page(path) for path in site.rglob("*.html")}


def test_the_pages_are_there(pages):
    assert {"index.html", "fco.html", "assumptions.html", "notebooks/fco.html"} <= set(pages)
    assert sum(name.startswith("notebooks/fco/") for name in pages) == 17  # 2 with 5 algorithms, 1 with 7, 1 seed


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
    assert len(scripts) == 10  # three figures of two data sets of scans, two of LASSO run and published
    for content in scripts:
        rows = next(iter(content["spec"]["datasets"].values()))
        assert {row["algorithm"] for row in rows} == {algorithm["name"] for algorithm in content["algorithms"]}
        for title, _, options in content["choices"]:
            assert title in ("after round", "scale") or all(value in row for value, _ in options for row in rows)
        parameters = {parameter["name"]: parameter.get("value") for parameter in content["spec"]["params"]}
        assert all(parameters[name] in dict(options) for _, name, options in content["choices"])
    assert sum([title for title, _, _ in content["choices"]] == ["after round"] for content in scripts) == 2


def test_the_bundle_is_written_once(site):
    assert [path.name for path in site.rglob("vega*")] == ["vega.js"]
    assert (site / "assets" / "vega.js").stat().st_size > 500_000


def test_every_claim_is_shown_once_with_its_status_and_quote(site, pages):
    text = pages["fco.html"].text
    verdicts = [v for v in json.loads((site / "claims.json").read_text()) if v["experiment"] == "fco/lasso_I"]
    assert len(verdicts) == 14
    for verdict in verdicts:
        assert text.count(f'id="{verdict["id"]}"') == 1


def test_published_and_own_results_stand_side_by_side(pages):
    section = part_of(pages, "figure-3")
    published, own = section.index("own scale, published with the atlas"), section.index("This machine, quick scale")
    assert published < own
    assert 'srcset="figures/fco-lasso_I-figure-3-published-narrow-dark.svg"' in section
    assert "paper scale, published: 3 seeds agree" in section
    assert re.search(r'class="other">quick scale, this machine: . not run at this scale; FedDualAvg', section)
    assert "data: synthetic as in the paper" in section


def test_sections_follow_the_paper_with_a_lead_each(pages):
    page = pages["fco.html"]
    places = [page.text.index(f'id="section-{name}"') for name in ("1", "5.1", "5.2", "5.3", "A.2", "A.3", "A.4")]
    assert places == sorted(places)
    assert page.text.index('id="section-5.1"') < page.text.index('id="figure-3"') < page.text.index('id="section-5.2"')
    assert all(f"#section-{name}" in page.links for name in ("1", "5.3", "A.4"))


def test_stand_ins_are_marked_wherever_they_are_shown_or_counted(site, pages):
    for name in ("figure-1", "figure-5", "figure-12"):
        section = part_of(pages, name)
        assert section.count("data: stand-in") == 2
        assert section.count('class="view stand-in"') == 2
        verdicts = section.count('class="verdict"')
        assert section.count("on stand-in data</span>") == verdicts > 0
    assert "STAND-IN DATA" in (site / "figures/fco-haxby-figure-5-wide-dark.svg").read_text()
    assert "STAND-IN" not in (site / "figures/fco-lasso_I-figure-3-wide-dark.svg").read_text()
    for name in ("index.html", "fco.html"):
        assert pages[name].text.count("On stand-in data, which decides nothing about the paper&#39;s:") == 2
    row = re.search(r"<tr>(?:(?!<tr>).)*simulated brain scans.*?</tr>", pages["index.html"].text, re.DOTALL).group()
    assert row.count("stand-in</span>") == 2


def test_the_same_runs_make_several_figures(pages):
    for name in ("figure-1", "figure-12"):
        section = part_of(pages, name)
        assert 'The same runs make <a href="#figure-5">Figure 5</a>' in section
        assert "Provenance:" not in section
    assert "Provenance:" in part_of(pages, "figure-5")
    assert "FedAvg (∂)" in part_of(pages, "figure-1")
    assert "FedMiD-OSP" not in json.dumps(pages["fco.html"].scripts[0]["algorithms"])


def test_the_illustration_is_drawn_though_nothing_is_run(pages):
    section = part_of(pages, "figure-2")
    assert "primal-averaging-wide-light.svg" in section
    assert "average of the models 22%" in section


def test_figures_that_were_not_run_say_why(pages):
    reason = "It was not among the experiments that this machine ran at quick scale."
    assert re.search(f"Nothing to see yet of:.*<li>.*{reason}", part_of(pages, "figure-4"), re.DOTALL)
    assert "It is run at paper scale only. What is shown was computed at paper" in part_of(pages, "figure-5")
    text = pages["fco.html"].text
    missing = text[text.index('id="not-yet"') :]
    assert "Figure 4:" not in missing
    assert pages["index.html"].text.count("Not in this atlas yet.") == 4


def test_the_index_shows_what_is_published(pages):
    text = pages["index.html"].text
    assert text.index("Published with the atlas") < text.index("On this machine, at quick scale")
    assert "figures/fco-lasso_II-sketch-wide-dark.svg" in text
    assert "2025-01-02<br><code>0123456789</code>" in text


def part_of(pages, anchor):
    """The HTML of one figure's section."""
    return re.search(rf'<section class="figure" id="{anchor}">.*?</section>', pages["fco.html"].text, re.DOTALL).group()


def test_the_assumptions_link_to_the_figures_that_were_run(pages):
    assert "fco.html#figure-3" in pages["assumptions.html"].links
    assert "fco.html#figure-4" not in pages["assumptions.html"].links
    assert "fco.html#figure-12" in pages["assumptions.html"].links


def test_configurations_that_tie_with_the_selected_one_are_listed(evidence, tmp_path):
    """Numbers in which every configuration that does not diverge has the same score."""
    known = {"fco/lasso_I": evidence.known["fco/lasso_I"]}
    write_runs(tmp_path, known.values(), curve=lambda run, c, split, metric, rounds: rounds * 0 + 1.0)
    found = best_configurations(read_results(tmp_path, known, "paper"), "fco/lasso_I", FIGURE, [])
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
