import numpy as np
from numpy.typing import NDArray

def values_in_bins(
    codes: NDArray[np.uint16],
    u: NDArray[np.float64],
    level: NDArray[np.float64],
    knot: NDArray[np.float64],
    upper: NDArray[np.float64],
    base: float,
    gap: float,
    scale: float,
    out: NDArray[np.float64],
) -> None: ...
def draw_in_leaf(
    x: NDArray[np.uint16],
    target: int,
    rows: NDArray[np.int32],
    cdf: NDArray[np.float32],
    n_trees: int,
    leaf: int,
    weight: float,
    u: NDArray[np.float64],
    leaf_of_row: NDArray[np.int32],
) -> None: ...
def draw_codes(
    x: NDArray[np.uint16],
    target: int,
    roots: NDArray[np.int32],
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    leaf_of_node: NDArray[np.int32],
    cdf: NDArray[np.float32],
    weight: NDArray[np.float64],
    u: NDArray[np.float64],
    leaf_of_row: NDArray[np.int32],
) -> None: ...
