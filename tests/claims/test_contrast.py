"""A metric on one split against the same on another."""

import math

from made_results import made_run

from fedatlas.claims.quantities.contrast import Contrast

RUN = made_run("fedem", {("train", "accuracy"): [[0.5, 0.9, 0.8]], ("unseen_test", "accuracy"): [[0.5, 0.75, 0.85]]})


def contrast(**changes) -> Contrast:
    content = {"kind": "contrast", "metric": "accuracy", "split": "train", "minus": "unseen_test", "at": "last"}
    return Contrast.model_validate(content | changes)


def test_it_is_the_difference_at_the_round():
    assert math.isclose(contrast().measure(RUN), -0.05)
    assert math.isclose(contrast(at=1).measure(RUN), 0.15)
    assert math.isclose(contrast(at=1, split="unseen_test", minus="train").measure(RUN), -0.15)


def test_it_is_written_with_its_sign_and_both_splits():
    assert contrast().format(0.15) == "+0.15"
    assert contrast().format(-0.003) == "−0.003"
    assert contrast().format(math.nan) == "diverged"
    assert contrast().describe() == "train accuracy less unseen test accuracy at the last round"
    weights = contrast(metric="entropy", split="unseen_train", minus="train")
    words = "entropy of the mixture weights"
    assert weights.describe() == f"{words} of unseen clients less {words} at the last round"
