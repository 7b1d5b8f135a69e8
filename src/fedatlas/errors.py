"""The one exception that a user is meant to read."""


class AtlasError(Exception):
    """Bad input or a broken surrounding: one sentence that names the file, the key and the mend.

    The command line prints its text without a traceback and exits with status 2.
    """
