"""How many rows a value must have before it may be written: a number of rows in, that threshold out."""

from __future__ import annotations

LEAST_ROWS = 5
"""Fewest training rows of a value that a model keeps; measured in docs/privacy.md, *What it costs*."""
FEWEST_PROTECTED = 20
"""In smaller tables everything is kept: distinct values are common in any column, and nothing would be left."""
ROWS_PER_STEP = 50
"""Up to 200 rows the threshold grows by one for each of these rows, so that small tables keep something to learn."""
MOST_RARE = 0.8
"""Text of which a larger share of rows has a rare value is regenerated; otherwise its rare values are merged."""
MANY_RARE = 0.2
"""Codes of which a larger share of rows is rare are grouped. If fewer are, a valid code of a similar row is better."""


def least_rows(n_rows: int) -> int:
    """Fewest rows of a value that is kept from a table of ``n_rows`` rows; 1 keeps everything.

    Examples
    --------
    >>> [least_rows(n) for n in (10, 20, 120, 1000)]
    [1, 2, 3, 5]
    """
    return 1 if n_rows < FEWEST_PROTECTED else min(LEAST_ROWS, max(2, 1 + n_rows // ROWS_PER_STEP))
