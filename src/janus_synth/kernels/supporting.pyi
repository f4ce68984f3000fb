import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.views import CellMixture as CellMixture
from janus_synth.kernels.views import Evidence as Evidence
from janus_synth.kernels.views import Lines, Trees

Floats = NDArray[np.float64]

def support_of_rows(
    trees: Trees,
    evidence: Evidence,
    x: NDArray[np.uint16],
    value: Floats,
    off: Floats,
    cells: Floats,
    noise: Floats,
    leaves: NDArray[np.int32],
    support: Floats,
    mean: Floats,
    expected: Floats,
) -> None: ...
def add_leaves(
    hist: Floats, noise: Floats, leaves: NDArray[np.int32], support: Floats, mean: Floats, expected: Floats
) -> None: ...
def predict_scores(
    lines: Lines,
    middle: Floats,
    precision: Floats,
    leaves: NDArray[np.int32],
    x: NDArray[np.uint16],
    centre: Floats,
    leverage: Floats,
    spread: Floats,
) -> None: ...
def add_mixtures(
    mixture: CellMixture,
    leaves: NDArray[np.int32],
    support: Floats,
    centre: Floats,
    leverage: Floats,
    width: Floats,
    log_variance: Floats,
    mean: Floats,
    expected: Floats,
) -> None: ...
