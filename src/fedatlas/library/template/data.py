"""The clients of the study: put yours in the place of these."""

from sklearn.datasets import load_digits

import fedatlas as fa


def clients():
    """Twelve clients with 140 digits each, of few kinds: half of them to train on, half to measure on."""
    x, y = load_digits(return_X_y=True)
    x, y = x[y.argsort()] / 16, y[y.argsort()]
    parts = {f"client {i:02}": slice(140 * i, 140 * (i + 1)) for i in range(12)}
    return fa.clients(
        {name: (x[part][::2], y[part][::2]) for name, part in parts.items()},
        test={name: (x[part][1::2], y[part][1::2]) for name, part in parts.items()},
    )
