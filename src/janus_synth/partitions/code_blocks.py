"""Codes of batches in; blocks of many rows, as large as memory may hold, out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from janus_synth.arrays import Codes
from janus_synth.kernels.dtypes import CODE

MOST_CODES = 2**24
"""Codes of a block, 32 MB: a million rows of 16 columns."""


class CodeBlock:
    """Rows that wait until they are counted together; the next rows take the place of those counted.

    Parameters
    ----------
    n_columns : int
        Columns that are encoded.
    n_rows : int, optional
        Rows to come, if known.

    Examples
    --------
    >>> waiting = CodeBlock(2, 3)
    >>> list(waiting.add(np.zeros((2, 2), np.uint16))), waiting.rest().shape
    ([], (2, 2))
    """

    def __init__(self, n_columns: int, n_rows: int | None = None) -> None:
        most = max(1, MOST_CODES // max(n_columns, 1))
        self._codes = np.empty((n_columns, most if n_rows is None else min(most, max(n_rows, 1))), CODE)
        self._n = 0

    def add(self, codes: Codes) -> Iterator[Codes]:
        """Add rows; a full block that has to make room is to be counted before the next is asked for."""
        at = 0
        while at < codes.shape[1]:
            if self._n == self._codes.shape[1]:
                yield self._codes
                self._n = 0
            taken = min(codes.shape[1] - at, self._codes.shape[1] - self._n)
            self._codes[:, self._n : self._n + taken] = codes[:, at : at + taken]
            self._n, at = self._n + taken, at + taken

    def rest(self) -> Codes:
        """Rows that are still waiting."""
        return np.ascontiguousarray(self._codes[:, : self._n])
