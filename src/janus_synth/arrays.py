"""Types of arrays, defined once. Their NumPy dtypes in compiled code are in ``kernels.dtypes``."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""Values of any dtype: a column as a table holds it."""
Bools: TypeAlias = NDArray[np.bool_]
"""A mask, one entry per row or code."""
Bytes: TypeAlias = NDArray[np.uint8]
"""Flags for compiled code."""
Codes: TypeAlias = NDArray[np.uint16]
"""Codes of a column: bins, levels, or ``UNKNOWN``."""
Floats: TypeAlias = NDArray[np.float64]
"""Values, probabilities, weights and their logs."""
Floats32: TypeAlias = NDArray[np.float32]
"""Shares of codes in leaves, in single precision because there are many."""
Ints: TypeAlias = NDArray[np.int32]
"""Positions: nodes, leaves, slots of compiled code."""
LongInts: TypeAlias = NDArray[np.int64]
"""Row numbers and counts."""
