"""Experiment files: every committed one is valid, and every mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fedatlas.config import read_yaml
from fedatlas.errors import AtlasError
from fedatlas.experiments.runs import RunId, runs_of
from fedatlas.experiments.spec import SCALES, find_experiment, load_experiment, load_experiments

CONFIG = Path(__file__).parents[2] / "config/experiments"
LASSO = read_yaml(CONFIG / "fco/lasso_I.yaml")


@pytest.mark.parametrize("scale", SCALES)
def test_every_experiment_is_valid(scale):
    assert load_experiments(CONFIG, scale)


@pytest.mark.parametrize("scale", SCALES)
def test_every_curve_of_a_figure_has_a_colour_of_its_own(scale):
    for key, experiment in load_experiments(CONFIG, scale).items():
        colours = [RunId(experiment, entry, 0).colour for entry in experiment.algorithms]
        assert len(set(colours)) == len(colours), key


MISTAKES = {
    "unknown key": ({"training__speed": 3}, ["'training.speed'", "3", "allowed", "batch_size"]),
    "unknown key at the top": ({"nonsense": 1}, ["'nonsense'", "allowed here are", "such as"]),
    "missing key": ({"training__rounds": ...}, ["'training.rounds'", "missing"]),
    "wrong type": ({"training__rounds": "many"}, ["'training.rounds'", "'many'", "a whole number"]),
    "steps across epochs": (
        {"training__local_epochs": ..., "training__local_steps": 3, "training__batches": "across_epochs"},
        ["'training'", "across_epochs", "local_epochs"],
    ),
    "nothing to clip": ({"training__local": {"clipped": "step"}}, ["'training.local'", "'clip_norm'"]),
    "no rounds": ({"training__rounds": 0}, ["'training.rounds'", "0", "above 0"]),
    "negative rate": ({"sweep__client_lr": [0.1, -0.1]}, ["sweep.client_lr", "-0.1", "above 0"]),
    "repeated rate": ({"sweep__client_lr": [0.1, 0.1]}, ["client_lr", "different"]),
    "unknown hyper-parameter": ({"sweep__speed": [1]}, ["speed", "client_lr", "server_lr"]),
    "unknown algorithm": ({"algorithms__fedwarp": {}}, ["'fedwarp'", "fed"]),
    "unknown problem": ({"problem__name": "warp"}, ["'problem.name'", "'warp'", "there are"]),
    "unknown penalty": ({"problem__penalty__name": "l7"}, ["'l7'", "l1"]),
    "unknown penalty option": ({"problem__penalty__power": 2}, ["'problem.penalty.power'", "strength"]),
    "negative penalty": ({"problem__penalty__strength": -1}, ["'problem.penalty.strength'", "-1", "at least 0"]),
    "missing problem option": ({"problem__nonzero_above": ...}, ["'problem.nonzero_above'", "missing"]),
    "unknown start": ({"problem__start": "keras"}, ["'problem.start'", "'keras'", "zero, glorot"]),
    "unknown rule": (
        {"problem__penalty__strength": {"times_max": 0.1, "round": 1}},
        ["'round'", "allowed here are: times_max"],
    ),
    "share above one": ({"problem__penalty__strength": {"times_max": 2}}, ["'times_max'", "2", "below 1"]),
    "rule for another penalty": (
        {"problem__penalty": {"name": "l2_squared", "strength": {"times_max": 0.1}}},
        ["'problem.penalty.strength'", "times_max", "for the penalty l1", "not for l2_squared"],
    ),
    "unknown scale": ({"scales": ["huge"]}, ["'scales.0'", "'huge'", "'paper'"]),
    "no scale": ({"scales": []}, ["'scales'", "at least 1"]),
    "unknown dataset": ({"dataset__name": "warp"}, ["'dataset.name'", "'warp'", "there are"]),
    "unknown dataset option": ({"dataset__colour": "red"}, ["'dataset.colour'", "variant"]),
    "unknown variant": ({"dataset__variant": "V"}, ["variant", "'V'", "'IV'"]),
    "wrong choice": ({"training__precision": "float16"}, ["'training.precision'", "'float16'", "'float64'"]),
    "two lengths": ({"training__local_steps": 5}, ["local_epochs", "local_steps"]),
    "overlapping seeds": ({"seeds__tuned": [0]}, ["[0]", "'sweep'", "'tuned'"]),
    "undecided sweep": ({"select__until": 510}, ["'select.until'", "510", "every 10", "up to 500"]),
    "sweep decided between evaluations": ({"select__until": 51}, ["'select.until'", "51", "every 10"]),
    "paper of another folder": ({"paper": "fedpd"}, ["'paper'", "'fedpd'", "'fco'"]),
    "three at once": (
        {"select__metric": ..., "training__rounds": 0, "select__over_last": ...},
        ["the key 'select.metric' is missing (wrong too: 'training.rounds' and 'select.over_last')."],
    ),
    "five at once": (
        {"training__rounds": 0, "training__cohort": 0, "training__batch_size": 0, "scales": [], "figure": 3},
        [" (wrong too: ", " and 1 more)."],
    ),
    "misspelt and wrong": (
        {"training__rounds": ..., "training__round": 5, "scales": []},
        ["unknown key 'training.round' (value 5); did you mean 'rounds'? (wrong too: 'scales')"],
    ),
    "scale in the file": ({"scale": "quick"}, ["'scale'", "command"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(write, mistake):
    changes, words = MISTAKES[mistake]
    path = write(**changes)
    with pytest.raises(AtlasError) as caught:
        load_experiment(path, "paper")
    for word in ["changed.yaml", *words]:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistakes_at_quick_scale_are_named(write):
    path = write(quick__training__rounds=-3)
    assert load_experiment(path, "paper").training.rounds == 500
    with pytest.raises(AtlasError, match=r"training.rounds.*-3"):
        load_experiment(path, "quick")


def test_files_that_are_not_mappings(tmp_path):
    path = tmp_path / "fco" / "broken.yaml"
    path.parent.mkdir()
    path.write_text("a: [1, 2")
    with pytest.raises(AtlasError, match=r"broken.yaml, line 1 is not valid YAML"):
        load_experiment(path, "quick")
    path.write_text("a: 1\nclient_lr: {[0.1, 0.3]}")
    with pytest.raises(AtlasError, match=r"broken.yaml, line 2 is not valid YAML: found unhashable key"):
        load_experiment(path, "paper")
    path.write_text("- 1")
    with pytest.raises(AtlasError, match=r"broken.yaml must hold a mapping"):
        load_experiment(path, "paper")


def test_unknown_names_list_what_there_is():
    with pytest.raises(AtlasError, match=r"unknown experiment 'fco/lasso_X'; did you mean 'fco/lasso_I"):
        find_experiment(CONFIG, "fco/lasso_X", "quick")
    with pytest.raises(AtlasError, match=r"unknown scale 'huge'; there are: quick, medium, paper"):
        find_experiment(CONFIG, "fco/lasso_I", "huge")
    with pytest.raises(AtlasError, match=r"fco/lasso_I has no algorithm 'fedwarp'; (did you mean|it has: feddualavg)"):
        find_experiment(CONFIG, "fco/lasso_I", "quick").for_algorithm("fedwarp")


def test_an_experiment_that_is_not_run_at_every_scale(write):
    path = write(scales=["paper"])
    folder = path.parents[1]
    quick, paper = (load_experiments(folder, scale)["fco/changed"] for scale in ("quick", "paper"))
    assert (runs_of([quick]), bool(runs_of([paper]))) == ([], True)
    with pytest.raises(AtlasError, match="fco/changed is not run at quick scale, only at: paper"):
        find_experiment(folder, "fco/changed", "quick")


@pytest.mark.parametrize("name", ["$(touch pwned)", "a;b", "with space", "../up", "9lives"])
def test_ids_that_could_not_be_folders_or_words_of_a_command(write, name):
    path = write()
    with pytest.raises(AtlasError, match="the name of an experiment's file must be letters, digits and '_'.*: rename"):
        load_experiment(path.rename(path.with_stem(name.replace("/", "|"))), "quick")
    with pytest.raises(AtlasError, match="'algorithms': '.*' must be letters, digits and '_', the first one a letter"):
        load_experiment(write(algorithms={name: {"algorithm": "fedavg"}}), "quick")


def test_a_number_takes_the_place_of_a_rule(write):
    path = write(problem__penalty__strength={"times_max": 0.1})
    run = RunId(load_experiment(path, "paper"), "centralized", 0)
    fixed = run.with_penalty({"strength": 0.03})
    assert run.spec.problem.penalty.options == {"strength": {"times_max": 0.1}}
    assert fixed.spec.problem.penalty.options == {"strength": 0.03}
    assert (fixed.folder, fixed.spec.training) == (run.folder, run.spec.training)


def test_a_file_that_extends_another_may_keep_some_of_its_algorithms(write):
    entries = {"fedavg": {"problem": {"nonzero_above": 0.5}}, "feddualavg": {}}
    quick = {"algorithms": {"fedavg": {"training": {"rounds": 3}}, "feddualavg": {"training": {"rounds": 4}}}}
    quick["evaluation"] = {"every": 1}
    child = write(algorithms=entries, quick=quick).with_stem("child")
    content = {"extends": "changed", "keeps": ["fedavg"], "algorithms": {"fedmid": {}}}
    child.write_text(yaml.safe_dump(content))
    experiment = load_experiment(child, "quick")
    assert [*experiment.algorithms] == ["fedavg", "fedmid"]
    assert experiment.for_algorithm("fedavg").training.rounds == 3
    assert experiment.for_algorithm("fedavg").problem.options["nonzero_above"] == 0.5
    child.write_text(yaml.safe_dump(content | {"keeps": ["fedem"]}))
    with pytest.raises(
        AtlasError, match=r"child.yaml, line \d+: 'keeps' has 'fedem', which is none of the algorithms there; "
    ):
        load_experiment(child, "paper")


def test_what_is_not_run_at_a_scale_need_not_be_right_there(write):
    """As one that extends an experiment whose algorithms at a smaller scale are not its own."""
    child = write(quick__problem={"smoothing": 1}).with_stem("child")
    child.write_text(yaml.safe_dump({"extends": "changed"}))
    with pytest.raises(AtlasError, match="smoothing"):
        load_experiment(child, "quick")
    child.write_text(yaml.safe_dump({"extends": "changed", "scales": ["paper"]}))
    assert not load_experiment(child, "quick").runs_here


def test_another_name_leaves_no_options_behind(write):
    """The options of one problem are not those of another; a penalty that is not named again is missing."""
    select = {"metric": "loss", "split": "train", "best": "lowest", "over_last": 1}
    path = write(quick__problem={"name": "least_squares", "penalty": {"name": "zero"}}, quick__select=select)
    quick = load_experiment(path, "quick").problem
    assert (quick.name, quick.options, quick.penalty.name) == ("least_squares", {}, "zero")
    assert "nonzero_above" in load_experiment(path, "paper").problem.options
    with pytest.raises(AtlasError, match=r"'problem.penalty' is missing"):
        load_experiment(write(quick__problem={"name": "least_squares"}), "quick")


def test_scales_and_algorithms_override():
    paper, quick = (find_experiment(CONFIG, "fco/lasso_II", scale) for scale in ("paper", "quick"))
    assert (paper.figure, paper.dataset.options) == ("Figure 6", {"variant": "II"})
    assert (paper.training.rounds, quick.training.rounds) == (500, LASSO["quick"]["training"]["rounds"])
    assert paper.for_algorithm("centralized").training.batch_size == "full"
    assert set(paper.for_algorithm("centralized").sweep) == {"client_lr"}
    assert paper.for_algorithm("fedmid").training == paper.training


def test_the_grid_is_the_papers():
    run = RunId(find_experiment(CONFIG, "fco/lasso_I", "paper"), "feddualavg", 0)
    assert len(run.configurations) == 49
    assert run.configurations[:2] == [{"client_lr": 0.001, "server_lr": 0.01}, {"client_lr": 0.001, "server_lr": 0.03}]


def test_runs_of_an_experiment():
    experiment = find_experiment(CONFIG, "fco/lasso_I", "paper")
    tuned = experiment.seeds.tuned
    runs = runs_of([experiment])
    assert len(runs) == (1 + len(tuned)) * len(experiment.algorithms)
    assert [run.stage for run in runs[: 1 + len(tuned)]] == ["sweep", *["tuned"] * len(tuned)]
    assert runs[2].sweep_run == runs[0]
    assert str(runs[1].folder) == f"paper/fco/lasso_I/feddualavg/seed{tuned[0]}"
    assert runs[1].dataset_id == f"lasso_variant-I_seed-{tuned[0]}"
