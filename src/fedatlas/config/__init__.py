"""Reading a YAML file into a validated, frozen value, with errors that a person can act on."""

from fedatlas.config.places import Place, written
from fedatlas.config.reading import read_yaml
from fedatlas.config.validation import Strict, validate
from fedatlas.config.values import MOST, ONCE, REAL, Address, Count, Names, Number, Whole, once

__all__ = [
    "MOST", "ONCE", "REAL", "Address", "Count", "Names", "Number", "Place", "Strict", "Whole", "once", "read_yaml",
    "validate", "written",
]  # fmt: skip
