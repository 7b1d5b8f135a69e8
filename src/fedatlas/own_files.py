"""Files that somebody has just written: what is wrong with one is told in a sentence that names its line."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path

from fedatlas.errors import AtlasError

MOST = 200  # letters of what Python says


@contextlib.contextmanager
def running(file: Path) -> Iterator[None]:
    """Runs code of `file`, such as its import.

    Raises:
        AtlasError: for whatever it raises; names the file, the last line of it that was reached, and the mistake.
    """
    try:
        yield
    except AtlasError:
        raise
    except SyntaxError as error:
        raise AtlasError(f"{error.filename or file}, line {error.lineno}: {error.msg}.") from error
    except Exception as error:
        frames, here = traceback.extract_tb(error.__traceback__), file.absolute()
        lines = [frame.lineno for frame in frames if Path(frame.filename).absolute() == here]
        place = f", line {lines[-1]}" if lines else ""
        first, _, _ = str(error).strip().partition("\n")
        raise AtlasError(f"{file}{place}: {type(error).__name__}: {first[:MOST].rstrip('.')}.") from error
