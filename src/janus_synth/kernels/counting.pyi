import numpy as np
from numpy.typing import NDArray

def count_by_leaf(
    x: NDArray[np.uint16],
    columns: NDArray[np.int32],
    offsets: NDArray[np.int32],
    width: int,
    leaf_of_row: NDArray[np.int32],
    n_leaves: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
