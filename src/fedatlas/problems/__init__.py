"""Problems: model, loss and metrics, one family per file. The folder is the registry."""

from __future__ import annotations

from fedatlas.problems.base import Problem
from fedatlas.registry import Registry

problems: Registry[Problem] = Registry(__name__, Problem, "problem", helpers=("base", "blocks", "layers", "linear"))
