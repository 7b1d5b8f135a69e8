rule train:
    input:
        notebook=ancient(NOTEBOOK),  # its code is a parameter, so that saving it after a look trains nothing again
        runner="workflow/scripts/run_notebook.py",
        kernel=KERNEL,
        store=lambda wildcards: f"data/clients/{run_of(wildcards).dataset_id}/manifest.json",
        runs=earlier_runs,
    output:
        metrics=f"{RUN}/metrics.parquet",
        model=f"{RUN}/model.npz",
        manifest=f"{RUN}/run.json",
        notebook=f"{RUN}/train.ipynb",
    log:
        "logs/train/{scale}/{paper}/{experiment}/{algorithm}/seed{seed}.log",
    priority: longest_chain_first
    conda:
        "../../envs/workflow.yaml"
    threads: PIPELINE.configuration.threads
    resources:
        mem_mb=lambda wildcards: cost_of(run_of(wildcards)).memory_mb,
    params:
        library=lambda wildcards: fingerprint(*run_modules(run_of(wildcards))),
        cells=code_of(NOTEBOOK),
        specification=lambda wildcards: run_of(wildcards).settings,
        engine=PIPELINE.configuration.engine,
        shards=PIPELINE.configuration.shards,
        chunk=PIPELINE.configuration.chunk,
    message:
        "{wildcards.paper}/{wildcards.experiment} {wildcards.algorithm} (seed {wildcards.seed})"
    shell:
        "exec python -m fedatlas.warm workflow/warm/runs.py"
        " {input.runner:q} {input.notebook:q} {output.notebook:q} --kernel fedatlas-tff --log {log:q}"
        " --preload workflow/warm/kernels.py"
        " --threads {threads} -p experiment {wildcards.paper:q}/{wildcards.experiment:q} -p algorithm {wildcards.algorithm:q}"
        " -p seed {wildcards.seed} -p scale {wildcards.scale}"
        " -p engine {params.engine} -p shards {params.shards} -p chunk {params.chunk} -p threads {threads}"
        " -p library {params.library} -p overrides {{}}"
        " -p runs data/runs -p live false"
