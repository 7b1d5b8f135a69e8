"""FEMNIST digits in pools of writers."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from fedatlas.data.labelled import Labelled
from fedatlas.data.laws import Examples
from fedatlas.errors import AtlasError


class FemnistPools(Labelled):
    """x: images [28, 28], bytes, background 0; y: digits. 5 997 examples in twelve pools of several writers each.

    The file's background is 255, as LEAF's; here the images are inverted, as MNIST's. Partition by_group goes by pool.
    """

    sources: ClassVar = ("femnist-pools",)
    num_classes: ClassVar = 10
    examples: ClassVar = (5_997,)
    owners: ClassVar = 12

    def load(self, raw: Path) -> tuple[Examples, None]:
        path = self.open(raw).path("femnist_digits_12clients.npz")
        try:
            with np.load(path) as arrays:
                return Examples(255 - arrays["images"], arrays["labels"], ids=arrays["client"]), None
        except (OSError, ValueError, KeyError) as error:
            raise AtlasError(f"{path} is damaged: delete its folder and fetch the source again.") from error
