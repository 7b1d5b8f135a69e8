"""The one exception that a user is meant to read."""

from __future__ import annotations

Keys = tuple[str | int, ...]  # the keys and places that lead to a value, such as ("seeds", "sweep", 0)


class AtlasError(Exception):
    """Bad input, or a machine that cannot go on: one sentence that names the file, the key and what to do.

    The command line prints its text without a traceback and exits with status 2.

    Attributes:
        key: the keys that lead to what is wrong, where it stands in a file that has not been named yet.
    """

    def __init__(self, sentence: object, key: Keys = ()):
        super().__init__(str(sentence))
        self.key = key
