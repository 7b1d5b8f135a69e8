# Helpers of the rules, and no rules.

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path

from fedatlas.checking import check_once
from fedatlas.data.catalogue import needs_raw
from fedatlas.errors import AtlasError
from fedatlas.files import writing
from fedatlas.lifeline import end_children, follow_parent, terminate_self
from fedatlas.measurements import OTHERS, foretold, predict, shipped
from fedatlas.pipeline import Pipeline, fingerprint, kinds_of_figures, run_modules
from fedatlas.warm.client import own

KERNEL = ".env/tff/share/jupyter/kernels/fedatlas-tff/kernel.json"
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


def stop_at_once(*_):
    """On SIGTERM: ends the jobs, which resume from their checkpoints, where Snakemake would wait for them."""
    end_children()
    raise KeyboardInterrupt


def wake_only_for_jobs():
    """Lets the scheduler look for work when a job has ended, and not ever more often.

    To keep to its limit of jobs a second, every look asks for another one a second later: after two hundred jobs it
    looks two hundred times a second. Here no limit is needed.
    """
    workflow.scheduler.job_rate_limiter = None


def foretell():
    """Tells the line of progress how long every job will take on this machine."""
    handlers = [handler for handler in workflow.logger_manager.get_log_handlers() if hasattr(handler, "expect")]
    jobs = list(workflow.dag.needrun_jobs()) if handlers else []
    costs = foretold(PIPELINE.runs.values()) if handlers else {}
    seconds = {workflow.dag.jobid(job): seconds_of(job, costs) for job in jobs}
    runs = sum(job.rule.name == "train" for job in jobs)
    what = f"{runs} runs and {len(jobs) - runs} other steps at {PIPELINE.configuration.scale} scale"
    at_once = workflow.nodes or workflow.cores // PIPELINE.configuration.threads
    for handler in handlers:
        handler.expect(seconds, at_once, f"{what}, {at_once} at once")


def seconds_of(job, costs):
    """What a job will take, by costs of runs."""
    if job.rule.name == "train":
        return predict(run_of(job.wildcards_dict), costs)[0].seconds
    return OTHERS.get(job.rule.name, 0)


def run_of(wildcards):
    """The run that a job's wildcards name."""
    folder = "{scale}/{paper}/{experiment}/{algorithm}/seed{seed}".format(**wildcards)
    if folder not in PIPELINE.runs:
        stop(f"no run of this configuration makes data/runs/{folder}: `fedatlas plan` lists those of a scale.")
    return PIPELINE.runs[folder]


def runs_of_paper(paper, name):
    """The file `name` of every run of a paper's experiments."""
    runs = PIPELINE.runs.items()
    return [f"data/runs/{folder}/{name}" for folder, run in runs if run.experiment.paper == paper]


def experiments_of(paper):
    """The chosen experiments of a paper, as a list in YAML."""
    return json.dumps([key for key, experiment in PIPELINE.experiments.items() if experiment.paper == paper])


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


try:
    if not workflow.output_settings.dryrun and not workflow.remote_exec:
        HOLDER = hold_folder()
    check_once()
    PIPELINE = Pipeline(config)
    COSTS = shipped()
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
