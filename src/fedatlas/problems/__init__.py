"""Problems: model, loss and metrics, one family per file. The folder is the registry."""

from __future__ import annotations

from fedatlas.problems._blocks import Block, OnKernels
from fedatlas.problems._mixture import Mixture
from fedatlas.problems.base import Problem
from fedatlas.registry import Registry

__all__ = ["Block", "Mixture", "OnKernels", "Problem", "problems"]

problems: Registry[Problem] = Registry(__name__, Problem, "problem")
