"""fedatlas: an atlas of federated optimisation that re-runs five papers and checks them, and a library of its methods.

    import fedatlas as fa

    clients = fa.clients({"ann": (x, y), "bob": (x, y)}, test=(x_test, y_test))
    problem = fa.problems.softmax(penalty=fa.prox.l1(0.01))
    study = fa.compare(["fedavg", "scaffold", "feddualavg"], problem, clients, rounds=100)
    study.best()

What it offers is imported when it is first asked for, so that `import fedatlas` is light.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_FACE = {  # what the library offers, and the module that has it
    "Algorithm": "fedatlas.algorithms.base",
    "AtlasError": "fedatlas.errors",
    "Study": "fedatlas.library.study",
    "StudyWarning": "fedatlas.library.compare",
    "clients": "fedatlas.library.clients",
    "compare": "fedatlas.library.compare",
    "keras_problem": "fedatlas.library.keras_problem",
    "open_study": "fedatlas.library.study",
    "tff_process": "fedatlas.library.tff_process",
    "tff_runtime": "fedatlas.library.tff_process",
}
_LISTS = {  # lists of what there is, each beside a package of the same name
    "algorithms": "fedatlas.library.gallery",
    "problems": "fedatlas.library.problems",
    "prox": "fedatlas.library.problems",
}
__all__ = ["__version__", *_FACE, *_LISTS]


class _Face(ModuleType):
    """The package, whose lists (`fa.algorithms`) keep their names when the packages behind them are imported."""

    def __getattr__(self, name: str) -> Any:
        if name not in _FACE:
            raise AttributeError(f"fedatlas has no '{name}'; it has: {', '.join(__all__)}.")
        found = getattr(import_module(_FACE[name]), name)
        self.__dict__[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """Python sets what it imports as attributes; what the library offers stays."""
        if not (isinstance(value, ModuleType) and name in {**_FACE, **_LISTS}):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*__all__]


def _list(name: str, module: str) -> property:
    return property(lambda self: getattr(import_module(module), name))


for _name, _module in _LISTS.items():
    setattr(_Face, _name, _list(_name, _module))
sys.modules[__name__].__class__ = _Face
