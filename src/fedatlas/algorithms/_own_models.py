"""Clients that train models of their own: what baselines and relatives of personalised learning share."""

from __future__ import annotations

from typing import NamedTuple

from fedatlas.algorithms._traits import Personal
from fedatlas.algorithms.base import Array, Server, Update


class Client(NamedTuple):
    """params [G, C, d] is theta_t, the client's own model."""

    params: Array


class OwnModels(Personal):
    """Every client goes on from its own theta_t, and the reported model is the mean of all clients' theta_t."""

    def init_client(self, w0):
        return Client(w0)

    def start(self, message, client, F):
        return client.params

    def finish(self, theta, k, message, client):
        return Update(theta - client.params), Client(theta)

    def update_server(self, server, mean, participation):
        return Server(server.params + participation * mean.delta)

    def personal_model(self, theta, message, client, F):
        return theta
