rule tff_environment:
    input:
        lock="envs/tff.txt",
        script="workflow/scripts/make_tff_environment.py",
    output:
        kernel=KERNEL,
    log:
        "logs/tff_environment.log",
    conda:
        "../../envs/tff.yaml"
    threads: workflow.cores
    resources:
        mem_mb=1000,
    message:
        "Making the TFF environment in .env/tff (a minute, 3 GB)"
    shell:
        "python {input.script} {input.lock} {output.kernel} > {log} 2>&1 || (cat {log} >&2; exit 1)"
