import numpy as np
from numpy.typing import NDArray

SCOUT_ROWS: int
MORE_ROWS: int
FEWEST_RACING: int
ALWAYS_ASKED: int
TURNS: int
FEWEST_CANDIDATES: int

def keep_better_half(
    candidates: NDArray[np.int32],
    worth: NDArray[np.float64],
    fewest: int,
    order: NDArray[np.int32],
    spare: NDArray[np.int32],
    out: NDArray[np.int32],
) -> int: ...
def grow_tree(
    x: NDArray[np.uint16],
    rows: NDArray[np.int32],
    target: int,
    parents: NDArray[np.int32],
    n_codes: NDArray[np.int32],
    ordered: NDArray[np.int32],
    trees: tuple[
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
    ],
    lambda_unsup: float,
    lambda_div: float,
    price: float,
    min_leaf: int,
    max_leaves: int,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.float64],
    NDArray[np.int32],
]: ...
