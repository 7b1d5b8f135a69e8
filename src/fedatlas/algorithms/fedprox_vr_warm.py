"""FedProx with variance-reduced local steps from where the client ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fedatlas.algorithms.base import Array
from fedatlas.algorithms.fedprox_vr import FedProxVR, Local


class Client(NamedTuple):
    """params is x_i, [G, C, d]."""

    params: Array


@dataclass(frozen=True)
class FedProxVRWarm(FedProxVR):
    """FedProx-VR whose clients begin a round at their own x_i of the round before, not at x_0.

    As the program of the authors of FedPD (Zhang, Hong, Dhople, Yin, Liu, arXiv 2005.11418, section 4) begins.

    Symbols: x_i -> params; the rest as FedProx-VR.
    Differs from the paper: nothing, which does not say where a round starts.
    """

    name = "FedProx-VR, warm start"
    colour = "#65a30d"

    def init_client(self, w0):
        return Client(w0)

    def start(self, message, client, F):
        x = client.params
        return Local(x, F.gradient(x))

    def finish(self, local, k, message, client):
        update, _ = super().finish(local, k, message, client)
        return update, Client(local.params)
