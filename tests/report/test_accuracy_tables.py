"""Tables whose cells have parts, whose rows are of several experiments, and tables of a setup."""

from pathlib import Path

import configuration
import pytest
from made_results import made_results, made_run
from made_runs import made_manifest

from fedatlas.formatting import uncapitalised
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.tables import make_table

CONFIG = Path(__file__).parents[2] / "config"
KNOWN = configuration.known("paper")
FEDEM = next(paper for paper in configuration.papers() if paper.id == "fedem")
RESULTS = PaperResults(CONFIG / "paper_results")

MEAN, DECILE = ("test", "accuracy"), ("test", "accuracy_decile")


def accurate(algorithm, name, mean, decile=0.5):
    return made_run(algorithm, {MEAN: [[0, mean]], DECILE: [[0, decile]], ("train", "accuracy"): [[0, 0.9]]}, name=name)


def rows(name, runs):
    made = make_table(FEDEM, FEDEM.figure(name), RESULTS, made_results(runs))
    return made, [dict(zip(made.heads, row, strict=True)) for row in made.rows]


def test_both_parts_of_a_cell_are_written_and_the_first_decides_what_is_bold():
    runs = [accurate("fedem", "FedEM", 0.747, 0.6), accurate("clustered_fl", "Clustered FL", 0.743, 0.7)]
    made, found = rows("Table 2", {"fedem/synthetic": runs})
    place = next(i for i, row in enumerate(found) if row["data set"] == "Synthetic")
    assert found[place]["FedEM"] == "74.7 / 66.7"
    assert found[place]["Clustered FL"] == "69.1 / 59.0"
    assert found[place + 1]["source"] == "ours, paper scale, the paper's own (made, 8 training examples)"
    assert (found[place + 1]["FedEM"], found[place + 1]["Clustered FL"]) == ("74.7 / 60.0", "74.3 / 70.0")
    assert {made.heads[column] for row, column in made.bold if row == place + 1} == {"FedEM", "Clustered FL"}
    assert {made.heads[column] for row, column in made.bold if row == place} == {"FedEM"}


def test_means_are_over_the_seeds_that_selected_no_rates():
    grid = [{"client_lr": 0.1}, {"client_lr": 0.01}]
    chose = made_run("fedem", {MEAN: [[0, 0.9]] * 2, DECILE: [[0, 0.9]] * 2}, grid=grid, name="FedEM")
    scored = [
        made_run("fedem", {MEAN: [[0, mean]], DECILE: [[0, 0.5]]}, own={"seed": seed, "stage": "tuned"}, name="FedEM")
        for seed, mean in ((1, 0.70), (2, 0.72))
    ]
    for runs, expected in (([chose, *scored], "71.0 / 50.0"), ([chose], "90.0 / 90.0")):
        _, found = rows("Table 2", {"fedem/synthetic": runs})
        assert next(row["FedEM"] for row in found if row["source"] != "paper") == expected


def test_another_experiment_on_the_same_data_has_a_row_of_its_own():
    runs = {"fedem/synthetic": [accurate("fedem", "FedEM", 0.7)]}
    runs |= {"fedem/synthetic_code": [accurate("fedem", "FedEM", 0.8)]}
    _, found = rows("Table 2", runs)
    ours = [row for row in found if row["source"] != "paper"]
    assert [row["FedEM"] for row in ours] == ["70.0 / 50.0", "80.0 / 50.0"]
    title = "synthetic mixture, nearly noiseless labels as in the authors' program"
    assert ours[1]["source"] == f"ours, paper scale: {title} (8 training examples)"


@pytest.mark.parametrize(
    ("title", "within"),
    [
        ("Synthetic mixture", "synthetic mixture"),
        ("CIFAR-10, a small network", "CIFAR-10, a small network"),
        ("FedEM alone", "FedEM alone"),
        ("Shakespeare, next character", "Shakespeare, next character"),
    ],
)
def test_a_title_within_a_sentence_keeps_the_capitals_of_names(title, within):
    assert uncapitalised(title) == within


def test_algorithms_that_an_experiment_leaves_out_are_taken_from_the_one_beside_it():
    runs = {"fedem/third": [accurate("fedem", "FedEM", 0.71)]}
    runs |= {"fedem/synthetic": [accurate("fedem", "FedEM", 0.75), accurate("fedavg", "FedAvg", 0.68)]}
    _, found = rows("Table 7", runs)
    ours = next(row for row in found if row["source"] != "paper")
    assert (ours["FedEM"], ours["FedAvg"]) == ("71.0 / 90.0", "68.0 / 90.0")


def test_what_a_variant_leaves_out_is_taken_from_the_one_beside_it():
    runs = {"fedem/third": [accurate("fedem", "FedEM", 0.71)], "fedem/third_small": [accurate("fedem", "FedEM", 0.45)]}
    runs |= {"fedem/synthetic": [accurate("fedavg", "FedAvg", 0.68)]}
    runs |= {"fedem/cifar10_fresh": [accurate("fedem", "FedEM", 0.5), accurate("fedavg", "FedAvg", 0.4)]}
    _, found = rows("Table 7", runs)
    small = next(row for row in found if "a third of the rounds (" in row["source"])
    assert (small["FedEM"], small["FedAvg"]) == ("45.0 / 90.0", "40.0 / 90.0")


def test_the_papers_deviations_are_written():
    _, found = rows("Table 8", {})
    cells = next(row for row in found if row["data set"] == "CIFAR100")
    assert cells["APFL"] == "40.3 ± 0.71"


def test_selected_rates_stand_below_the_papers():
    grid = [{"client_lr": 0.316, "server_lr": 1}, {"client_lr": 0.001, "server_lr": 1}]
    run = made_run("fedavg", {MEAN: [[0, 1], [0, 0]]}, grid=grid, name="FedAvg")
    made, found = rows("Table 5", {"fedem/synthetic": [run]})
    paper, ours = [(i, row) for i, row in enumerate(found) if row["FedAvg"] != "–"][-2:]
    assert paper[1]["FedAvg"] == "−1"
    assert ours[1]["FedAvg"] == "−0.5, chosen from −3, −0.5"
    assert not made.bold


@pytest.mark.parametrize("trained", [1, 2])
def test_times_are_of_one_configuration_or_of_a_sweep(trained):
    own = {"seconds": {"total": 30, "train": 20, "evaluate": 5, "first_round": 1}, "processor": "an abacus"}
    run = made_run("fedem", {MEAN: [[0, 1]] * trained}, grid=[{"client_lr": 1}, {"client_lr": 2}][:trained], own=own)
    found = {row["data set"]: row for row in rows("Table 4", {"fedem/synthetic": [run]})[1]}
    row = found["Synthetic"]
    assert row["one simulation"] == "20min"
    expected = ("30 s", "–") if trained == 1 else ("–", "30 s, 2 at once")
    assert (row["ours: one configuration"], row["ours: a whole sweep"]) == expected
    assert found["CIFAR10"]["ours: processor"] == "–"


def test_the_data_of_our_runs_stand_beside_the_papers():
    data = made_manifest().dataset.model_dump() | {"examples": 67758}
    run = made_run("fedem", {MEAN: [[0, 1]]}, own={"dataset": data, "num_params": 151})
    row = next(row for row in rows("Table 1", {"fedem/synthetic": [run]})[1] if row["data set"] == "Synthetic")
    assert row["ours: scale"] == "paper"
    assert (row["clients"], row["ours: clients that train"]) == ("300", "2")
    assert row["ours: examples that train"] == "67\u202f758"
