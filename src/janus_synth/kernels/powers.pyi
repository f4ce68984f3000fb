import numpy as np
from numpy.typing import NDArray

MAX_SETS: int

def power_of(x: float, p: int) -> float: ...
def multiply_ranges(product: NDArray[np.float64], low: float, high: float) -> None: ...
def range_of_power(low: float, high: float, p: int, out: NDArray[np.float64]) -> None: ...
def solve_powers(
    size: NDArray[np.float64],
    slack: NDArray[np.float64],
    divides: bool,
    op: int,
    base: float,
    gap: float,
    scale: float,
    out: NDArray[np.float64],
    at: int,
) -> int: ...
def solve_power_range(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    slack: NDArray[np.float64],
    op: int,
    base: float,
    gap: float,
    scale: float,
    out: NDArray[np.float64],
    at: int,
) -> int: ...
