"""Types of the arrays that cross into kernels, and constants that kernels and plain code share."""

import numpy as np

CODE = np.uint16
"""A column's codes; two bytes hold those of any column."""
INDEX = np.int32
"""Positions: nodes, leaves, rows, slots."""
COUNT = np.int32
"""How many rows; counts of a model's leaves become 64-bit numbers where they are larger."""
MOST_ROWS = 2**53
"""Most rows of a model: up to here doubles are exact."""
REAL = np.float64
"""Probabilities, evidence, values."""
UNKNOWN = 65535
"""In place of a code: the column has not been drawn yet. No column has so many codes."""
N_RESIDUALS = 64
"""Bins of a trend's residuals."""
REACH = 5.0
"""Residuals run from −REACH to REACH spreads; what lies beyond counts at the ends."""
MIDDLE = N_RESIDUALS / 2.0
"""Where a residual of 0 lies among the bins."""
PER_SPREAD = N_RESIDUALS / (2.0 * REACH)
"""Bins of residuals per spread."""
N_STEPS = 8
"""Ranks are linear between this many even shares of each code."""
NEAR = 2.0**-51
"""Relative distance up to which two values count as the same atom, computed in two ways."""
ULPS = 4.0
"""Comparisons of sums allow for this many units in the last place of their terms."""
DOUBLE = 2.0**-52
"""Relative rounding of a value in double precision."""
