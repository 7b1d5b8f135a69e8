"""What networks are made of: the sizes of the paper, the layers, the starting points."""

from __future__ import annotations

import collections
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

tf = pytest.importorskip("tensorflow")
from made_networks import (
    EXAMPLES,
    PAPER,
    as_batch,
    drawn,
    network,
    parts_of,
    random_examples,
    rounding,
    short_mobilenet,
    small,
)

from fedatlas.errors import AtlasError
from fedatlas.problems import problems
from fedatlas.problems._keras_layers import GroupNorm
from fedatlas.problems._networks import Dropout, images

TABLES = Path(__file__).parents[2] / "config/paper_results/feddua_architectures.yaml"


def by_layer(chosen):
    sizes = {}
    for block in chosen.blocks:
        layer = block.name.split("/")[0]
        sizes[layer] = sizes.get(layer, 0) + block.size
    return sizes


def test_the_cnn_has_the_sizes_of_table_5():
    rows = [row["params"] for row in yaml.safe_load(TABLES.read_text())["cnn"] if row["params"]]
    sizes = by_layer(network("cnn", *PAPER["cnn"]))
    assert list(sizes.values()) == rows and sum(rows) == 1_206_590
    assert list(sizes) == ["conv1", "conv2", "hidden", "output"]


def test_the_lstm_has_the_sizes_of_table_4_once_biases_are_counted_twice():
    rows = [row["params"] for row in yaml.safe_load(TABLES.read_text())["lstm"] if row["params"]]
    sizes = by_layer(network("lstm", *PAPER["lstm"]))
    biases = 2 * 4 * 256
    assert sizes["lstm1"] == sizes["lstm2"] == 525_312
    assert [sizes["embedding"], sizes["lstm1"] + sizes["lstm2"] + biases, sizes["output"]] == rows


def test_the_residual_network_has_the_size_of_resnet_18():
    """Eight blocks of two convolutions, and three shortcuts; two numbers for each channel that is normalised."""

    def block(inputs, filters):
        shortcut = inputs * filters + 2 * filters if inputs != filters else 0
        return 9 * inputs * filters + 9 * filters**2 + 4 * filters + shortcut

    widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
    blocks = sum(block(*pair) for pair in zip(widths, widths[1:], strict=False))
    chosen = network("resnet", *PAPER["resnet"])
    assert chosen.num_params == 9 * 3 * 64 + 128 + blocks + 512 * 10 + 10 == 11_173_962
    assert sum(name.endswith("conv") for name in by_layer(chosen)) == 20


def test_the_vision_transformer_has_the_size_of_vit_cifar():
    layer = 4 * (384 * 384 + 384) + 2 * (384 * 384 + 384) + 2 * 2 * 384
    ends = (4 * 4 * 3 * 384 + 384) + 65 * 384 + 2 * 384 + (384 * 100 + 100)
    chosen = network("vit", *PAPER["vit"])
    # ViT-CIFAR has the class's token beside its position, to which it is added: 384 numbers that change no function
    assert chosen.num_params == 7 * layer + ends


def test_the_mobile_network_has_the_size_of_torchvision_s():
    """The 3 504 872 parameters of its MobileNet-v2, with 10 instead of 1 000 classes."""
    assert network("mobilenet", *PAPER["mobilenet"]).num_params == 3_504_872 - 990 * (1280 + 1)


def test_the_stages_of_the_mobile_network_are_those_of_table_2():
    """Of Sandler et al.: expansion, channels, blocks, and torchvision's stride of the first."""
    expansions, channels, blocks, strides = zip(*problems["mobilenet"].stages, strict=True)
    assert expansions == (1, 6, 6, 6, 6, 6, 6) and channels == (16, 24, 32, 64, 96, 160, 320)
    assert blocks == (1, 2, 3, 4, 3, 3, 1) and strides == (1, 2, 2, 2, 1, 2, 1)


STAGES = {  # options and class; side after each part, shortcuts, nonlinear functions
    "resnet": (
        ({"filters": 4, "stages": [1, 1, 1, 1], "groups": 2}, None),
        ({"stem": 32, "stage1": 32, "stage2": 16, "stage3": 8, "stage4": 4}, 4, {"tf.nn.relu": 1 + 4 * 2}),
    ),
    "mobilenet": (
        ({"divisor": 8, "groups": 1, "dropout": 0.0}, short_mobilenet()),
        ({"stem": 16, "stage1": 16, "stage2": 8, "stage3": 4, "head": 4}, 1, {"tf.nn.relu6": 1 + 1 + 3 * 2 + 1}),
    ),
}


@pytest.mark.parametrize("name", STAGES)
def test_stages_shrink_have_shortcuts_and_are_not_linear(name):
    made, (sides, shortcuts, nonlinear) = STAGES[name]
    chosen = network(name, (32, 32, 3), 10, *made)
    inputs = tf.keras.Input(chosen.data.shape, dtype=tf.uint8)
    layers = tf.keras.Model(inputs, chosen.logits(inputs, Dropout())).layers
    convolved = [layer for layer in layers if layer.name.endswith("conv")]
    assert {layer.name.split("_")[0]: layer.output_shape[1] for layer in convolved} == sides
    operations = collections.Counter(re.sub(r"_\d+$", "", layer.name) for layer in layers)
    assert operations["tf.__operators__.add"] == shortcuts
    assert {name: count for name, count in operations.items() if name.startswith("tf.nn.relu")} == nonlinear


def test_leaf_s_network_has_the_size_of_fedem_s_code():
    sizes = by_layer(network("leaf_cnn", *PAPER["leaf_cnn"]))
    expected = [25 * 32 + 32, 25 * 32 * 64 + 64, 1024 * 2048 + 2048, 2048 * 62 + 62]
    assert list(sizes.values()) == expected


