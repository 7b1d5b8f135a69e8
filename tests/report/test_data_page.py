"""The page of the data: every store that the runs read, with its mark, source, pictures; honest about what is gone."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from html_page import Page
from made_results import GAP, made_run

from fedatlas.data import catalogue, standins
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.sources import load_sources
from fedatlas.data.store import ClientStore
from fedatlas.data.titles import about, title
from fedatlas.formatting import ranges, span
from fedatlas.report.pages.data import Choice, in_words, write_data

LASSO, COINS = ("lasso", {"variant": "III"}), ("penalised_logistic", {"variant": "weak"})
DIGITS = ("femnist", {"classes": 10, "clients": "all", "chosen": "first", "splits": "standard", "stand_in": True})


WHOSE = ("simulated as in the paper", "simulated as in the paper", "simulated stand-in")


def of_figure(number, run, whose):
    """A run as the results of the experiment that makes a figure."""
    experiment = SimpleNamespace(paper="fco", figure=f"Figure {number}", key=f"fco/{number}")
    return SimpleNamespace(all=[run], experiment=experiment, whose=whose)


def a_run(name, options, seed, store):
    """A run that has read a store, or one that is gone."""
    said = {
        "id": catalogue.dataset_id(name, options, seed),
        "name": name,
        "options": options,
        "seed": seed,
        "kind": store.kind if store else "synthetic as in the paper",
        "sha256": store.sha256 if store else "f" * 64,
        "clients": 80,
        "examples": 10240,
    }
    return made_run("fedavg", {GAP: [[1.0]]}, own={"dataset": said, "seed": seed})


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Runs on three stores, of which one has been rebuilt, and on one store that is gone."""
    folder = tmp_path_factory.mktemp("project")
    standins.write("femnist", folder / "raw" / "femnist-stand-in", size="tiny")
    runs = []
    for name, options in (LASSO, COINS, DIGITS):
        path = folder / "clients" / catalogue.dataset_id(name, options, 0)
        runs.append(a_run(name, options, 0, catalogue.build(name, options, 0, folder / "raw", path)))
    gone = runs[1].manifest.dataset.model_copy(update={"sha256": "e" * 64})
    runs[1] = replace(runs[1], manifest=runs[1].manifest.model_copy(update={"dataset": gone}))
    runs += [a_run(*LASSO, 1, None), a_run("low_rank", {"variant": "IV"}, 0, None)]
    found = {str(n): of_figure(n, run, (*WHOSE, *WHOSE)[n]) for n, run in enumerate(runs)}
    return SimpleNamespace(
        out=folder / "reports",
        stores=folder / "clients",
        results=SimpleNamespace(experiments=found),
        published={},
        navigation={},
        short_names={"fco": "FCO"},
        sources=load_sources(),
    )


@pytest.fixture(scope="module")
def page(inputs):
    write_data(inputs)
    return Page(inputs.out / "data.html")


def test_every_data_set_stands_once_with_its_seeds(page):
    for name in ("lasso", "penalised_logistic", "femnist"):
        assert len(re.findall(rf"<h2>{title(name)}\b[^<]*</h2>", page.text)) == 1
        assert f"<p>{about(name)}.</p>" in page.text
    assert '<td class="number">0, 1</td>' in page.text


def test_marks_and_sources_are_shown(page):
    assert (
        page.text.count('<span class="badge stand-in">simulated stand-in</span>') == 2
    )  # in the table, above its section
    assert page.text.count('<a href="fco.html#figure-3">FCO, Figure 3</a>') == 1
    assert "nobody wrote them" in page.text
    assert "Federated Composite Optimization, ICML 2021" in page.text


def test_sizes_and_hashes_are_the_stores(page, inputs):
    store = ClientStore.open(inputs.stores / "lasso_variant-III_seed-0")
    assert store.sha256 in page.text
    assert "train 8\u202f192 on 64 clients" in page.text


def test_a_store_that_is_gone_or_rebuilt_is_said_to_be(page):
    assert page.text.count("not here") == 1
    assert page.text.count("it was rebuilt since") == 1


def test_a_damaged_store_is_as_none(tmp_path):
    (tmp_path / "lasso").mkdir()
    (tmp_path / "lasso/manifest.json").write_text("{}")
    assert Choice(tmp_path, runs_say={"lasso": SimpleNamespace(id="lasso")}).store is None


def test_pictures_are_there_in_both_themes(page, inputs):
    names = {path.name for path in (inputs.out / "figures").iterdir()}
    for stem in ("lasso_variant-III_seed-0-targets", "penalised_logistic_variant-weak_seed-0-labels", "heterogeneity"):
        assert {f"{stem}.svg", f"{stem}-dark.svg"} <= names
    assert any("femnist" in name and "samples" in name for name in names)
    assert not any("lasso" in name and "labels" in name for name in names)
    for image in page.images:
        assert len(image["alt"]) > 20
    for address in page.loads:
        if not address.startswith("data:"):
            assert (page.path.parent / address).is_file()


def test_options_in_words():
    partition = {"name": "dirichlet", "clients": 100, "alpha": 0.3}
    assert in_words({"partition": partition, "stand_in": True}) == "dirichlet (clients 100, alpha 0.3)"
    assert in_words({"categories": ["face", "house"], "held_out": None}) == "categories face/house"
    assert in_words({"detrend": True, "test_examples": False}) == "detrend, no test examples"


def test_seeds_in_a_row_are_a_range():
    assert ranges([5, 0, 1, 2, 3, 1]) == "0–3, 5"
    assert ranges([0, 1, 7]) == "0, 1, 7"


def test_sizes_of_several_seeds_are_a_span():
    assert span([300, 300]) == "300"
    assert span(iter([21, 300, 7]), "–") == "7–300"


def test_every_data_set_has_a_title_and_every_fetched_one_a_licence():
    sources = load_sources()
    assert title("mnist_writers") == "MNIST by writer"
    assert title("clients_of_mine") == "clients of mine"
    for name, dataset in catalogue.datasets.items():
        assert about(name).startswith(title(name)) and title(name), name
        if issubclass(dataset, Fetched):
            assert all(sources[source].licence and sources[source].homepage for source in dataset.sources), name


def test_real_data_without_a_file_is_not_called_generated(inputs, tmp_path):
    run = a_run(
        "digits",
        {"partition": {"name": "equal", "clients": 8}, "splits": "none"},
        0,
        SimpleNamespace(kind="real", sha256="f" * 64),
    )
    results = SimpleNamespace(experiments={"0": of_figure(0, run, "other real data")})
    write_data(SimpleNamespace(**vars(inputs) | {"out": tmp_path, "results": results}))
    text = (tmp_path / "data.html").read_text()
    assert "comes with the environment" in text and "generated here" not in text
