# Helpers of the rules, and no rules.

import fcntl
import functools
import json
import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

from fedatlas.checking import check_once
from fedatlas.damage import set_damaged_aside
from fedatlas.data.catalogue import needs_raw
from fedatlas.errors import AtlasError
from fedatlas.files import writing
from fedatlas.lifeline import end_children, follow_parent, terminate_self
from fedatlas.machine import check_machine, memory_mb
from fedatlas.measurements import DRAWING, OTHERS, chains, foretold, kind_of, on_record, predict
from fedatlas.names import instead
from fedatlas.pipeline import (
    Pipeline,
    code_of,
    fingerprint,
    kinds_of_claims,
    kinds_of_figures,
    run_modules,
    things_of_the_engine,
)
from fedatlas.scratch import leave
from fedatlas.warm.client import own

NOTEBOOK = "notebooks/train.ipynb"
KERNEL = ".env/tff/share/jupyter/kernels/fedatlas-tff/kernel.json"
LONGER_THAN_ANY_CHAIN = 1e9  # seconds
RUN = "data/runs/{scale}/{paper}/{experiment}/{algorithm}/seed{seed}"

# Jobs find the programs of the environment that Snakemake itself runs in, activated or not.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]))
# Jobs keep what Python compiles: else every one of them would compile its imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def stop(sentence):
    """Ends with one sentence: Snakemake would add where in the workflow, not in the user's file, it was noticed."""
    sys.exit(f"fedatlas: {sentence}")


def hold_folder():
    """Lets one Snakemake work in this folder at a time, and clears the lock that a killed one left.

    The operating system gives the file lock back however its holder ended.
    """
    lock = Path(".snakemake/fedatlas.lock")
    with writing(lock):
        lock.parent.mkdir(exist_ok=True)
        holder = lock.open("a")
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stop("another snakemake is at work in this folder: wait until it has ended, or stop it, and start again.")
    shutil.rmtree(".snakemake/locks", ignore_errors=True)
    return holder


def prepare():
    """Looks whether this machine can do the work, and makes this process the owner of the warm ones."""
    try:
        check_machine(map(Path, ("data", "logs", "reports")))
        if workflow.local_exec:
            own()
    except AtlasError as error:
        stop(error)


def on_signals(handler):
    """What Ctrl-C and a termination call, also where only this process hears of it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def stop_at_once(*_):
    """Ends the jobs, which resume from their checkpoints, where Snakemake would wait for them."""
    on_signals(signal.SIG_IGN)  # once is enough
    for handler in progress():
        handler.stop()
    end_children(grace=2)
    raise KeyboardInterrupt


def progress():
    """The line of progress, if there is one."""
    return [handler for handler in workflow.logger_manager.get_log_handlers() if hasattr(handler, "expect")]


def wake_only_for_jobs():
    """Lets the scheduler look for work when a job has ended, and not ever more often.

    To keep to its limit of jobs a second, every look asks for another one a second later: after two hundred jobs it
    looks two hundred times a second. Here no limit is needed.
    """
    workflow.scheduler.job_rate_limiter = None


def foretell():
    """Tells the line of progress how long every job will take on this machine."""
    handlers = progress()
    jobs = list(workflow.dag.needrun_jobs()) if handlers else []
    costs = foretold(PIPELINE.runs.values()) if handlers else {}
    seconds = {workflow.dag.jobid(job): seconds_of(job, costs) for job in jobs}
    runs = sum(job.rule.name == "train" for job in jobs)
    what = f"{runs} runs and {len(jobs) - runs} other steps at {PIPELINE.configuration.scale} scale"
    at_once = workflow.nodes or max(1, workflow.cores // PIPELINE.configuration.threads)
    needed = sum(sorted(job.resources.get("mem_mb", 0) for job in jobs)[-at_once:])
    if workflow.local_exec and needed > memory_mb():
        needs = f"{at_once} jobs at once need" if at_once > 1 else "a job needs"
        fewer = f"this machine has {memory_mb()}: if a kernel dies, give fewer --cores"
        print(f"fedatlas: {needs} up to about {needed} MB, but {fewer}.", file=sys.stderr)
    for handler in handlers:
        handler.expect(seconds, at_once, f"{what}, {at_once} at once")


def seconds_of(job, costs):
    """What a job will take, by costs of runs."""
    if job.rule.name == "train":
        return predict(run_of(job.wildcards_dict), costs)[0].seconds
    shown = job.wildcards_dict.get("paper") or job.wildcards_dict.get("page")
    if job.rule.name in DRAWING and shown in PIPELINE.papers:
        return DRAWING[job.rule.name] * runs_by_paper()[shown]
    return OTHERS.get(job.rule.name, 0)


def run_of(wildcards):
    """The run that a job's wildcards name."""
    folder = "{scale}/{paper}/{experiment}/{algorithm}/seed{seed}".format(**wildcards)
    if folder not in PIPELINE.runs:
        stop(f"no run of this configuration makes data/runs/{folder}: `fedatlas plan` lists those of a scale.")
    return PIPELINE.runs[folder]


