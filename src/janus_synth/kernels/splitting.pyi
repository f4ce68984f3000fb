import numpy as np
from numpy.typing import NDArray

SCOUT_ROWS: int
MORE_ROWS: int
FEWEST_RACING: int
ALWAYS_ASKED: int
TURNS: int
FEWEST_CANDIDATES: int

def rank_levels(
    parent_codes: NDArray[np.uint16],
    y: NDArray[np.uint16],
    n_levels: int,
    n_targets: int,
    y_ordered: bool,
) -> NDArray[np.int32]: ...
def count_slots(
    codes: NDArray[np.uint16],
    path_start: NDArray[np.int32],
    path_slot: NDArray[np.int32],
    slot_up: NDArray[np.int32],
    whole: NDArray[np.int32],
) -> None: ...
def add_sweep_gains(
    codes: NDArray[np.uint16],
    ends: NDArray[np.int32],
    weight: float,
    path_start: NDArray[np.int32],
    path_slot: NDArray[np.int32],
    slot_up: NDArray[np.int32],
    inner: NDArray[np.int32],
    child: NDArray[np.float64],
    node: NDArray[np.float64],
    both: NDArray[np.float64],
    whole: NDArray[np.int32],
    left: NDArray[np.int32],
    moved: NDArray[np.int32],
    gains: NDArray[np.float64],
) -> None: ...
def add_sweep_divergence(
    codes: NDArray[np.uint16],
    ends: NDArray[np.int32],
    weight: float,
    n_codes: int,
    gains: NDArray[np.float64],
) -> None: ...
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
def count_table(
    codes: NDArray[np.uint16],
    slots: NDArray[np.uint16],
    n_codes: int,
    n_slots: int,
    table: NDArray[np.int32],
) -> None: ...
def add_table_gains(
    table: NDArray[np.int32],
    levels: NDArray[np.int32],
    slot_up: NDArray[np.int32],
    inner: NDArray[np.int32],
    child: NDArray[np.float64],
    node: NDArray[np.float64],
    both: NDArray[np.float64],
    whole: NDArray[np.int32],
    left: NDArray[np.int32],
    ends: NDArray[np.int32],
    gains: NDArray[np.float64],
) -> None: ...
def keep_better_half(
    candidates: NDArray[np.int32],
    worth: NDArray[np.float64],
    fewest: int,
    order: NDArray[np.int32],
    spare: NDArray[np.int32],
    out: NDArray[np.int32],
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
