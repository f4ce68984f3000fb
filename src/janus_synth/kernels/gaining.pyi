import numpy as np
from numpy.typing import NDArray

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
    ends: NDArray[np.int32],
    gains: NDArray[np.float64],
) -> None: ...
