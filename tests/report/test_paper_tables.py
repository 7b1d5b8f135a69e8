"""Tables of the papers with our numbers beside theirs."""

import dataclasses
from pathlib import Path

import configuration
import pytest
from made_results import ERROR, GAP, made_results, made_run

from fedatlas.errors import AtlasError
from fedatlas.report.model.figure import Table
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.tables import make_table
from fedatlas.results.collection import ExperimentResults

CONFIG = Path(__file__).parents[2] / "config"
KNOWN = configuration.known("paper")
PAPERS = {paper.id: paper for paper in configuration.papers()}
RESULTS = PaperResults(CONFIG / "paper_results")
TABLES = [(paper.id, figure.id) for paper in PAPERS.values() for figure in paper.figures if figure.table]


def table(paper, name, runs):
    made = make_table(PAPERS[paper], PAPERS[paper].figure(name), RESULTS, made_results(runs))
    assert all(len(row) == len(made.heads) for row in made.rows)
    return [dict(zip(made.heads, row, strict=True)) for row in made.rows]


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_a_table_stands_without_any_run_and_names_experiments_that_there_are(paper, name):
    chosen = PAPERS[paper].figure(name).table
    rows = table(paper, name, {})
    assert len(rows) == len(RESULTS[chosen.source][chosen.cells])
    assert {f"{paper}/{id}" for id in chosen.of.values()} <= set(KNOWN)
    algorithms = {id for experiment in chosen.of.values() for id in KNOWN[f"{paper}/{experiment}"].algorithms}
    assert {id for ids in chosen.ours.values() for id in ids} <= algorithms
    assert set(chosen.ours) <= {row.get("algorithm") for row in rows}


def test_costs_are_read_where_the_accuracy_is_first_met():
    costs = {"communications": [0, 1, 1, 2], "gradient_evaluations": [0, 10, 20, 30]}
    half = made_run("fedpd_gd_half", {GAP: [[1, 1e-3, 1e-7, 1e-3]]}, costs=costs, name="p = 0.5")
    never = made_run("fedpd_gd", {GAP: [[1, 1, 1, 1]]}, name="p = 0")
    rows = table("fedpd", "Table 1", {"fedpd/figure_2a": [half, never]})
    ours = {row["our runs"]: row for row in rows}
    assert ours["p = 0.5"]["weakly non-i.i.d.: communications"] == "1"
    assert ours["p = 0.5"]["weakly non-i.i.d.: gradient evaluations"] == "20"
    assert ours["p = 0"]["weakly non-i.i.d.: communications"] == "never"
    assert ours["p = 0"]["strongly non-i.i.d.: communications"] == "–"
    assert ours["p = 0"]["algorithm"] == "Fed-PD-GD"
    assert ours["p = 0.5"]["algorithm"] == ""  # a second run of the same row


def test_dualfl_is_found_by_its_name():
    run = made_run("dualfl", {ERROR: [[1, 1e-5]]}, name="DualFL")
    rows = {row["algorithm"]: row for row in table("dualfl", "Table 1", {"dualfl/mnist": [run]})}
    assert rows["DualFL"]["MNIST: communications"] == "1"
    assert rows["RandProx"]["our runs"] == "–"


def test_a_column_of_another_scale_says_so():
    evidence = made_results({"dualfl/cifar10": [made_run("dualfl", {ERROR: [[1, 1e-5]]}, name="DualFL")]})
    medium = configuration.known("medium")["dualfl/cifar10"]
    own = ExperimentResults(medium, evidence["dualfl/cifar10"].runs)
    evidence = dataclasses.replace(evidence, experiments={medium.key: own})
    made = make_table(PAPERS["dualfl"], PAPERS["dualfl"].figure("Table 1"), RESULTS, evidence)
    assert {"MNIST: communications", "CIFAR-10, medium scale: communications"} <= set(made.heads)


def test_selected_hyperparameters_stand_beside_the_papers():
    grid = [{"rho": 0.004, "nu": 0.01}, {"rho": 0.003, "nu": 0.01}]
    dualfl = made_run("dualfl", {ERROR: [[1, 0.1], [1, 0.2]]}, grid=grid, name="DualFL")
    dualavg = made_run("feddualavg", {ERROR: [[1, 1]]}, grid=[{"client_lr": 0.1, "server_lr": 1.0}], name="FedDualAvg")
    rows = table("dualfl", "Table 2", {"dualfl/table_2": [dualfl, dualavg]})
    ours = {(row["algorithm"], row["parameter"]): row["ours: MNIST"] for row in rows}
    assert ours["DualFL", "ρ"] == "0.004, chosen from 0.003, 0.004"
    assert ours["DualFL", "ν"] == "0.01"
    assert ours["FedDualAvg", "η_c"] == "0.1"
    assert ours["FedDualAvg", "K"] == "10"  # the experiment's local steps
    assert ours["FedPD", "η"] == "–"
    paper = {(row["algorithm"], row["parameter"]): row["MNIST"] for row in rows}
    assert paper["DualFL", "ρ"] == "0.003"


