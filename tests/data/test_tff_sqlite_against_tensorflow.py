"""Our reader of `tf.train.Example` messages against TensorFlow's own."""

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from fedatlas.data.formats.tff_sqlite import parse_example, serialise_example  # noqa: E402


def _message(pixels, label):
    features = {
        "pixels": tf.train.Feature(float_list=tf.train.FloatList(value=pixels)),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


@pytest.mark.parametrize("label", [0, 9, 61, 300, -1])
def test_messages_agree_both_ways(label):
    pixels = np.random.default_rng(0).random(784).astype(np.float32)
    found = parse_example(_message(pixels, label))
    assert np.array_equal(found["pixels"], pixels)
    assert found["label"].tolist() == [label]
    example = tf.train.Example.FromString(serialise_example(found))
    assert np.array_equal(np.array(example.features.feature["pixels"].float_list.value, np.float32), pixels)
    assert list(example.features.feature["label"].int64_list.value) == [label]
