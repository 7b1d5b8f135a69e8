rule fetch:
    output:
        stamp="data/raw/{source}.sha256",
    log:
        "logs/fetch/{source}.log",
    wildcard_constraints:
        source="[^/]+",
    localrule: True  # nodes of a cluster may have no network
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=500,
    params:
        standin=lambda wildcards: fingerprint("fedatlas.data.standins") if "-stand-in" in wildcards.source else None,
    message:
        "Raw files of {wildcards.source}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/runs.py"
        " -m fedatlas data fetch {wildcards.source:q} --raw data/raw --stamp {output.stamp:q} > {log:q} 2>&1"


rule partition:
    input:
        raw=lambda wildcards: raw_stamps(wildcards.dataset),
    output:
        manifest="data/clients/{dataset}/manifest.json",
    log:
        "logs/partition/{dataset}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=2000,
    params:
        library=lambda wildcards: fingerprint(*data_modules(wildcards.dataset)),
        name=lambda wildcards: PIPELINE.datasets[wildcards.dataset].name,
        options=lambda wildcards: PIPELINE.datasets[wildcards.dataset].options,
        seed=lambda wildcards: PIPELINE.datasets[wildcards.dataset].seed,
    message:
        "Client store {wildcards.dataset}"
    shell:
        "exec python -m fedatlas.warm workflow/warm/runs.py"
        " -m fedatlas data build {params.name:q} --options {params.options:q} --seed {params.seed}"
        " --out data/clients/{wildcards.dataset:q} --raw data/raw > {log:q} 2>&1"
