"""Ways of dealing examples to clients, one per file.

A partitioner is a pure function `(labels, rng, *, options) -> list of index arrays`: one array per client, sorted, and
no two of them share an index. The generator alone decides: the same labels and an equal generator give the same
partition. No client is empty: a law that may leave one with too few examples is drawn again, a bounded number of times.
"""
