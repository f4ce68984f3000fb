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
def bins_of_values(
    values: NDArray[np.float64],
    upper: NDArray[np.float64],
    missing: int,
    base: float,
    gap: float,
    scale: float,
    out: NDArray[np.uint16],
) -> None: ...
def count_between_knots(
    values: NDArray[np.float64], codes: NDArray[np.uint16], knot: NDArray[np.float64], counts: NDArray[np.int64]
) -> None: ...
