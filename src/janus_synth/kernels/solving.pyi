import numpy as np
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import DOUBLE as DOUBLE
from janus_synth.kernels.dtypes import ULPS as ULPS
from janus_synth.kernels.views import AND as AND
from janus_synth.kernels.views import EQ as EQ
from janus_synth.kernels.views import GE as GE
from janus_synth.kernels.views import GT as GT
from janus_synth.kernels.views import LE as LE
from janus_synth.kernels.views import LINEAR as LINEAR
from janus_synth.kernels.views import LT as LT
from janus_synth.kernels.views import MEMBER as MEMBER
from janus_synth.kernels.views import NE as NE
from janus_synth.kernels.views import OR as OR
from janus_synth.kernels.views import PRODUCTS as PRODUCTS
from janus_synth.kernels.views import TABLE as TABLE
from janus_synth.kernels.views import Ground as Ground
from janus_synth.kernels.views import Program as Program

def solve_linear(
    a: float,
    low: float,
    high: float,
    slack: float,
    whole: bool,
    op: int,
    precision: float,
    base: float,
    gap: float,
    scale: float,
    out: NDArray[np.float64],
    at: int,
) -> int: ...
def intersect(buffer: NDArray[np.float64], first: int, n_first: int, second: int, n_second: int, out: int) -> int: ...
def unite(buffer: NDArray[np.float64], first: int, n_first: int, second: int, n_second: int, out: int) -> int: ...
def contains(sets: NDArray[np.float64], start: int, stop: int, value: float, precision: float) -> bool: ...
def insert_point(buffer: NDArray[np.float64], top: int, n: int, cell: float) -> int: ...
def cut_point(
    buffer: NDArray[np.float64], top: int, n: int, cell: float, precision: float, base: float, gap: float, scale: float
) -> int: ...
def is_multiple(value: float, step: float, precision: float) -> bool: ...
def is_same(cell: float, value: float, precision: float) -> bool: ...
def solve_rows(
    program: Program, ground: Ground, x: NDArray[np.uint16], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]]: ...
