import numpy as np
from numpy.typing import NDArray

def leaf_of_row(
    x: NDArray[np.uint16],
    root: int,
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    out: NDArray[np.int32],
) -> None: ...
def rows_of_leaves(
    x: NDArray[np.uint16],
    root: int,
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    leaf_of_node: NDArray[np.int32],
    rows: NDArray[np.int32],
    begin: NDArray[np.int32],
    end: NDArray[np.int32],
) -> None: ...
def order_by_leaf(
    x: NDArray[np.uint16],
    u: NDArray[np.float64],
    roots: NDArray[np.int32],
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    leaf_of_node: NDArray[np.int32],
    rows: NDArray[np.int32],
    leaf_of: NDArray[np.int32],
    share: NDArray[np.float32],
) -> None: ...
