import numpy as np
from numpy.typing import NDArray

def leaning(count: float, rows: float, strength: float, share: float, left_out: float) -> float: ...
def digamma(x: float) -> float: ...
def shrink_down(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    start: NDArray[np.int32],
    code: NDArray[np.int32],
    count: NDArray[np.float64],
    leaf_of_node: NDArray[np.int32],
    path_start: NDArray[np.int32],
    path_slot: NDArray[np.int32],
    slot_up: NDArray[np.int32],
    strength: NDArray[np.float64],
    first: NDArray[np.float64],
    floor: NDArray[np.float64],
    hierarchical: bool,
    left_out: float,
    out: NDArray[np.float32],
    noise: NDArray[np.float64],
) -> None: ...
def shrink_at(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    start: NDArray[np.int32],
    code: NDArray[np.int32],
    count: NDArray[np.int32],
    leaf_of_node: NDArray[np.int32],
    path_start: NDArray[np.int32],
    path_slot: NDArray[np.int32],
    slot_up: NDArray[np.int32],
    strength: NDArray[np.float64],
    first: NDArray[np.float64],
    floor: NDArray[np.float64],
    hierarchical: bool,
    left_out: float,
    leaves: NDArray[np.int32],
    codes: NDArray[np.uint16],
    out: NDArray[np.float64],
) -> None: ...
def cumulate(shares: NDArray[np.float32], out: NDArray[np.float32]) -> None: ...
