"""A plain loop of PyTorch: a module, an optimiser and a loss for each client of the round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from works import COHORT, WORKS, Work, arrays, chosen, say, timed


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.hidden, self.last = nn.Linear(9216, 128), nn.Linear(128, 62)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.second(functional.relu(self.first(x))))
        return self.last(functional.relu(self.hidden(functional.max_pool2d(x, 2).flatten(1))))


def normalised(inputs: int, filters: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    """A convolution whose channels are normalised in two groups."""
    return nn.Sequential(nn.Conv2d(inputs, filters, size, stride, size // 2, bias=False), nn.GroupNorm(2, filters))


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs: int, filters: int, stride: int):
        super().__init__()
        self.first, self.second = normalised(inputs, filters, stride), normalised(filters, filters)
        self.shortcut = nn.Identity() if stride == 1 else normalised(inputs, filters, stride, size=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.second(functional.relu(self.first(x))) + self.shortcut(x))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = normalised(3, 8)
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2), Block(16, 32, 2))
        self.last = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.blocks(functional.relu(self.stem(x))).mean((2, 3)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(79, 16), nn.LSTM(16, 64, batch_first=True)
        self.last = nn.Linear(64, 79)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The logits [B, classes, positions], as PyTorch's cross-entropy has them."""
        return self.last(self.lstm(self.embedding(x))[0]).transpose(1, 2)


NETWORKS = {"cnn": Convolutions, "resnet": Residual, "lstm": Recurrent}


def model_of(work: Work) -> nn.Module:
    if work.network:
        return NETWORKS[work.network]()
    model = nn.Linear(work.shape[0], work.classes or 1, bias=work.classes is not None)
    nn.init.zeros_(model.weight)
    return model


def loss_of(work: Work) -> Callable[..., torch.Tensor]:
    if work.classes is None:
        return lambda z, y: functional.mse_loss(z[:, 0], y)
    return functional.cross_entropy


def examples_of(work: Work) -> tuple[torch.Tensor, torch.Tensor]:
    """Images with the axis of channels in front of rows and columns, as PyTorch has them."""
    x, y = (torch.from_numpy(array) for array in arrays(work))
    if x.ndim > 3:
        x = x.permute(0, 1, 4, 2, 3).contiguous()
    return x, y if work.classes is None else y.long()


def stepping(work: Work, number: int = 0) -> Callable[[np.ndarray], None]:
    """Rounds of one configuration."""
    (x, y), model, loss = examples_of(work), model_of(work), loss_of(work)
    params = [*model.parameters()]
    server = [p.detach().clone() for p in params]

    def step(cohort: np.ndarray) -> None:
        moved = [torch.zeros_like(w) for w in server]
        for client in cohort:
            with torch.no_grad():
                for p, w in zip(params, server, strict=True):
                    p.copy_(w)
            optimiser = torch.optim.SGD(params, lr=work.client_lr[number])
            for start in range(0, work.examples, work.batch):
                optimiser.zero_grad()
                stop = start + work.batch
                loss(model(x[client, start:stop]), y[client, start:stop]).backward()
                optimiser.step()
            with torch.no_grad():
                for total, p, w in zip(moved, params, server, strict=True):
                    total += p - w
        for w, total in zip(server, moved, strict=True):
            w += work.server_lr[number] / COHORT * total

    return step


if __name__ == "__main__":
    for name in chosen():
        work = WORKS[name]._replace(client_lr=WORKS[name].client_lr[:1], server_lr=WORKS[name].server_lr[:1])
        # A loop takes as long for each pair of rates as for one.
        say("PyTorch loop", name, timed(work, stepping(work)), torch=torch.__version__)
