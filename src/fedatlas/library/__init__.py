"""The atlas as a library: what `import fedatlas as fa` offers, one idea per file.

A user's clients (`clients`), model (`problems`, `keras_problem`) and choice of algorithms (`gallery`) become an
experiment (`plan`) that the engine runs as it runs the papers' (`compare`); its results are a `study`.
"""
