"""The algorithms by the idea that they share."""

from __future__ import annotations

FAMILIES: dict[str, tuple[str, ...]] = {
    "Averaging": (
        "fedavg",
        "fednova",
        "fedcm",
        "fedsam",
        "fedavg_decaying",
    ),
    "Proximal terms": (
        "fedprox",
        "fedprox_exact",
        "fedprox_vr",
        "fedprox_vr_warm",
    ),
    "Control variates": (
        "scaffold",
        "scaffnew",
    ),
    "Adaptive servers": (
        "fedavgm",
        "fedadagrad",
        "fedadam",
        "fedyogi",
        "fedexp",
        "fedexp_last",
        "fedexpm",
        "fedexpm_last",
        "fedduadagrad",
        "fedduadagrad_last",
        "fedduadam",
        "fedduadam_last",
        "feddua_hypentropy",
        "scaffold_feddua",
        "fedprox_feddua",
    ),
    "Composite objectives": (
        "fedmid",
        "fedmid_osp",
        "feddualavg",
        "feddualavg_averaged",
        "feddualavg_osp",
        "fedavg_subgradient",
    ),
    "Primal-dual": (
        "fedpd",
        "fedpd_exact",
        "fedpd_decaying",
        "fedpd_diminishing",
        "fedpd_vr",
        "feddr",
        "feddyn",
    ),
    "Dual and accelerated": (
        "dualfl",
        "dualfl_regularised",
        "dualfl_gap",
        "apda_inexact",
        "five_gcs",
    ),
    "Personal models": (
        "fedem",
        "fedem_converged",
        "d_fedem",
        "fedavg_finetuned",
        "pfedme",
        "pfedme_surrogate",
        "pfedme_surrogate_finetuned",
        "apfl",
        "apfl_momentum",
        "l2gd",
        "clustered_fl",
        "clustered_fl_largest",
        "mocha",
        "local_only",
    ),
    "References that send nothing": (
        "centralized",
        "single_client",
        "centralized_exact",
        "fista",
        "newton",
    ),
}


def family(algorithm: str) -> str:
    """The family of an algorithm of the atlas; "Own" of another one."""
    return next((name for name, members in FAMILIES.items() if algorithm in members), "Own")
