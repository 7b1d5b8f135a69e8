"""The surrogate of pFedMe, with a round's local steps of every client before it uses its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms._traits import FineTuned
from fedatlas.algorithms.base import Array, Update
from fedatlas.algorithms.pfedme_surrogate import PFedMeSurrogate
from fedatlas.lazy import tf


class Client(NamedTuple):
    """params [G, C, d] is theta_t; trained [G, C, 1] is 1 once the client has been in a round."""

    params: Array
    trained: Array


@dataclass(frozen=True)
class PFedMeSurrogateFinetuned(FineTuned, PFedMeSurrogate):
    """The surrogate; a client's own model is what a round's local steps make of theta_t, or of w if it never trained.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (FedEM, arXiv 2108.10252), appendix J.3: for clients that did
    not train, "a local pFedMe update" from the server's model.

    Symbols: as PFedMeSurrogate.
    Differs from the paper: clients that train take these steps too when they are evaluated, as those of FedAvg+ do, and
    begin their first round at w.
    """

    name = "pFedMe+ (surrogate)"
    citation = "Marfoq et al., NeurIPS 2021, appendix J.3"
    colour = "#a21caf"

    def init_client(self, w0):
        return Client(w0, tf.zeros_like(w0[..., :1]))

    def start(self, message, client, F):
        return tf.where(client.trained > 0, client.params, message.params)

    def finish(self, theta, k, message, client):
        return Update(theta - client.params), Client(theta, tf.ones_like(client.trained))
