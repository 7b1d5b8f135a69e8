# What `__init__` offers, for type checkers and editors, which do not see that it is imported when it is asked for.

from fedatlas.algorithms.base import Algorithm as Algorithm
from fedatlas.errors import AtlasError as AtlasError
from fedatlas.library.clients import clients as clients
from fedatlas.library.compare import StudyWarning as StudyWarning
from fedatlas.library.compare import compare as compare
from fedatlas.library.gallery import algorithms as algorithms
from fedatlas.library.keras_problem import keras_problem as keras_problem
from fedatlas.library.problems import problems as problems
from fedatlas.library.problems import prox as prox
from fedatlas.library.study import Study as Study
from fedatlas.library.study import open_study as open_study
from fedatlas.library.tff_process import tff_process as tff_process
from fedatlas.library.tff_process import tff_runtime as tff_runtime

__version__: str
__all__: list[str]
