import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import N_STEPS as N_STEPS
from janus_synth.kernels.views import Lines

def ranks_of(
    lines: Lines,
    cumulative: NDArray[np.float64],
    apart: NDArray[np.int64],
    cdf: NDArray[np.float32],
    steps: NDArray[np.float64],
    leaves: NDArray[np.int32],
    scores: NDArray[np.float64],
    surface: NDArray[np.float64],
    lined: NDArray[np.bool_],
    codes: NDArray[np.uint16],
    shares: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def at_ranks(
    lines: Lines,
    cumulative: NDArray[np.float64],
    apart: NDArray[np.int64],
    cdf: NDArray[np.float32],
    steps: NDArray[np.float64],
    leaves: NDArray[np.int32],
    scores: NDArray[np.float64],
    surface: NDArray[np.float64],
    lined: NDArray[np.bool_],
    ranks: NDArray[np.float64],
    codes: NDArray[np.uint16],
    shares: NDArray[np.float64],
) -> None: ...
