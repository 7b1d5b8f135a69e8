"""Whether a run is long enough to earn what compiling or keeping its data costs.

Everything follows from the settings, never from a clock: a run that goes on elsewhere or later decides the same. The
seconds are those of one core, measured on runs of quick scale both ways; within a factor of two they decide alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fedatlas.federated.setting import Setting

TRACE = 1.5  # seconds to trace all computations of a run
COMPILE = 1.2  # seconds that XLA takes for the local work
START = 2.5e-4  # seconds to start the operations of a local step, each by itself where XLA does not join them
BYTES = 2e9  # of parameters a second that all operations of a step pass over, where XLA makes one of them
PRODUCTS = 5e9  # floating-point operations a second
RESIDENT_BYTES = 2**29  # of a split that stays in memory; what is larger is read again in every round


def steps_of_a_round(setting: Setting) -> int:
    """How often the body of the loop over local steps is computed in a round."""
    train = setting.readers["train"]
    most = int(train.sizes.sum()) if setting.pooled else train.most
    return -(-setting.cohort // setting.chunk) * setting.groups * setting.work.most_steps(most)


def compiling_pays(setting: Setting) -> bool:
    """Whether XLA saves more in all rounds of the run than it takes to compile."""
    if setting.rounds is None:
        return True
    return setting.rounds * steps_of_a_round(setting) * _saved_by_xla(setting) > COMPILE


def narrowing_pays(setting: Setting) -> bool:
    """Whether filling clients up to the largest of their chunk alone saves more than XLA, which it does without."""
    train, work = setting.readers["train"], setting.work
    if setting.cohort <= setting.chunk or (work.steps is not None and work.batch_size is not None):
        return False
    compiles = setting.problem.compile == "xla" and not setting.exact_local
    absent = 1 - train.sizes.mean() / train.most  # of the places of a step
    return absent * _seconds_of_examples(setting) > compiles * _saved_by_xla(setting)


def dropping_pays(setting: Setting, remaining: int, done: int) -> bool:
    """Whether the rounds to come save more than tracing takes if only so many configurations are computed on."""
    if setting.rounds is None or setting.exact_local:
        return True
    round_seconds = steps_of_a_round(setting) * (START + _seconds_of_products(setting))
    saved = (setting.rounds - done) * round_seconds * (1 - remaining / setting.num_configurations)
    return saved > TRACE + COMPILE * setting.compiled


def keeping_pays(setting: Setting) -> bool:
    """Whether to read the training split once: it fits, and the rounds of the run ask for as many clients."""
    train = setting.readers["train"]
    asked = np.inf if setting.rounds is None else setting.rounds * setting.cohort
    return train.sizes.sum() * train.example_bytes <= RESIDENT_BYTES and asked >= train.num_clients


def _saved_by_xla(setting: Setting) -> float:
    """Seconds that a local step takes less."""
    return START + _parameters_of_a_step(setting) * setting.itemsize / BYTES


def _seconds_of_examples(setting: Setting) -> float:
    """What a local step takes to read the examples of its clients and to compute with them."""
    read = setting.chunk * _examples_of_a_step(setting) * setting.readers["train"].example_bytes
    return read / BYTES + _seconds_of_products(setting)


def _seconds_of_products(setting: Setting) -> float:
    return 6 * _parameters_of_a_step(setting) * _examples_of_a_step(setting) / PRODUCTS


def _examples_of_a_step(setting: Setting) -> int:
    """Of each client."""
    size, most = setting.work.batch_size, setting.readers["train"].most
    return most if size is None else min(size, most)


def _parameters_of_a_step(setting: Setting) -> int:
    """Those of the configurations and clients that a step computes side by side."""
    return setting.num_configurations // setting.groups * setting.chunk * setting.problem.num_params
