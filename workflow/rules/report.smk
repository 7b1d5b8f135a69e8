rule figures:
    input:
        notebook=lambda wildcards: notebook_of(wildcards.paper),
        runner="workflow/scripts/run_notebook.py",
        runs=lambda wildcards: runs_of_paper(wildcards.paper, "metrics.parquet"),
        manifests=lambda wildcards: runs_of_paper(wildcards.paper, "run.json"),
        claims=lambda wildcards: files(f"config/claims/{wildcards.paper}/*.yaml"),
        printed=lambda wildcards: files(f"config/paper_results/{wildcards.paper}*.yaml"),
        about=lambda wildcards: files(
            f"config/papers/{wildcards.paper}.yaml", f"config/experiments/{wildcards.paper}/*"
        ),
    output:
        notebook="data/runs/{scale}/{paper}/{paper}.ipynb",
    log:
        "logs/figures/{scale}/{paper}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.notebook", *kinds_of_figures(), *kinds_of_claims()),
        experiments=lambda wildcards: experiments_of(wildcards.paper),
    message:
        "Figures of {wildcards.paper}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/runs.py"
        " {input.runner:q} {input.notebook:q} {output.notebook:q} --kernel python3 --log {log:q}"
        " --preload workflow/warm/pages.py"
        " --threads {threads} -p paper {wildcards.paper} -p scale {wildcards.scale} -p experiments {params.experiments:q}"


rule guide:
    input:
        notebook="notebooks/{guide}.ipynb",
        runner="workflow/scripts/run_notebook.py",
        kernel=KERNEL,
        published=lambda wildcards: explored() if wildcards.guide == "explore" else [],
    output:
        notebook="data/runs/guides/{guide}.ipynb",
    log:
        "logs/guides/{guide}.log",
    wildcard_constraints:
        guide="|".join(GUIDES),
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=2000,
    params:
        library=fingerprint(
            "fedatlas.library.study",
            "fedatlas.library.tff_process",
            "fedatlas.library.gallery",
            "fedatlas.report.notebook",
            *kinds_of_figures(),
            *things_of_the_engine(),
        ),
        kernel=lambda wildcards: GUIDES[wildcards.guide],
    message:
        "Executing {input.notebook}"
    shell:
        "FEDATLAS_CACHE=$PWD/data/runs/guides/studies exec python -m fedatlas.warm workflow/warm/runs.py"
        " {input.runner:q} {input.notebook:q} {output.notebook:q} --kernel {params.kernel} --log {log:q}"


rule claims:
    input:
        runs=lambda wildcards: runs_and_manifests(wildcards.paper),
        claims=lambda wildcards: files(
            f"config/claims/{wildcards.paper}/*.yaml", f"config/experiments/{wildcards.paper}/*"
        ),
        printed=lambda wildcards: files(f"config/paper_results/{wildcards.paper}*.yaml"),
        published=lambda wildcards: files(f"reports/published/{wildcards.paper}/*/claims.json"),
    output:
        "reports/claims/{paper}.json",
    log:
        "logs/claims/{paper}.log",
    wildcard_constraints:
        paper="|".join(PAPERS),
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.claims.evaluate", *kinds_of_claims()),
        scale=SCALE,
        experiments=lambda wildcards: keys_of(wildcards.paper),
        out=lambda wildcards, output: Path(output[0]).parent,
    message:
        "Checking the claims of {wildcards.paper}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/pages.py"
        " -m fedatlas claims --papers {wildcards.paper} --scale {params.scale}"
        " --experiments {params.experiments:q} --out {params.out:q} > {log:q} 2>&1"


# Keeps what is complete of paper and medium scale; it has no inputs, so that it runs nothing.
rule publish:
    log:
        "logs/publish.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        out="reports/published",
    message:
        "Publishing what is complete of paper and medium scale to {params.out}"
    shell:
        "fedatlas publish --out {params.out:q} 2>&1 | tee {log:q} >&2"


rule page:
    input:
        verdicts=lambda wildcards: verdicts_of(wildcards.page),
        notebooks=lambda wildcards: notebooks_of(wildcards.page),
        runs=lambda wildcards: runs_of_page(wildcards.page),
        clients=lambda wildcards: stores_of(wildcards.page),
        words=lambda wildcards: words_of(wildcards.page),
    output:
        "reports/{page}.html",
    log:
        "logs/pages/{page}.log",
    wildcard_constraints:
        page="|".join(PAGES),
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.pages.site", *kinds_of_figures(), *kinds_of_claims()),
        scale=SCALE,
        papers=PAPERS,
        guides=lambda wildcards: EXECUTED if wildcards.page == "library" else [],
        experiments=lambda wildcards: [] if wildcards.page in FEW else keys_of(wildcards.page),
    message:
        "Writing {output}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/pages.py"
        " -m fedatlas report --page {wildcards.page:q} --papers {params.papers:q} --scale {params.scale}"
        " --guides {params.guides:q} --experiments {params.experiments:q} > {log:q} 2>&1"


# Of one experiment, for who works on it: no other page is drawn.
rule experiment_page:
    input:
        runs=lambda wildcards: runs_of_experiment(wildcards, "metrics.parquet"),
        manifests=lambda wildcards: runs_of_experiment(wildcards, "run.json"),
        words=lambda wildcards: words_of(wildcards.paper),
    output:
        "reports/experiments/{paper}/{experiment}/index.html",
    log:
        "logs/pages/{paper}-{experiment}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.pages.study", *kinds_of_figures()),
        scale=SCALE,
        out=lambda wildcards, output: Path(output[0]).parent,
    message:
        "Writing {output}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/pages.py"
        " -m fedatlas show {wildcards.paper:q}/{wildcards.experiment:q} --scale {params.scale} --out {params.out:q}"
        " > {log:q} 2>&1"


# A reader's way in: what is published, in a folder of its own, so that it takes nothing from the pages of this machine.
rule site_page:
    input:
        words=lambda wildcards: words_of(wildcards.page),
    output:
        "reports/site/{page}.html",
    log:
        "logs/site/{page}.log",
    wildcard_constraints:
        page="|".join(PAGES),
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.pages.site", *kinds_of_figures(), *kinds_of_claims()),
        papers=PUBLISHED,
        out=lambda wildcards, output: Path(output[0]).parent,
    message:
        "Writing {output}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/pages.py"
        " -m fedatlas report --published-only --page {wildcards.page:q} --papers {params.papers:q}"
        " --out {params.out:q} --published reports/published > {log:q} 2>&1"


rule site:
    input:
        expand("reports/site/{page}.html", page=[*OVER_ALL, *PUBLISHED]),
