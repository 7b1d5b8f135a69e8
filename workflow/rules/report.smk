SCALE = PIPELINE.configuration.scale
RUNS = expand("data/runs/{run}/{file}", run=PIPELINE.runs, file=["metrics.parquet", "run.json"])


rule figures:
    input:
        notebook="notebooks/{paper}.ipynb",
        runner="workflow/scripts/run_notebook.py",
        runs=lambda wildcards: runs_of_paper(wildcards.paper, "metrics.parquet"),
        manifests=lambda wildcards: runs_of_paper(wildcards.paper, "run.json"),
        claims=lambda wildcards: files(f"config/claims/{wildcards.paper}/*.yaml"),
        printed=lambda wildcards: files(f"config/paper_results/{wildcards.paper}*.yaml"),
    output:
        notebook="data/runs/{scale}/{paper}/{paper}.ipynb",
    log:
        "logs/figures/{scale}/{paper}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.desk"),
        experiments=lambda wildcards: experiments_of(wildcards.paper),
    message:
        "Figures of {wildcards.paper}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/jobs.py"
        " {input.runner} {input.notebook} {output.notebook} --kernel python3 --log {log}"
        " --threads {threads} -p scale {wildcards.scale} -p experiments '{params.experiments}'"


rule claims:
    input:
        runs=RUNS,
        claims=files("config/claims/*/*.yaml"),
    output:
        "reports/claims.json",
    log:
        "logs/claims.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.claims.evaluate"),
        scale=SCALE,
        experiments=list(PIPELINE.experiments),
    message:
        "Checking the papers' claims"
    shell:
        "fedatlas claims --scale {params.scale} --experiments {params.experiments} --out {output} > {log} 2>&1"


# Keeps what is complete of paper scale; it has no inputs, so that it runs nothing.
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
        "Publishing what is complete of paper scale to {params.out}"
    shell:
        "fedatlas publish --out {params.out} > {log} 2>&1"


rule report:
    input:
        claims="reports/claims.json",
        notebooks=expand("data/runs/{scale}/{paper}/{paper}.ipynb", scale=SCALE, paper=PIPELINE.papers),
        runs=RUNS,
        clients=expand("data/clients/{dataset}/manifest.json", dataset=PIPELINE.datasets),
        trained=expand("data/runs/{run}/train.ipynb", run=PIPELINE.runs),
        words=files(
            "data/sources.yaml",
            "config/papers/*",
            "config/paper_results/*",
            "config/assumptions/*",
            "config/claims/*/*",
            "reports/published/**/*",
        ),
        looks=files("src/fedatlas/report/templates/*", "src/fedatlas/report/assets/*"),
    output:
        index="reports/index.html",
        papers=expand("reports/{paper}.html", paper=PIPELINE.papers),
        assumptions="reports/assumptions.html",
        data="reports/data.html",
    log:
        "logs/report.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    params:
        library=fingerprint("fedatlas.report.site"),
        scale=SCALE,
        experiments=list(PIPELINE.experiments),
    message:
        "Writing the pages to reports/index.html"
    shell:
        "fedatlas report --scale {params.scale} --experiments {params.experiments} --claims {input.claims} > {log} 2>&1"
