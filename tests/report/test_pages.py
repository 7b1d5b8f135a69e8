"""The pages as files: nothing from the network, alt texts, no dead link, honest statuses."""

import functools
import json
import os
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import configuration
import pytest
from html_page import Page
from made_runs import write_runs
from published_results import published

from fedatlas.claims.schema import load_claims
from fedatlas.cli import main
from fedatlas.experiments.runs import runs_of
from fedatlas.report.model.figure import Figure
from fedatlas.report.pages.best import best_configurations
from fedatlas.report.pages.layout import write_page
from fedatlas.results.collection import read_results

CONFIG = Path(__file__).parents[2] / "config"
PUBLISHED = ["fco/haxby_stand_in", "fco/lasso_I", "fco/lasso_II"]
KEYS = ["fco/haxby", "fco/lasso_I", "fco/lasso_II"]  # those that this machine has run
FIGURE = Figure(id="Figure 3", about="a", panels=({"metric": "f1", "split": "model"},))


@pytest.fixture(scope="session")
def pages(site):
    return {str(path.relative_to(site)): Page(path) for path in site.rglob("*.html")}


def test_the_pages_are_there(pages):
    assert {"index.html", "fco.html", "assumptions.html", "notebooks/fco.html"} <= set(pages)
    known = configuration.known("quick")
    runs = runs_of([known[key] for key in KEYS])
    assert sum(name.startswith("notebooks/fco/") for name in pages) == len(runs)


def test_nothing_is_loaded_from_the_network(pages):
    for name, page in pages.items():
        assert page.from_network == [], name
        assert "@import" not in page.text


def test_everything_that_a_page_loads_or_links_to_is_there(pages):
    ids = {os.path.normpath(page.path): set(page.ids) for page in pages.values()}
    is_file = functools.cache(os.path.isfile)  # many point to the same
    for name, page in pages.items():
        for address in {*page.loads, *page.links}:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = os.path.normpath(page.path.parent / unquote(parts.path)) if parts.path else str(page.path)
            assert is_file(target), f"{name} points to {address}"
            if parts.fragment and target.endswith(".html"):
                assert parts.fragment in ids[target], f"{name} points to {address}"


def test_no_two_places_of_a_page_have_the_same_address(pages):
    ours = {name: page for name, page in pages.items() if "/" not in name}  # not what pdoc and nbconvert make
    for name, page in ours.items():
        assert [id for id, count in Counter(page.ids).items() if count > 1] == [], name


def test_every_image_has_an_alt_text(pages):
    for name, page in pages.items():
        for image in page.images:
            assert len(image.get("alt", "")) > 20, f"{name}: {image}"


def test_the_interactive_views_hold_their_numbers(pages):
    charts = pages["fco.html"].explorers
    assert any("lasso_I" in name for name in charts) and any("published" in name for name in charts)
    for content in charts.values():
        rows = next(iter(content["spec"]["datasets"].values()))
        assert {row["algorithm"] for row in rows} == {algorithm["name"] for algorithm in content["algorithms"]}
        for title, _, options in content["choices"]:
            assert title in ("after round", "scale") or all(value in row for value, _ in options for row in rows)
        parameters = {parameter["name"]: parameter.get("value") for parameter in content["spec"]["params"]}
        assert all(parameters[name] in dict(options) for _, name, options in content["choices"])
    assert any([title for title, _, _ in content["choices"]] == ["after round"] for content in charts.values())


def test_the_bundle_is_written_once(site):
    assert [path.name for path in site.rglob("vega*")] == ["vega.js"]
    assert (site / "assets" / "vega.js").stat().st_size > 500_000


def test_every_claim_is_shown_once_with_its_status_and_quote(site, pages):
    text = pages["fco.html"].text
    verdicts = [v for v in json.loads((site / "claims/fco.json").read_text()) if v["experiment"] == "fco/lasso_I"]
    assert {v["origin"] for v in verdicts} == {"this machine", "published"}
    for verdict in verdicts:
        assert text.count(f'id="{verdict["id"]}"') == 1


def test_published_results_come_before_those_of_this_machine(pages):
    section = part_of(pages, "figure-3")
    published, own = section.index("Published, at the paper"), section.index("This machine, quick scale")
    assert published < own
    assert 'srcset="published/fco/lasso_I/figure-3-narrow.svg"' in section
    assert 'href="published/fco/lasso_I/metrics.csv"' in section
    assert section.count("Provenance:") == section.count("The whole sweep:") == 2  # of the published runs, and of these
    scored = len(configuration.known("paper")["fco/lasso_I"].seeds.tuned)
    assert f"paper scale, published: all {scored} seeds meet it" in section
    assert re.search(r'class="other">quick scale, this machine: . not run at this scale; FedDualAvg', section)
    assert "data: simulated as in the paper" in section


def test_sections_follow_the_paper_with_a_lead_each(pages):
    page = pages["fco.html"]
    places = [page.text.index(f'id="chapter-{name}"') for name in ("1", "5.1", "5.2", "5.3", "A.2", "A.3", "A.4")]
    assert places == sorted(places)
    assert page.text.index('id="chapter-5.1"') < page.text.index('id="figure-3"') < page.text.index('id="chapter-5.2"')
    assert all(f"#chapter-{name}" in page.links for name in ("1", "5.3", "A.4"))


