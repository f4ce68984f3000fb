import numpy as np
from numpy.typing import NDArray

def group_by_leaf(leaf_of_row: NDArray[np.int32], first: NDArray[np.int32], rows: NDArray[np.int32]) -> None: ...
def count_ordered(
    x: NDArray[np.uint16],
    columns: NDArray[np.int32],
    offsets: NDArray[np.int32],
    width: int,
    rows: NDArray[np.int32],
    begin: NDArray[np.int32],
    end: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def add_sparse(
    start: NDArray[np.int32],
    key: NDArray[np.int32],
    count: NDArray[np.int32],
    other_start: NDArray[np.int32],
    other_key: NDArray[np.int32],
    other_count: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
