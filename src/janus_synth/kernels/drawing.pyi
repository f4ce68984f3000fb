import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.views import Guides as Guides
from janus_synth.kernels.views import Trends

def fill_guide(shares: NDArray[np.float32], guide: NDArray[np.uint16]) -> None: ...
def draw_codes(
    x: NDArray[np.uint16],
    target: int,
    rows: NDArray[np.int32],
    leaf_of: NDArray[np.int32],
    share: NDArray[np.float32],
    cdf: NDArray[np.float32],
    trends: Trends,
    guides: Guides,
) -> None: ...
def scramble(uniforms: NDArray[np.float64]) -> None: ...
