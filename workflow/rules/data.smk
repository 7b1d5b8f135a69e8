rule partition:
    input:
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
