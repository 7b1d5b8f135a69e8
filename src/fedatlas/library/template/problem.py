"""The model of the study and its loss: put yours in the place of this."""

import fedatlas as fa


def problem():
    """Softmax regression. A Keras model is as short:

    import tensorflow as tf

    return fa.keras_problem(
        tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(10)]), "sparse_categorical_crossentropy"
    )
    """
    return fa.problems.softmax()
