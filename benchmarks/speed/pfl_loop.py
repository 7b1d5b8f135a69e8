"""pfl-research's federated averaging on its simulated backend, with PyTorch models."""

from __future__ import annotations

import importlib.metadata
import time
from typing import Any

import torch
from pfl.aggregate.simulate import SimulatedBackend
from pfl.aggregate.weighting import WeightByDatapoints
from pfl.algorithm.base import NNAlgorithmParams
from pfl.algorithm.federated_averaging import FederatedAveraging
from pfl.callback.base import TrainingProcessCallback
from pfl.data.dataset import Dataset
from pfl.data.federated_dataset import FederatedDataset
from pfl.hyperparam import NNEvalHyperParams, NNTrainHyperParams
from pfl.metrics import Metrics, Weighted
from pfl.model.pytorch import PyTorchModel
from torch_loop import examples_of, loss_of, model_of
from works import BLOCKS, COHORT, WORKS, Work, chosen, cohorts, say, summary, warm_up


class Clock(TrainingProcessCallback):
    """Notes when each round ends."""

    def __init__(self):
        self.ends = [time.perf_counter()]

    def after_central_iteration(self, aggregate_metrics: Any, model: Any, *, central_iteration: int) -> Any:
        self.ends.append(time.perf_counter())
        return False, Metrics()


def seconds(work: Work, rounds: int) -> list[float]:
    """How long each of so many rounds took."""
    (x, y), model, loss = examples_of(work), model_of(work), loss_of(work)
    model.loss = lambda x, y: loss(model(x), y)
    model.metrics = lambda x, y, eval=False: {"loss": Weighted(loss(model(x), y).item() * len(y), len(y))}
    users = [Dataset((x[c], y[c])) for c in range(work.clients)]
    following = iter([client for cohort in cohorts(work, rounds + 1) for client in cohort])
    data, clock = FederatedDataset(lambda user: users[user], lambda: next(following)), Clock()
    FederatedAveraging().run(
        NNAlgorithmParams(rounds, 10**9, COHORT, 0),
        SimulatedBackend(data, data, [WeightByDatapoints()]),
        PyTorchModel(model, torch.optim.SGD, torch.optim.SGD(model.parameters(), work.server_lr[0])),
        NNTrainHyperParams(local_num_epochs=1, local_learning_rate=work.client_lr[0], local_batch_size=work.batch),
        NNEvalHyperParams(local_batch_size=None),
        [clock],
        send_metrics_to_platform=False,
    )
    return [after - before for before, after in zip(clock.ends, clock.ends[1:], strict=False)]


if __name__ == "__main__":
    for name in chosen():
        work = WORKS[name]._replace(client_lr=WORKS[name].client_lr[:1], server_lr=WORKS[name].server_lr[:1])
        every = warm_up(work.rounds) + BLOCKS * work.rounds
        found = summary(work, lambda work=work, every=every: seconds(work, every)[warm_up(work.rounds) :])
        say("pfl-research", name, found, pfl=importlib.metadata.version("pfl"), torch=torch.__version__)
