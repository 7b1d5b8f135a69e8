rule fetch:
    input:
        standin=lambda wildcards: sources("fedatlas.data.standins") if "-stand-in" in wildcards.source else [],
    output:
        stamp="data/raw/{source}.sha256",
    log:
        "logs/fetch/{source}.log",
    wildcard_constraints:
        source="[^/]+",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=500,
    message:
        "Raw files of {wildcards.source}"
    shell:
        "fedatlas data fetch {wildcards.source} --raw data/raw --stamp {output.stamp} > {log} 2>&1"


rule partition:
    input:
        raw=lambda wildcards: raw_stamps(wildcards.dataset),
        library=lambda wildcards: sources(*data_modules(wildcards.dataset)),
    output:
        manifest="data/clients/{dataset}/manifest.json",
    log:
        "logs/partition/{dataset}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=2000,
    params:
        name=lambda wildcards: PIPELINE.datasets[wildcards.dataset].name,
        options=lambda wildcards: PIPELINE.datasets[wildcards.dataset].options,
        seed=lambda wildcards: PIPELINE.datasets[wildcards.dataset].seed,
    message:
        "Client store {wildcards.dataset}"
    shell:
        "fedatlas data build {params.name} --options {params.options:q} --seed {params.seed}"
        " --out data/clients/{wildcards.dataset} --raw data/raw > {log} 2>&1"
