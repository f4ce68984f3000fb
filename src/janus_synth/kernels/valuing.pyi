import numpy as np
from numpy.typing import NDArray

def deviance_part(total: float, n: float) -> float: ...
def best_split(
    x: NDArray[np.uint16],
    v: NDArray[np.float64],
    w: NDArray[np.float64],
    rows: NDArray[np.int32],
    lo: int,
    hi: int,
    features: NDArray[np.int32],
    n_codes: NDArray[np.int32],
    ordered: NDArray[np.int32],
    least: int,
    side: NDArray[np.uint8],
) -> tuple[float, int, int]: ...
def grow_values(
    x: NDArray[np.uint16],
    v: NDArray[np.float64],
    w: NDArray[np.float64],
    features: NDArray[np.int32],
    n_codes: NDArray[np.int32],
    ordered: NDArray[np.int32],
    most_leaves: int,
    least: int,
    strength: float,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...
