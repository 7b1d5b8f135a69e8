rule report:
    input:
        runs=[f"data/runs/{folder}/metrics.parquet" for folder in PIPELINE.runs],
    output:
        index="reports/index.html",
    log:
        "logs/report.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        mem_mb=1000,
    shell:
        "fedatlas report > {log} 2>&1"
