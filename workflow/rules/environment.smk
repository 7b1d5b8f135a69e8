rule tff_environment:
    input:
        lock="envs/tff.txt",
        script="workflow/scripts/make_tff_environment.py",
        helper="workflow/scripts/installing.py",
    output:
        kernel=KERNEL,
    log:
        "logs/tff_environment.log",
    localrule: True  # nodes of a cluster may have no network
    conda:
        "../../envs/tff.yaml"
    resources:
        mem_mb=1000,
    message:
        "Making the TFF environment in .env/tff"
    shell:
        "python {input.script:q} {input.lock:q} {output.kernel:q} 2>&1 | tee {log:q} >&2"
