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

        def em(weights, going):
            new = mean_posterior(posterior(weights, losses), weights, F)  # equations 8 and 9
            moves = tf.reduce_max(tf.abs(new - weights), -1, keepdims=True) > CLOSE
            return tf.where(going, new, weights), going & moves

        start = local.weights, tf.ones_like(local.weights[..., :1], tf.bool)
        weights, _ = tf.while_loop(lambda _, going: tf.reduce_any(going), em, start, maximum_iterations=MOST)
        return super().personal_model(local._replace(weights=weights), message, client, F)
