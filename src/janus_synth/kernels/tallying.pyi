import numpy as np
from numpy.typing import NDArray

BLOCK: int
UNSURE: int
NO_BIN: int
LANES: int

def tally_tree(
    x: NDArray[np.uint16],
    root: int,
    feature: NDArray[np.int32],
    cut: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    set_start: NDArray[np.int32],
    left_levels: NDArray[np.uint8],
    leaf_of_node: NDArray[np.int32],
    first_leaf: int,
    columns: NDArray[np.int32],
    offsets: NDArray[np.int32],
    table: NDArray[np.int32],
    leaf: NDArray[np.int32],
    weight: NDArray[np.int32],
) -> None: ...
def group_rows(
    x: NDArray[np.uint16],
    columns: NDArray[np.int32],
    n_codes: NDArray[np.int32],
    group: NDArray[np.int32],
    first: NDArray[np.int32],
    weight: NDArray[np.int32],
) -> int: ...
def sparse_rows(
    table: NDArray[np.int32], begin: int, end: int, key_of: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def sure_bins(
    codes: NDArray[np.uint16],
    place: NDArray[np.float64],
    centre: NDArray[np.float64],
    spread: NDArray[np.float64],
    edge: NDArray[np.float64],
    apart: NDArray[np.uint8],
    bend: float,
    out: NDArray[np.uint16],
) -> None: ...
def load_scores(
    x: NDArray[np.uint16], parents: NDArray[np.int32], score: NDArray[np.float64], out: NDArray[np.float32]
) -> None: ...
def tally_residuals(
    scores: NDArray[np.float32],
    codes: NDArray[np.uint16],
    place: NDArray[np.float64],
    leaf: NDArray[np.int32],
    lines: NDArray[np.float32],
    start: NDArray[np.float64],
    about: NDArray[np.float64],
    edge: NDArray[np.float64],
    apart: NDArray[np.uint8],
    bend: float,
    first_leaf: int,
    table: NDArray[np.int32],
    unsure: NDArray[np.int32],
) -> int: ...
def tally_bins(
    bins: NDArray[np.uint16], leaf: NDArray[np.int32], first_leaf: int, table: NDArray[np.int32]
) -> None: ...
