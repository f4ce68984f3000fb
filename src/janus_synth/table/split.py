"""A frame in; rows for training and rows for testing out, at random or with equal shares of a column's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.errors import DataError, UnknownColumnError

if TYPE_CHECKING:
    import pandas as pd


def split_frame(
    frame: pd.DataFrame, *, test: float = 0.2, stratify: str | None = None, random_state: int | np.random.Generator = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a table at random into rows for training and rows for testing; both keep their order.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    test : float
        Share of the rows for testing, between 0 and 1.
    stratify : str, optional
        Column whose values have the same shares in both parts, up to one row each; numbers have the same quantiles.
    random_state : int or Generator
        The same seed gives the same parts.

    Returns
    -------
    tuple of DataFrame
        Training rows and test rows.

    Raises
    ------
    DataError
        If one part would be empty.

    Examples
    --------
    >>> import pandas as pd
    >>> train, held_out = split_frame(pd.DataFrame({"x": ["a", "b"] * 10}), test=0.2, stratify="x")
    >>> len(train), sorted(held_out.x)
    (16, ['a', 'a', 'b', 'b'])
    """
    n_rows, rng = len(frame), np.random.default_rng(random_state)
    if not 0 < test < 1 or not 0 < round(test * n_rows) < n_rows:
        raise DataError(
            f"a share of {test:g} of {n_rows:,} rows leaves one part empty. Choose a share between 0 and 1 that gives "
            "each part a row."
        )
    if stratify is not None and stratify not in frame.columns:
        raise UnknownColumnError(stratify, list(frame.columns))
    order = rng.permutation(n_rows) if stratify is None else _by_value(frame[stratify], rng)
    n_test = round(test * n_rows)
    # Systematic sampling: evenly spaced places of the order, from a random start, so that values next to each other
    # keep their share.
    places = np.floor((np.arange(n_test) + rng.random()) * n_rows / n_test).astype(np.int64)
    chosen = np.zeros(n_rows, dtype=np.bool_)
    chosen[order[places]] = True
    return frame[~chosen], frame[chosen]


def _by_value(column: pd.Series, rng: np.random.Generator) -> LongInts:
    """Rows in the order of their values, equal ones in random order."""
    import pandas as pd

    numeric = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column)
    keys = column.rank(method="dense").fillna(0).to_numpy(np.float64) if numeric else pd.factorize(column)[0]
    shuffled = rng.permutation(len(column))
    return np.asarray(shuffled[np.argsort(np.asarray(keys)[shuffled], kind="stable")], dtype=np.int64)
