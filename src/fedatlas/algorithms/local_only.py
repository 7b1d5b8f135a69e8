"""Every client on its own: the baseline of personalised learning."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._own_models import OwnModels
from fedatlas.algorithms._steps import sgd_step
from fedatlas.algorithms._traits import SkipsCommunication
from fedatlas.algorithms.base import Array, positive


@dataclass(frozen=True)
class LocalOnly(SkipsCommunication, OwnModels):
    """SGD of every client on its own examples, from one initial model; nobody communicates.

    The baseline "Local" of Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), section 4.

    Symbols: theta_t -> params, eta -> client_lr.
    Differs from the paper: nothing. The reported model, which no client uses, is the mean of all clients' models.
    """

    name = "Local"
    citation = "Marfoq et al., NeurIPS 2021, section 4"
    colour = "#78350f"

    client_lr: Array = positive()

    def communicated(self, message):
        return 0.0

    def step(self, theta, k, message, client, f):
        return sgd_step(theta, self.client_lr, f)
