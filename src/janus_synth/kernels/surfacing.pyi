import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.views import Surface

def surface_of_rows(
    surface: Surface,
    parents: NDArray[np.int32],
    x: NDArray[np.uint16],
    skipped: int,
    mean: NDArray[np.float64],
    log_spread: NDArray[np.float64],
) -> None: ...
