"""Tables of any size, for timing: a real table resampled to any length, or a synthetic one of any width."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MANY_VALUES = 255
"""A numeric column with more distinct values is continuous, and gets new values when its table is enlarged."""


def enlarge(frame: pd.DataFrame, n: int, *, seed: int = 0) -> pd.DataFrame:
    """Draw ``n`` rows with replacement; add noise of 1 % of the standard deviation to continuous columns.

    Without the noise a long table would have no more distinct values than a short one, and would be easier.

    Examples
    --------
    >>> import pandas as pd
    >>> enlarge(pd.DataFrame({"x": range(300)}), 1_000)["x"].nunique() > 200
    True
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    longer = frame.iloc[rng.integers(len(frame), size=n)].reset_index(drop=True)
    for name in longer:
        column = longer[name]
        plain = column.dtype.kind in "iuf" and isinstance(column.dtype, np.dtype)
        if not plain or frame[name].nunique() <= MANY_VALUES:
            continue
        moved = column.to_numpy(np.float64) + 0.01 * float(column.std()) * rng.normal(size=n)
        moved = moved.clip(column.min(), column.max())
        whole = column.dtype.kind in "iu"
        longer[name] = pd.Series(np.rint(moved) if whole else moved).astype(column.dtype)
    return longer


def wide_table(n: int, n_columns: int, *, seed: int = 0) -> pd.DataFrame:
    """Alternating numeric and categorical columns; each depends on up to two earlier columns.

    Examples
    --------
    >>> wide_table(50, 6).shape
    (50, 6)
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    hidden = np.empty((n, n_columns))
    columns: dict[str, object] = {}
    for j in range(n_columns):
        hidden[:, j] = rng.normal(size=n)
        for parent in rng.integers(j, size=min(j, 2)):
            hidden[:, j] += np.sin(hidden[:, parent])
        levels = np.array(["low", "middle", "high"], dtype=object)
        is_number = j % 2 == 0
        columns[f"c{j}"] = hidden[:, j] if is_number else levels[np.digitize(hidden[:, j], [-0.5, 0.8])]
    return pd.DataFrame(columns)
