import numpy as np
from numpy.typing import NDArray

def argsort(key: NDArray[np.float64], order: NDArray[np.int32], spare: NDArray[np.int32]) -> None: ...
