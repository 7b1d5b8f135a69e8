"""What runs leave behind: manifests, metrics tables, and the results of experiments and of whole scales.

manifest    what a run says of itself                   run         one run: its manifest, table and model
axes        what curves can be drawn against            selection   the best configuration of a sweep
collection  the results of an experiment and of a scale clients     what single clients have
summary     what a set of runs has in common
"""
