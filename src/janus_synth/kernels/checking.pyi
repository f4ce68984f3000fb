import numpy as np
from numpy.typing import NDArray

def find_problem(
    roots: NDArray[np.int32],
    feature: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    leaf_of_node: NDArray[np.int32],
) -> int: ...
