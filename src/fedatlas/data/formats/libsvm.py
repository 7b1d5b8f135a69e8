"""LIBSVM's text files of binary features."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fedatlas.errors import AtlasError


def read_labelled(path: Path, num_features: int, num_examples: int) -> tuple[np.ndarray, np.ndarray]:
    """Features [num_examples, num_features], bytes 0 or 1, and labels [num_examples], 0 for -1 and 1; gzipped or not.

    Raises:
        AtlasError: if the file is cut off, or has other features, labels or another number of examples.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        features, labels = load_svmlight_file(str(path), n_features=num_features, dtype=np.float32, zero_based=False)
    except (OSError, ValueError, EOFError) as error:
        raise AtlasError(f"{path} is not LIBSVM text of {num_features} features ({error}).") from error
    if not (features.data == 1).all() or not np.isin(labels, (-1, 1)).all():
        raise AtlasError(f"{path} must hold features 1 and labels -1 and 1 only.")
    if len(labels) != num_examples:
        raise AtlasError(f"{path} has {len(labels)} examples instead of {num_examples}: remove it, and fetch it again.")
    return features.toarray().astype(np.uint8), (labels > 0).astype(np.int32)
