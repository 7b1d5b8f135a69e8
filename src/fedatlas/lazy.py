"""TensorFlow, CVXPY, pandas, SciPy's statistics, Altair and nbconvert, imported at first use.

Algorithms, problems and proximal operators are described (their names, hyper-parameters and papers) in the
workflow environment, which has no TensorFlow, and computed in the TFF environment, which has it. CVXPY takes a second
to import, and few runs need it. The configuration is checked without pandas and SciPy. Pictures need no Altair, only
the interactive charts of pages do, and only pages of notebooks need nbconvert.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from fedatlas.errors import AtlasError

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow reads it when imported, and speaks of graphics cards


class LazyModule:
    """Stands for a module and imports it when an attribute is first asked for."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


tf: Any = LazyModule("tensorflow")
cp: Any = LazyModule("cvxpy")
nbconvert: Any = LazyModule("nbconvert")
nbformat: Any = LazyModule("nbformat")
pd: Any = LazyModule("pandas")
optimize: Any = LazyModule("scipy.optimize")
sns: Any = LazyModule("seaborn")
stats: Any = LazyModule("scipy.stats")
alt: Any = LazyModule("altair")
vl_convert: Any = LazyModule("vl_convert")


def need_tensorflow() -> None:
    """Checks that this Python can compute.

    Raises:
        AtlasError: if TensorFlow Federated is not there; says which Python has it.
    """
    if importlib.util.find_spec("tensorflow_federated") is None:
        raise AtlasError(
            "this Python has no TensorFlow Federated: in the project's folder run .env/tff/bin/python, which "
            "`make environments` makes, elsewhere a Python 3.11 with the extra 'tff' of fedatlas."
        )
