"""The page of every algorithm, and all of them side by side, of three published experiments."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from configuration import known
from html_page import Page
from published_results import published

from fedatlas.about.entry import Entry
from fedatlas.about.families import FAMILIES
from fedatlas.algorithms import algorithms
from fedatlas.cli import main
from fedatlas.results.published import seal
from fedatlas.results.standings import by_method, standings

ROOT = Path(__file__).parents[2]
KEYS = ("feddua/synthetic", "fedpd/mnist_writers", "fco/theorem_4_2")
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gallery(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("reports")
    for key in KEYS:
        shutil.copytree(ROOT / "reports/published" / key, out / "published" / key)
    seal(out / "published")
    given = ["--out", out, "--runs", out / "no-runs", "--clients", out / "no-clients", "--config", ROOT / "config"]
    assert main(["report", "--published-only", "--page", "algorithms", *map(str, given)]) == 0
    return out


@pytest.fixture(scope="module")
def synthetic():
    return published("feddua")["feddua/synthetic"].results


def test_every_algorithm_is_in_one_family_as_in_the_readme():
    assert sorted(id for ids in FAMILIES.values() for id in ids) == sorted(algorithms)
    table = README.partition("## Algorithms\n")[2].partition("\n## ")[0]
    rows = {line.split("|")[1].strip(): re.findall(r"/(\w+)\.py", line) for line in table.splitlines() if ".py" in line}
    assert rows == {name: [*ids] for name, ids in FAMILIES.items()}


def test_standings_are_by_the_metric_that_selects(synthetic):
    rule, metrics = synthetic.experiment.select, pd.read_csv(ROOT / "reports/published/feddua/synthetic/metrics.csv")
    scored = metrics[metrics["seed"].isin(synthetic.experiment.seeds.tuned)]
    last = scored[scored["round"] == scored["round"].max()].groupby("algorithm")[f"{rule.split}_{rule.metric}"].mean()
    found = standings(synthetic)
    assert [one.place for one in found] == [*range(1, len(found) + 1)]
    assert {one.of for one in found} == {len(found)}
    values = [one.value for one in found]
    assert values == sorted(values, reverse=rule.best == "highest")
    assert all(one.value == pytest.approx(last[one.entry]) for one in found)
    assert all(algorithms[one.method].data == "cohort" for one in found)


def test_those_that_end_equally_well_share_a_place():
    places = {one.entry: one.place for one in standings(published("fco")["fco/lasso_III"].results)}
    ends = {one.entry: one.value for one in standings(published("fco")["fco/lasso_III"].results)}
    assert ends["feddualavg"] == ends["feddualavg_osp"] == 1
    assert places["feddualavg"] == places["feddualavg_osp"] == 1
    assert sorted(places.values()) == [1, 1, 3, 4]


def test_other_readings_do_not_stand_beside_the_main_one():
    main_ones = by_method(one.results for one in published("fco").values())["feddualavg"]
    assert all(known(one.results.scale, "fco")[one.results.key].reading is None for one in main_ones)


def test_a_run_on_data_of_its_own_stands_beside_nobody():
    """Of a chain with half as many links FedAvg finds the end sooner than others find that of the whole one."""
    results = published("fedpd")["fedpd/claim_2_1"].results
    assert {"half", "twice"} < set(results.runs)
    assert {one.entry for one in standings(results)}.isdisjoint({"half", "twice"})
    assert {one.method for one in standings(results)} == {"fedavg", "scaffold", "fedprox", "fedpd"}


def plain(text):
    return re.sub(r"[\W_]+", " ", text).strip()


def lead(text):
    """The words of a page's first paragraph."""
    found = re.search(r'<p class="lead">(.*?)</p>', text, re.DOTALL).group(1)
    return plain(html.unescape(re.sub(r"<[^>]+>", "", found)))


@pytest.mark.parametrize("id", algorithms)
def test_every_algorithm_has_a_page(gallery, id):
    page, entry = Page(gallery / "algorithms" / f"{id}.html"), Entry(id)
    words = re.sub(r"<[^>]+>", "", page.text).replace("&#39;", "'").replace("&#34;", '"').replace("&amp;", "&")
    assert entry.name in words and lead(page.text) == plain(entry.summary)
    assert f"class {entry.cls.__name__}" in words and '"""' + entry.summary[:20] not in words
    assert all(own.name in words and own.meaning in words for own in entry.parameters)
    assert f'fa.compare(["{id}"]' in words
    assert ("fa.tff_process(" in words) == (not entry.not_a_process)


def test_a_page_says_where_the_algorithm_ran_and_how_it_did(gallery, synthetic):
    page = Page(gallery / "algorithms/fedprox.html")
    (place,) = [f"{one.place} of {one.of}" for one in standings(synthetic) if one.method == "fedprox"]
    assert place in page.text and synthetic.experiment.title in page.text
    assert any(link.startswith("../feddua.html#") for link in page.links)
    assert "No published experiment" in (gallery / "algorithms/mocha.html").read_text(encoding="utf-8")


def test_side_by_side_is_a_row_for_each_experiment_and_a_curve_for_each_algorithm(gallery, synthetic):
    page = Page(gallery / "algorithms.html")
    rows = re.findall(r'data-ran="([^"]*)"', page.text)
    assert sorted(map(len, (row.split() for row in rows)), reverse=True)[0] == len(standings(synthetic))
    assert len(rows) == len(KEYS)
    shown = re.findall(r'<th scope="col" class="number" data-method="(\w+)">', page.text)
    assert shown == ["fedavg", "feddualavg", "fedprox", "scaffold"]
    (chart,) = page.explorers.values()
    _, present = chart["present"]
    assert set(present) == set(KEYS)
    assert {"FedAvg", "FedProx", "SCAFFOLD"} <= set(present["feddua/synthetic"])


def test_what_the_pages_load_is_there(gallery):
    for path in (gallery / "algorithms.html", gallery / "algorithms/fedavg.html"):
        page = Page(path)
        assert page.from_network == []
        here = [name for name in page.loads if not name.startswith("data:")]
        assert here and all((path.parent / name).is_file() for name in here)