ACCURACY = ("test", "accuracy")


def test_scores_stand_below_the_papers_and_the_best_ones_are_bold():
    figure = PAPERS["feddua"].figure("Table 2")
    first = made_run("fedavg", {ACCURACY: [[0.1, 0.503]]}, name="FedAvg")
    second = made_run("fedduadam", {ACCURACY: [[0.1, 0.507]]}, name="FedDuAdam")
    third = made_run("fedexp", {ACCURACY: [[0.1, 0.4]]}, name="FedExP")
    made = make_table(PAPERS["feddua"], figure, RESULTS, made_results({"feddua/cifar10": [first, second, third]}))
    paper, ours = made.rows[1:3]
    assert (paper[0], paper[1], made.our_rows) == ("CIFAR10", "paper", {2})
    assert dict(zip(made.heads, paper, strict=True))["FedDuAdam"] == "86.6"
    cells = dict(zip(made.heads, ours, strict=True))
    assert cells["source"] == "ours, paper scale, the paper's own (made, 8 training examples)"
    assert (cells["FedAvg"], cells["FedDuAdam"], cells["FedExP"], cells["FedAdam"]) == ("50.3", "50.7", "40.0", "–")
    bold = {made.heads[column] for row, column in made.bold if row == 2}
    assert bold == {"FedAvg", "FedDuAdam"}  # within half a point
    assert {made.heads[column] for row, column in made.bold if row == 1} == {"FedDuAdam", "FedExPM"}  # as in the paper


def test_a_score_that_stands_alone_is_not_bold():
    figure, only = PAPERS["feddua"].figure("Table 2"), made_run("fedavg", {ACCURACY: [[0.1, 0.5]]}, name="FedAvg")
    made = make_table(PAPERS["feddua"], figure, RESULTS, made_results({"feddua/cifar10": [only]}))
    assert "50.0" in made.rows[2]
    assert made.bold and not any(row == 2 for row, _ in made.bold)


def test_tuned_hyperparameters_are_logarithms():
    grid = [{"client_lr": 0.0316, "eps_g": 0.1, "epsilon": 1e-9}, {"client_lr": 1, "eps_g": 0.1, "epsilon": 1e-9}]
    run = made_run("fedduadam", {ACCURACY: [[0, 1], [0, 0]]}, grid=grid, name="FedDuAdam")
    rows = table("feddua", "Table 6", {"feddua/femnist": [run]})
    found = {(row["data set"], row["algorithm"]): row for row in rows}
    row = found["FEMNIST", "FedDuAdam"]
    assert (row["log₁₀ η_l"], row["server parameter"], row["its value (log₁₀)"]) == ("−1", "ε_g", "−1")
    assert (row["ours: log₁₀ η_l"], row["ours: its value (log₁₀)"]) == ("−1.5, chosen from −1.5, 0", "−1")
    assert (row["ours: scale"], found["CIFAR10", "FedDuAdam"]["ours: scale"]) == ("paper", "–")
    assert found["CIFAR10", "FedDuAdam"]["ours: log₁₀ η_l"] == "–"


def test_theorem_1_stands_beside_its_approximations():
    linear, logarithmic = (row["C(p) by Theorem 1"] for row in table("fedpd", "Table 2", {}))
    assert linear.startswith("0.639 η at p = 0.1")
    assert logarithmic.endswith("at p = 0.9")


def test_a_file_that_is_not_there():
    with pytest.raises(AtlasError, match=r"nothing.yaml does not exist; there are \d+, such as "):
        RESULTS["nothing"]


def test_a_figure_without_a_table():
    paper = PAPERS["fedpd"]
    with pytest.raises(AtlasError, match="'Figure 1' of fedpd has no table; these have one: Table 1"):
        make_table(paper, paper.figure("Figure 1"), RESULTS, made_results({}))


@pytest.mark.parametrize(("kind", "reach"), [("costs_to_accuracy", None), ("rates", 1e-6)])
def test_only_costs_until_an_accuracy_have_a_reach_and_all_of_them(kind, reach):
    with pytest.raises(ValueError, match="give 'reach' with the kind 'costs_to_accuracy', and only with it"):
        Table(kind=kind, source="a", columns={"a": "b"}, reach=reach)
