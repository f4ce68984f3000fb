import numpy as np
from numpy.typing import NDArray

def lay_rows(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    leaf_of_node: NDArray[np.int32],
    leaf_of_row: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def solve(
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
) -> None: ...
def trace_of_inverse(
    factor: NDArray[np.float64],
) -> float: ...
def add_moments(
    rows: NDArray[np.int32],
    x: NDArray[np.uint16],
    parents: NDArray[np.int32],
    score: NDArray[np.float64],
    z: NDArray[np.float64],
    gram: NDArray[np.float64],
    cross: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None: ...
def moment_space(p: int) -> int: ...
def fit_lines(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    order: NDArray[np.int32],
    start: NDArray[np.int32],
    stop: NDArray[np.int32],
    x: NDArray[np.uint16],
    parents: NDArray[np.int32],
    score: NDArray[np.float64],
    z: NDArray[np.float64],
    weight: NDArray[np.float64],
    ridge: float,
    lean: float,
    passes: int,
    coef: NDArray[np.float64],
    spread: NDArray[np.float64],
    freedom: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None: ...
def choose_lines(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    order: NDArray[np.int32],
    start: NDArray[np.int32],
    stop: NDArray[np.int32],
    x: NDArray[np.uint16],
    parents: NDArray[np.int32],
    score: NDArray[np.float64],
    z: NDArray[np.float64],
    judged: NDArray[np.bool_],
    coef: NDArray[np.float64],
    spread: NDArray[np.float64],
    freedom: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    price: float,
    heavy: bool,
    line: NDArray[np.int32],
) -> None: ...
def weigh_predictions(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    leaf_of_node: NDArray[np.int32],
    leaf_of_row: NDArray[np.int32],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    strength: float,
    at_root: float,
    rounds: int,
    weight: NDArray[np.float64],
) -> None: ...
