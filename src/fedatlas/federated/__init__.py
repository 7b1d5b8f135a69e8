"""Algorithm and problem as federated computations, and what runs them.

Work is split along four axes; none of them changes a result beyond rounding.

| word | what is split | where it is chosen | done |
|---|---|---|---|
| shard | the clients of a cohort | a TFF client each; `Machine.shards` | side by side, by the engine |
| chunk | the clients of a shard | `Setting.chunk`, by what fits the cache | one after another, vectorised |
| group | the configurations of a sweep | `Setting.groups`, by what fits the cache | one after another, vectorised |
| microbatch | the examples of an evaluation or an E-step | `microbatches.py`, by memory | one after another |
"""
