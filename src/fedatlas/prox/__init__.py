"""Proximal operators and projections, one penalty or set per file. The folder is the registry."""

from __future__ import annotations

from fedatlas.prox.base import Penalty
from fedatlas.registry import Registry

penalties: Registry[Penalty] = Registry(__name__, Penalty, "penalty")
