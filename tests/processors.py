"""Stand-ins for other processors: what chooses instructions and the order of sums is told to choose otherwise.

What TensorFlow itself was compiled for stays. Of XLA's, version 2.14 of TensorFlow knows no option that names the
instructions; without optimisation it uses neither vectors nor fused multiplication and addition, and with fast
mathematics it takes sums in another order.
"""

from __future__ import annotations

NO_NANS_LOST = "--xla_cpu_fast_math_honor_nans=true --xla_cpu_fast_math_honor_infs=true"
PROCESSORS = {
    "an old one, without AVX2 and fused operations": {
        "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": {"tff": "AVX2 FMA3", "workflow": "X86_V3"},
        "TF_NUM_INTRAOP_THREADS": "1",
    },
    "one that adds in another order": {
        "XLA_FLAGS": f"--xla_cpu_enable_fast_math=true {NO_NANS_LOST} --xla_cpu_fast_math_honor_division=true",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "OPENBLAS_CORETYPE": "Sandybridge",
        "TF_NUM_INTRAOP_THREADS": "3",
    },
}
NUMERICAL = ["--ignore=tests/report", "--ignore=tests/workflow"]


def variables(processor: str, environment: str) -> dict[str, str]:
    """The environment variables that make a process of this environment compute as on that processor."""
    chosen = {name: value if isinstance(value, str) else value.get(environment, "")
              for name, value in PROCESSORS[processor].items()}  # fmt: skip
    return {name: value for name, value in chosen.items() if value}
