"""What things may be called: their names become folders, words of a command and places on pages.

experiments, entries of `algorithms`:            letters, digits and '_', the first one a letter
papers:                                          small letters alone
claims, assumptions, sources and other files:    letters, digits, '-', '_' and '.', the first a letter or a digit
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from fedatlas.errors import AtlasError
from fedatlas.names import shown

ID, ID_IN_WORDS = re.compile("[A-Za-z][A-Za-z0-9_]*"), "letters, digits and '_', the first one a letter"
PAPER_ID, PAPER_ID_IN_WORDS = re.compile("[a-z]+"), "small letters alone"
LABEL = re.compile("[A-Za-z0-9][A-Za-z0-9_.-]*")
LABEL_IN_WORDS = "letters, digits, '-', '_' and '.', the first one a letter or a digit"


def _label(text: str) -> str:
    if not LABEL.fullmatch(text):
        raise ValueError(f"{shown(text)} must be {LABEL_IN_WORDS}")
    return text


Label = Annotated[str, AfterValidator(_label)]


def check_stem(path: Path) -> None:
    """Checks the name of a file that is called as its writer likes.

    Raises:
        AtlasError: names the file and what is allowed.
    """
    if not LABEL.fullmatch(path.stem):
        raise AtlasError(f"{path}: the name of such a file must be {LABEL_IN_WORDS}: rename it.")


def check_paper_id(path: Path) -> None:
    """Checks the name of a file or a folder that is called as a paper.

    Raises:
        AtlasError: names the file and what is allowed.
    """
    if not PAPER_ID.fullmatch(path.stem if path.suffix else path.name):
        what = "file" if path.suffix else "folder"
        raise AtlasError(f"{path}: the name of a paper's {what} must be {PAPER_ID_IN_WORDS}: rename it.")