PREDICTED = {}  # by kind


def cost_of(run):
    """What a run will take, as all of its kind."""
    kind = kind_of(run)
    if kind not in PREDICTED:
        PREDICTED[kind], _ = predict(run, COSTS)
    return PREDICTED[kind]


@functools.cache
def chain_seconds():
    """By the folder of every run, the seconds until all that waits for it has ended, too."""
    return chains(
        PIPELINE.runs.values(),
        lambda run: cost_of(run).seconds,
        lambda run: sum(DRAWING.values()) * runs_by_paper()[run.experiment.paper],
    )


@functools.cache
def runs_by_paper():
    """How many runs every paper has."""
    return Counter(run.experiment.paper for run in PIPELINE.runs.values())


def longest_chain_first(wildcards):
    """The priority of a run: below that of all other jobs, and among runs by the longest chain."""
    if workflow.remote_exec:
        return 0
    return chain_seconds()[run_of(wildcards).folder] - LONGER_THAN_ANY_CHAIN


def runs_of_paper(paper, name):
    """The file `name` of every run of a paper's experiments."""
    runs = PIPELINE.runs.items()
    return [f"data/runs/{folder}/{name}" for folder, run in runs if run.experiment.paper == paper]


def runs_of_experiment(wildcards, name):
    """The file `name` of every run of an experiment."""
    key = f"{wildcards.paper}/{wildcards.experiment}"
    if key not in PIPELINE.experiments:
        stop(f"'{key}' is no experiment of {PIPELINE.configuration.scale} scale; {instead(key, PIPELINE.experiments)}")
    return [f"data/runs/{folder}/{name}" for folder, run in PIPELINE.runs.items() if run.experiment.key == key]


def notebook_of(paper):
    """The notebook of a paper's figures: its own, else the one for all."""
    own = f"notebooks/{paper}.ipynb"
    return own if Path(own).is_file() else "notebooks/figures.ipynb"


def experiments_of(paper):
    """The chosen experiments of a paper, as a list in YAML."""
    return json.dumps(keys_of(paper))


def files(*patterns):
    """The files that match, in a stable order."""
    return sorted(str(path) for pattern in patterns for path in Path().glob(pattern))


def data_modules(dataset):
    """The modules that a client store's content depends on."""
    return [
        f"fedatlas.data.datasets.{PIPELINE.datasets[dataset].name}",
        "fedatlas.data.store",
    ]


def raw_stamps(dataset):
    """The stamps of the fetched sources that a client store is made from."""
    chosen = PIPELINE.datasets[dataset]
    return [f"data/raw/{source}.sha256" for source in needs_raw(chosen.name, json.loads(chosen.options))]


def earlier_runs(wildcards):
    """The metrics of the runs that a run needs: its sweep's to select from, the optimum to compare with."""
    return [f"data/runs/{run.folder}/metrics.parquet" for run in run_of(wildcards).inputs]


def check_bytes():
    """Sets aside what is not as it was written; returns what has to be made again."""
    damaged = dict(set_damaged_aside(PIPELINE, Path("data/clients"), Path("data/runs")))
    for sentence in damaged.values():
        print(f"fedatlas: {sentence}", file=sys.stderr)
    return [str(manifest) for manifest in damaged]


on_signals(leave)

DAMAGED = []
try:
    check_once()
    PIPELINE = Pipeline(config)
    COSTS = on_record(PIPELINE.runs.values())
    if not workflow.output_settings.dryrun and not workflow.remote_exec:
        HOLDER = hold_folder()
        DAMAGED = check_bytes()
except AtlasError as error:
    stop(error)

# Not a parameter of the rule: the same files from another mirror are no reason to run anything again.
if PIPELINE.configuration.mirror:
    os.environ.setdefault("FEDATLAS_MIRROR", PIPELINE.configuration.mirror)


wildcard_constraints:
    scale="quick|medium|paper",
    paper="[a-z]+",
    experiment="[^/]+",
    algorithm="[^/]+",
    seed="[0-9]+",
    dataset="[^/]+",
