import numpy as np
from numpy.typing import NDArray

def rank_levels(
    parent_codes: NDArray[np.uint16],
    y: NDArray[np.uint16],
    n_levels: int,
    n_targets: int,
    y_ordered: bool,
) -> NDArray[np.int32]: ...
