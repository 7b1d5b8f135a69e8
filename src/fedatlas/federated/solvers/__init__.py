"""The solvers of local problems: by gradients, or by the dual where the loss has no gradient everywhere."""

from fedatlas.federated.solvers.aogm import Solver, minimise
from fedatlas.federated.solvers.dual import Margins, minimise_by_dual

__all__ = ["Margins", "Solver", "minimise", "minimise_by_dual"]
