"""The sections of an experiment file: data, problem, training, evaluation, selection and seeds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from fedatlas.config import ONCE, REAL, Count, Strict, Whole

Best = Literal["highest", "lowest"]
EvaluatedSplit = Literal["train", "validation", "test", "unseen_train", "unseen_validation", "unseen_test"]
Split = Literal["model"] | EvaluatedSplit


class Named(Strict, extra="allow"):
    """A registered thing: `name` picks the entry, the rest is its options."""

    name: str

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})


class Dataset(Named):
    """The data; `seed` pins its randomness, else it follows the run's seed."""

    seed: Whole | None = None

    def seed_of(self, run_seed: int) -> int:
        return run_seed if self.seed is None else self.seed


class ProblemChoice(Named):
    """Model and loss, and the penalty on its kernels; with `components` a mixture of that many models of its kind."""

    penalty: Named
    components: Count | None = None


class LocalSolver(Strict):
    """When the solver of the local problems stops, for algorithms that solve them; with tolerance 0 after all.

    Attributes:
        scaling: `diagonal`: it works in coordinates scaled by a bound of the Hessian's diagonal. Where the inputs are
            principal axes (`coordinates: span`), it needs far fewer gradients.
    """

    tolerance: Annotated[float, Field(ge=0, lt=1), REAL]
    most_iterations: Count
    scaling: Literal["diagonal"] | None = None


class LocalOptions(Strict):
    """What becomes of the gradient of every local step: clip(gradient + weight_decay w), and of what it is taken.

    Attributes:
        weight_decay, clip_norm: lambda and the largest Euclidean norm over all parameters.
        clipped: `step` where an algorithm's own correction, as SCAFFOLD's, is clipped too and the decay is not.
        client_lr_decay: the client learning rate of round r = 0, 1, ... is client_lr * client_lr_decay^r.
        client_lr_drops: the rounds from which on it is a tenth of that.
        momentum: of the local steps; it starts anew in every round, unless `keeps_momentum`.
        augmentation: of the images of a batch, a name of `federated.local_options.AUGMENTATIONS`.
    """

    weight_decay: Annotated[float, Field(ge=0), REAL] = 0.0
    clip_norm: Annotated[float, Field(gt=0), REAL] | None = None
    clipped: Literal["step"] | None = None
    client_lr_decay: Annotated[float, Field(gt=0, le=1), REAL] = 1.0
    client_lr_drops: Annotated[tuple[Count, ...], ONCE] = ()
    momentum: Annotated[float, Field(ge=0, lt=1), REAL] = 0.0
    keeps_momentum: bool = False
    augmentation: Literal["crop_and_flip"] | None = None

    @model_validator(mode="after")
    def _clips(self) -> LocalOptions:
        if self.clipped and self.clip_norm is None:
            raise ValueError("'clipped' says what 'clip_norm' bounds: give that too")
        return self


class Graph(Strict):
    """Which clients talk to each other, where there is no server: an Erdos-Renyi graph, drawn until it is connected.

    Attributes:
        probability: that two clients are neighbours.
        weights: of neighbours in an average, by Metropolis and Hastings or those that mix fastest.
    """

    probability: Annotated[float, Field(gt=0, le=1), REAL]
    weights: Literal["metropolis", "fastest_mixing"]


class Training(Strict):
    """How long and on what the algorithms train.

    Attributes:
        batches: `across_epochs` where the last batch of a local epoch is filled up from the next one.
    """

    rounds: Count
    cohort: Count | Literal["all"]
    local_epochs: Count | None = None
    local_steps: Whole | None = None
    batch_size: Count | Literal["full"]
    batches: Literal["across_epochs"] | None = None
    weighting: Literal["uniform", "examples"]
    precision: Literal["float32", "float64"]
    solver: LocalSolver | None = None
    local: LocalOptions | None = None
    graph: Graph | None = None

    @model_validator(mode="after")
    def _one_length(self) -> Training:
        if (self.local_epochs is None) == (self.local_steps is None):
            raise ValueError("give exactly one of 'local_epochs' and 'local_steps'")
        if self.batches and (self.local_epochs is None or self.batch_size == "full"):
            raise ValueError("'batches: across_epochs' is for 'local_epochs' and a 'batch_size' that is a number")
        return self


class Evaluation(Strict):
    """When and on which splits the reported model is evaluated (parameters alone always).

    Attributes:
        personal: each client's own model is, on its own examples; `unseen_` splits are of clients that never train.
    """

    every: Count
    splits: Annotated[tuple[EvaluatedSplit, ...], Field(min_length=1), ONCE]
    personal: Literal[True] | None = None


class Criterion(Strict):
    """A metric and which end of it is better."""

    metric: str
    split: Split
    best: Best


class MeanCriterion(Criterion):
    """A metric's mean over the last rounds, up to the round `until` if that is given."""

    over_last: Count
    until: Count | None = None


class Selection(MeanCriterion):
    """How the best configuration of the sweep is chosen, and what decides between those that are equally good.

    With `until` it is chosen after that round, and it alone is trained on from there.
    """

    ties: MeanCriterion | None = None


class Seeds(Strict):
    """`sweep` seeds train every configuration, `tuned` seeds only the one selected on the first sweep seed."""

    sweep: Annotated[tuple[Whole, ...], Field(min_length=1), ONCE]
    tuned: Annotated[tuple[Whole, ...], ONCE]

    @property
    def counted(self) -> tuple[int, ...]:
        """Those whose numbers count: that selected nothing, or all where there is no such seed."""
        return self.tuned or self.sweep

    @model_validator(mode="after")
    def _disjoint(self) -> Seeds:
        if set(self.sweep) & set(self.tuned):
            raise ValueError(f"the seeds {sorted(set(self.sweep) & set(self.tuned))} are both in 'sweep' and 'tuned'")
        return self