def test_stand_ins_are_marked_wherever_they_are_shown_or_counted(site, pages):
    for name in ("figure-1", "figure-5", "figure-12"):
        section = part_of(pages, name)
        assert section.count("data: simulated stand-in") >= 2
        verdicts = section.count('class="verdict"')
        assert section.count("on stand-in data</span>") == verdicts > 0
    assert "STAND-IN DATA" in (site / "figures/fco-haxby-figure-5.svg").read_text()
    assert "STAND-IN" not in (site / "figures/fco-lasso_I-figure-3.svg").read_text()
    assert "On simulated stand-in data, which does not count:" in pages["fco.html"].text
    row = re.search(r"<tr>(?:(?!<tr>).)*brain scans.*?</tr>", pages["index.html"].text, re.DOTALL).group()
    assert "stand-in</span>" in row


def test_the_same_runs_make_several_figures(pages):
    for name in ("figure-1", "figure-12"):
        section = part_of(pages, name)
        assert 'The same runs make <a href="#figure-5">Figure 5</a>' in section
        assert "Provenance:" not in section
    assert "Provenance:" in part_of(pages, "figure-5")
    assert "FedAvg (∂)" in part_of(pages, "figure-1")
    first = next(iter(pages["fco.html"].explorers.values()))
    assert "FedMiD-OSP" not in json.dumps(first["algorithms"])


def test_the_illustration_is_drawn_though_nothing_is_run(pages):
    section = part_of(pages, "figure-2")
    assert "fco-figure-2-theory.svg" in section
    assert "average of the models 22%" in section


def test_figures_that_were_not_run_say_why(pages):
    reason = "This machine has not run it at quick scale."
    assert re.search(f"Not yet run:.*<li>.*{reason}", part_of(pages, "figure-4"), re.DOTALL)
    assert "It runs at paper scale only." in part_of(pages, "figure-5")
    text = pages["fco.html"].text
    missing = text[text.index('id="not-yet"') :]
    assert "Figure 4:" not in missing


def test_all_claims_stand_on_one_page_with_their_filters(site, pages):
    page = pages["claims.html"]
    claims = {claim.id for claim in configuration.claims("fco")}
    linked = {address.partition("#")[2] for address in page.links if address.startswith("fco.html#")}
    shown = {c.id for c in configuration.claims("fco") if f"fco/{c.experiment}" in {*KEYS, *PUBLISHED}}
    assert linked == shown
    assert page.text.count('<tr data-paper="fco"') == len(claims)
    for column in ("paper", "verdict", "scale", "data"):
        assert f'data-column="{column}"' in page.text
    assert page.text.count("<tr data-paper=") == page.text.count("data-verdict=")


def test_claims_with_an_answer_stand_above_those_without(pages):
    found = re.findall(r'<tr data-paper="fco" data-verdict="([a-z-]+)"', pages["claims.html"].text)
    answered = [verdict not in ("not-comparable", "not-decidable", "notrun") for verdict in found]
    assert {True, False} <= set(answered)
    assert answered == sorted(answered, reverse=True)


def test_the_index_shows_what_is_published(pages):
    text = pages["index.html"].text
    assert text.index("Published with the atlas") < text.index("On this machine, at quick scale")
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
    found = best_configurations(read_results(tmp_path, known, "paper")["fco/lasso_I"], FIGURE, [])
    row = next(row for row in found if row.name == "FedDualAvg")
    assert row.ours not in row.ties
    assert row.ties.count("(") == 48


def test_the_papers_configuration_is_all_that_its_claims_name():
    own = published("dualfl")["dualfl/table_2"].results
    figure = Figure(id="Table 2", about="a", panels=({"metric": "objective", "split": "train"},))
    rows = {row.name: row.paper for row in best_configurations(own, figure, load_claims(CONFIG / "claims"))}
    assert rows["FedDR"] == "α 1, η 10"


def test_provenance_is_on_the_page(pages):
    text = pages["fco.html"].text
    for piece in ("0123456789", "tensorflow_federated 0.87.0", "812 MB", "strength: 0.1", "inprocess"):
        assert piece in text


def test_pages_link_to_each_other(tmp_path):
    navigation = {"index.html": "fedatlas", "data.html": "Data"}
    write_page(tmp_path, "data.html", "Data", "<h1>Data</h1>", navigation)
    page = Page(tmp_path / "data.html")
    assert page.links == ["#content", "index.html", "data.html"]
    assert '<a href="data.html" aria-current="page">Data</a>' in page.text
    assert (tmp_path / "assets" / "atlas.css").is_file()


def test_what_a_notebook_printed_is_escaped(pages):
    assert "&lt;tag&gt;" in pages["notebooks/fco.html"].text
    assert "<tag>" not in pages["notebooks/fco.html"].text


def test_the_report_of_one_scale_refuses_the_verdicts_of_another(site, runs, capsys):
    options = ["--scale", "paper", "--experiments", "fco/lasso_I", "--runs", str(runs)]
    assert main(["report", *options, "--claims", str(site / "claims"), "--out", str(site)]) == 2
    assert "is of quick scale: run `fedatlas claims --scale paper`" in capsys.readouterr().err


def test_the_verdicts_of_a_paper_that_there_is_not(tmp_path, runs, capsys):
    assert main(["claims", "--papers", "fc0", "--runs", str(runs), "--out", str(tmp_path)]) == 2
    assert "unknown paper 'fc0'; there are: dualfl, fco" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "does not exist: run `fedatlas claims` first"), ("{", "not a list of verdicts"), ("[1]", "not a list")],
)
def test_the_report_without_verdicts(tmp_path, runs, capsys, content, sentence):
    if content is not None:
        (tmp_path / "dualfl.json").write_text(content)
    options = ["--experiments", "fco/lasso_I", "--runs", str(runs), "--claims", str(tmp_path), "--out", str(tmp_path)]
    assert main(["report", *options]) == 2
    assert sentence in capsys.readouterr().err
