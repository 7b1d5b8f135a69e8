"""FedEM whose clients find their mixture weights in as many E-steps as it takes, when they use the model."""

from __future__ import annotations

from dataclasses import dataclass

from fedatlas.algorithms.fedem import FedEM, mean_posterior, posterior
from fedatlas.lazy import tf

CLOSE, MOST = 1e-5, 1000  # of a weight between two M-steps, and of these


@dataclass(frozen=True)
class FedEMConverged(FedEM):
    """FedEM; a client's own model has the mixture weights of greatest likelihood for its examples and the components.

    Marfoq, Neglia, Bellet, Kameni, Vidal, NeurIPS 2021 (arXiv 2108.10252), section 2, footnote 4: the weights that
    maximise equation 6, by equations 8 and 9 until none changes by 0.00001. Training is FedEM's.

    Symbols: as FedEM.
    Differs from the paper: section 3.2, and with it the experiments, take one E-step.
    """

    name = "FedEM, converged weights"
    citation = "Marfoq et al., NeurIPS 2021, section 2"
    colour = "#f97316"

    def personal_model(self, local, message, client, F):
        losses = F.component_losses(local.theta)

        def em(i, weights, change):
            new = mean_posterior(posterior(weights, losses), weights, F)  # equations 8 and 9
            return i + 1, new, tf.reduce_max(tf.abs(new - weights))

        start = tf.constant(0), local.weights, tf.constant(1, local.weights.dtype)
        weights = tf.while_loop(lambda i, _, change: (i < MOST) & (change > CLOSE), em, start)[1]
        return super().personal_model(local._replace(weights=weights), message, client, F)
