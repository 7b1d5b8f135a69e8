# The atlas: raw data -> client stores -> runs -> figures and claims -> reports.
# `snakemake --cores all` runs it at quick scale; `--configfile config/paper.yaml` at the papers' own.

import os

from snakemake.utils import min_version

min_version("9.0")


configfile: "config/quick.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/environment.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/common_pages.smk"
include: "workflow/rules/report.smk"


onstart:
    on_signals(stop_at_once)
    if "MAKELEVEL" in os.environ:
        follow_parent(terminate_self)
    prepare()
    if workflow.local_exec:
        wake_only_for_jobs()
    foretell()


rule all:
    default_target: True
    input:
        expand("reports/{page}.html", page=PAGES),
        DAMAGED,
