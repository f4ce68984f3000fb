import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import NEAR as NEAR

class Bins:
    def __init__(self, level: NDArray[np.float64], knot: NDArray[np.float64], half: float) -> None: ...
    def share_below(self, k: int, value: float) -> float: ...
    def value_at(self, k: int, u: float) -> float: ...
    def mass_between(self, k: int, low: float, high: float) -> float: ...
    def first_bin(self, value: float) -> int: ...
    def density_at(self, k: int, value: float) -> float: ...
    def density_where_it_begins(self, k: int, low: float, high: float) -> float: ...

def weigh_bins(
    start: NDArray[np.int64],
    intervals: NDArray[np.float64],
    null: NDArray[np.uint8],
    level: NDArray[np.float64],
    knot: NDArray[np.float64],
    half: float,
    w: NDArray[np.float64],
) -> None: ...
def weigh_levels(
    start: NDArray[np.int64],
    intervals: NDArray[np.float64],
    null: NDArray[np.uint8],
    code_of_level: NDArray[np.int32],
    share_of_level: NDArray[np.float64],
    w: NDArray[np.float64],
) -> None: ...
def place_in_bins(
    codes: NDArray[np.uint16],
    u: NDArray[np.float64],
    start: NDArray[np.int64],
    intervals: NDArray[np.float64],
    level: NDArray[np.float64],
    knot: NDArray[np.float64],
    upper: NDArray[np.float64],
    lattice: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None: ...
def place_levels(
    codes: NDArray[np.uint16],
    u: NDArray[np.float64],
    start: NDArray[np.int64],
    intervals: NDArray[np.float64],
    code_of_level: NDArray[np.int32],
    share_of_level: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None: ...
def draw_scored(
    score: NDArray[np.float64], u: NDArray[np.float64], codes: NDArray[np.uint16], totals: NDArray[np.float64]
) -> None: ...
def systematic(weights: NDArray[np.float64], u: float, chosen: NDArray[np.int32]) -> None: ...
