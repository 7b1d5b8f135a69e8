"""What tests of generated data read of a store."""

import numpy as np


def pooled(store, split="train"):
    """x and y of all clients, and the client's number of every example."""
    arrays = [store.read(split, client) for client in range(len(store.ids(split)))]
    x, y = (np.concatenate([a[key] for a in arrays]) for key in "xy")
    return x, y, np.repeat(np.arange(len(arrays)), store.sizes(split))
