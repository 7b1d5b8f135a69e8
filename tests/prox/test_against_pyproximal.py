"""Our proximal operators and projections beside those of pyproximal, on random inputs."""

from __future__ import annotations

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")
pyproximal = pytest.importorskip("pyproximal")

from fedatlas.prox import penalties

ROWS, COLUMNS = 6, 4
SIZE = ROWS * COLUMNS
STRENGTH, RADIUS = 0.7, 3.0
# name -> (ours, theirs, absolute tolerance); theirs take flat vectors, groups along the first axis.
PAIRS = {
    "l1": (penalties["l1"](strength=STRENGTH), pyproximal.L1(sigma=STRENGTH), 1e-12),
    "l2_squared": (penalties["l2_squared"](strength=STRENGTH), pyproximal.L2(sigma=STRENGTH), 1e-12),
    "nuclear": (penalties["nuclear"](strength=STRENGTH), pyproximal.Nuclear((ROWS, COLUMNS), sigma=STRENGTH), 1e-10),
    "group_lasso": (penalties["group_lasso"](strength=STRENGTH), pyproximal.L21(COLUMNS, sigma=STRENGTH), 1e-12),
    "l1_ball": (penalties["l1_ball"](radius=RADIUS), pyproximal.L1Ball(SIZE, RADIUS, xtol=1e-12), 1e-9),
    "l2_ball": (penalties["l2_ball"](radius=RADIUS), pyproximal.EuclideanBall(0.0, RADIUS), 1e-12),
    "box": (penalties["box"](low=-0.5, high=1.0), pyproximal.Box(-0.5, 1.0), 1e-12),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("step", [0.05, 0.6, 2.0])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_gives_what_pyproximal_gives(name, step, scale):
    ours, theirs, tolerance = PAIRS[name]
    rng = np.random.default_rng([int(100 * step), int(100 * scale)])
    for v in scale * rng.normal(size=(20, ROWS, COLUMNS)):
        if name == "l1_ball" and np.abs(v).sum() <= RADIUS:
            continue  # theirs moves what lies inside to the boundary
        flat = v.T.ravel() if name == "group_lasso" else v.ravel()  # a group is a column of theirs, a row of ours
        expected = np.array(theirs.prox(flat.copy(), step))
        expected = expected.reshape(COLUMNS, ROWS).T if name == "group_lasso" else expected.reshape(ROWS, COLUMNS)
        point = v if ours.axes == 2 else v.ravel()
        found = ours.prox(tf.constant(point), np.full([1] * ours.axes, step)).numpy().reshape(ROWS, COLUMNS)
        np.testing.assert_allclose(found, expected, atol=tolerance * max(1, scale))
