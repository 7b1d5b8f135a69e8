"""Running an experiment: from a client store to a metrics table and a manifest. It needs TensorFlow."""
