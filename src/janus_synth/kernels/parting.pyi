import numpy as np
from numpy.typing import NDArray

def sort_by_rank(
    rank_of_row: NDArray[np.uint16],
    n_ranks: int,
    order: NDArray[np.int32],
    ends: NDArray[np.int32],
    ranks: NDArray[np.int32],
    start: NDArray[np.int32],
    stop: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> int: ...
def choose_left_levels(
    codes: NDArray[np.uint16],
    rank: NDArray[np.int32],
    cut: int,
    out: NDArray[np.uint8],
) -> None: ...
def part_rows(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint16],
    cut: int,
    levels: NDArray[np.uint8],
    spare: NDArray[np.int32],
) -> int: ...
