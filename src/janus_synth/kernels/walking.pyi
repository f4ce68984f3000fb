import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import MIDDLE as MIDDLE
from janus_synth.kernels.dtypes import PER_SPREAD as PER_SPREAD
from janus_synth.kernels.views import Lines as Lines
from janus_synth.kernels.views import Trees as Trees
from janus_synth.kernels.views import Trends as Trends

def share_of_left(
    left: NDArray[np.int32], right: NDArray[np.int32], count: NDArray[np.float64]
) -> NDArray[np.float32]: ...
def leaves_of_rows(trees: Trees, x: NDArray[np.uint16], leaves: NDArray[np.int32]) -> None: ...
def mean_shares(
    trends: Trends,
    table: NDArray[np.float32],
    leaves: NDArray[np.int32],
    x: NDArray[np.uint16],
    score: NDArray[np.float64],
) -> None: ...
def shares_of_codes(
    trends: Trends,
    table: NDArray[np.float32],
    leaves: NDArray[np.int32],
    x: NDArray[np.uint16],
    codes: NDArray[np.uint16],
    out: NDArray[np.float64],
) -> None: ...
def centres_of_rows(
    lines: Lines,
    leaf_of_row: NDArray[np.int32],
    x: NDArray[np.uint16],
    out: NDArray[np.float64],
    spread: NDArray[np.float64],
) -> None: ...
def left_out_shares(
    trends: Trends,
    alone: NDArray[np.float32],
    leaf_of_row: NDArray[np.int32],
    codes: NDArray[np.uint16],
    residual: NDArray[np.float64],
    z: NDArray[np.float64],
    spread: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def multiply_by_free(
    trees: Trees,
    trends: Trends,
    tree_of_row: NDArray[np.int32],
    table: NDArray[np.float32],
    column: NDArray[np.uint16],
    x: NDArray[np.uint16],
    free: int,
    ordered: bool,
    score: NDArray[np.float64],
    log_scale: NDArray[np.float64],
) -> None: ...
def values_of_rows(
    trees: Trees, table: NDArray[np.float32], x: NDArray[np.uint16], out: NDArray[np.float64]
) -> None: ...
