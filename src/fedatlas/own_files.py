"""Files that somebody has just written: a mistake in one is told in a sentence that names its line."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path

from fedatlas.errors import AtlasError

MOST = 200  # letters of what Python or TensorFlow says


@contextlib.contextmanager
def naming_mistakes(file: Path) -> Iterator[None]:
    """For the import of `file`, and for calls of its functions.

    Raises:
        AtlasError: for whatever is raised within; names the file, its last line that was reached, and the mistake.
    """
    try:
        yield
    except AtlasError:
        raise
    except SyntaxError as error:
        raise AtlasError(f"{error.filename or file}, line {error.lineno}: {error.msg}.") from error
    except Exception as error:
        raise AtlasError(f"{file}{line_reached(error, file)}: {in_words(error)}") from error


def line_reached(error: BaseException, file: str | Path) -> str:
    """', line 12', the last line of the file that was reached; nothing if there is none."""
    here = Path(file).absolute()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).absolute() == here]
    return f", line {lines[-1]}" if lines else ""


def in_words(error: BaseException) -> str:
    """What a mistake is, in its first line."""
    first, _, _ = str(error).strip().partition("\n")
    return f"{type(error).__name__}: {first[:MOST].rstrip('.')}."
