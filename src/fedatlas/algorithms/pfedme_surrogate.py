"""Personal models that are held near the mean of all."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms._own_models import OwnModels
from fedatlas.algorithms._steps import proximal_step
from fedatlas.algorithms.base import Array, bounded, positive


@dataclass(frozen=True)
class PFedMeSurrogate(OwnModels):
    """Every client descends f_t(theta) + mu/2 ||theta - w||^2 from its last theta_t; w is the mean of the theta_t.

    What Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252) ran as pFedMe (Dinh, Tran,
    Nguyen, NeurIPS 2020, arXiv 2006.08848): SGD on the local problem, as in their code. `pfedme` is the real one.

    Symbols: theta_t, w -> params of a client, of the server; mu -> mu (lambda in pFedMe), eta -> client_lr.
    Differs from the paper: there, a model of each client descends the Moreau envelope. Where a cohort is sampled, w is
    still the mean over all clients, of whom the absent ones keep their theta_t, as in their code.
    """

    name = "pFedMe (surrogate)"
    citation = "Marfoq et al., NeurIPS 2021, section 4; Dinh et al., NeurIPS 2020"
    colour = "#9333ea"

    client_lr: Array = positive()
    mu: Array = bounded(at_least=0.0)

    def step(self, theta, k, message, client, f):
        return proximal_step(theta, self.client_lr, f, self.mu, message.params)