@pytest.mark.parametrize("name", PAPER)
def test_networks_start_as_keras_starts_them(name):
    chosen = network(name, *PAPER[name]) if name != "resnet" else small("resnet", filters=32)
    w = chosen.initial(3)
    np.testing.assert_array_equal(chosen.initial(3), w)
    assert not np.array_equal(chosen.initial(4), w)
    for block, part in zip(chosen.blocks, parts_of(chosen, w), strict=True):
        kind = block.name.split("/")[-1]
        assert block.penalised == (kind in ("kernel", "depthwise_kernel", "recurrent_kernel", "embeddings"))
        if kind == "kernel":
            field = np.prod(block.shape[:-2])
            bound = np.sqrt(6 / (field * sum(block.shape[-2:])))
            assert 0.95 * bound < np.abs(part).max() <= bound
            np.testing.assert_allclose(part.std(), bound / np.sqrt(3), rtol=5 / np.sqrt(block.size))
        elif kind == "recurrent_kernel":
            np.testing.assert_allclose(part @ part.T, np.eye(len(part)), atol=1e-5)
        elif kind == "added":
            np.testing.assert_allclose(part.std(), 1, rtol=5 / np.sqrt(2 * part.size))
        elif kind == "gamma":
            assert (part == 1).all()
        elif kind == "bias" and "lstm_cell" in block.name:
            np.testing.assert_array_equal(part.reshape(4, -1).mean(1), [0, 1, 0, 0])  # the forget gate is the second
        elif kind in ("bias", "beta"):
            assert not part.any()


@pytest.fixture
def double():
    """Layers that are made here compute in float64."""
    usual = tf.keras.backend.floatx()
    tf.keras.backend.set_floatx("float64")
    yield
    tf.keras.backend.set_floatx(usual)


def test_group_norm_is_that_of_keras(double):
    x = tf.constant(np.random.default_rng(0).normal(3, 2, (2, 5, 4, 6)))
    ours, theirs = GroupNorm(2), tf.keras.layers.GroupNormalization(2, epsilon=1e-5)
    values = np.random.default_rng(1).normal(size=(2, 6))
    for layer in (ours, theirs):
        layer.build(x.shape)
        layer.gamma.assign(values[0])
        layer.beta.assign(values[1])
    np.testing.assert_allclose(ours(x), theirs(x), atol=1e-12)


def test_attention_is_that_of_keras_but_for_the_scale(double):
    chosen = small("vit")
    x = tf.random.stateless_normal([EXAMPLES, 5, 6], [0, 1], dtype=tf.float64)
    inputs = tf.keras.Input(x.shape[1:])
    ours = tf.keras.Model(inputs, chosen._attention("a", inputs))
    for variable in ours.trainable_weights:
        variable.assign(tf.random.stateless_normal(variable.shape, [1, len(variable.name)], dtype=tf.float64))
    weights = {v.name: v.numpy() for v in ours.trainable_weights}
    theirs = tf.keras.layers.MultiHeadAttention(3, 2)
    theirs(x, x)
    scale = np.sqrt(2 / 6)  # theirs divides by the root of a head's width, 2
    for variable in theirs.trainable_weights:
        part, kind = variable.name.split("/")[-2:]
        part = part.removeprefix("attention_")
        values = weights[f"a_{'attention' if part == 'output' else part}/{kind}"].reshape(variable.shape)
        variable.assign(values * (scale if part == "query" else 1))
    np.testing.assert_allclose(ours(x), theirs(x, x), atol=1e-12)


def test_a_residual_block_whose_last_scale_is_zero_passes_its_inputs():
    """With every such block the network is its stem, ReLU, the mean over positions and the last layer."""
    chosen = small("resnet", stages=[2])
    parts = dict(zip([block.name for block in chosen.blocks], parts_of(chosen, drawn(chosen)), strict=True))
    for name, part in parts.items():
        if "_2_norm" in name:
            part[:] = 0
    w = tf.constant(np.concatenate([part.ravel() for part in parts.values()]))[None, None]
    x, y = random_examples("resnet")
    stem = tf.nn.conv2d(images(tf.constant(x)), parts["stem_conv/kernel"], 1, "SAME")
    norm = tf.keras.layers.GroupNormalization(2, epsilon=1e-5)
    norm.build(stem.shape)
    norm.set_weights([parts["stem_norm/gamma"], parts["stem_norm/beta"]])
    means = tf.reduce_mean(tf.nn.relu(norm(stem)), [1, 2])
    logits = means @ parts["output/kernel"] + parts["output/bias"]
    expected = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
    np.testing.assert_allclose(
        chosen.losses(w, as_batch(x, y))[0, 0], expected, atol=rounding("resnet") * max(expected)
    )


def test_images_are_fractions_and_coloured_ones_normalised():
    grey = images(tf.constant(np.full((1, 2, 2), 51, np.uint8)))
    np.testing.assert_allclose(grey, np.full((1, 2, 2, 1), 0.2), rtol=1e-6)
    coloured = images(tf.constant(np.full((1, 2, 2, 3), 255, np.uint8)))[0, 0, 0]
    np.testing.assert_allclose(coloured, [0.509 / 0.247, 0.518 / 0.243, 0.553 / 0.262], rtol=1e-5)


def test_shapes_that_cannot_be_split_evenly_are_refused():
    with pytest.raises(AtlasError, match="'problem.hidden' is 6, but must be a multiple of 'heads', 4"):
        small("vit", heads=4)
    with pytest.raises(AtlasError, match="the side of an image is 8, but must be a multiple of 'patch', 3"):
        small("vit", patch=3)
    with pytest.raises(AtlasError, match="'problem.filters' is 4, but must be a multiple of 'groups', 3"):
        small("resnet", groups=3)
