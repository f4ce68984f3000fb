"""Names for the array types that cross into kernels, so that each kernel compiles once."""

import numpy as np

CODE = np.uint16
"""A column's codes; two bytes hold those of any column, and one type means one compilation."""
INDEX = np.int32
"""Positions: nodes, leaves, rows, slots."""
COUNT = np.int32
"""How many rows."""
REAL = np.float64
"""Probabilities, evidence, values."""
UNKNOWN = 65535
"""In place of a code: the column has not been drawn yet. No column has so many codes."""
N_RESIDUALS = 64
"""Bins of a trend's residuals."""
REACH = 5.0
"""Residuals run from −REACH to REACH spreads; what lies beyond counts at the ends."""
