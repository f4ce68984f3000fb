"""Associations between columns: tables in, matrices of association and their differences out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Floats, LongInts
from janus_synth.metrics.rows import Frame, Rows, Seed, align, equal_rows

DENSE_CELLS = 1 << 20  # contingency tables up to this size are counted in an array, larger ones by sorting


def association_matrix(table: Frame) -> tuple[tuple[str, ...], Floats]:
    """Associations between all columns of a table.

    Numbers with numbers: Pearson's r, signed. Levels with numbers: the correlation ratio η, in both
    directions. Levels with levels: Theil's U, where row i, column j is the share of the entropy of i that j
    removes. Each pair uses the rows where both are present; a column that is constant or empty is associated
    with nothing (0).

    Parameters
    ----------
    table : DataFrame
        Any table.

    Returns
    -------
    names : tuple of str
        The columns, identifiers left out.
    matrix : array of float, shape (len(names), len(names))
        The associations; 1 on the diagonal.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": [4.5, 3, 1.5, 0], "c": list("aabb")})
    >>> names, matrix = association_matrix(frame)
    >>> names, matrix[0].round(2).tolist()
    (('x', 'y', 'c'), [1.0, -1.0, 0.89])
    """
    (rows,) = align(table=table)
    return rows.names, _associations(rows)


def association_error(real: Frame, synthetic: Frame, *, random_state: Seed = 0) -> float:
    """Mean absolute difference between the association matrices of two tables, diagonal left out.

    Theil's U and η are biased upwards in small samples, so the larger table is cut to the size of the smaller one.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    random_state : int or Generator
        Seed of the subsample.

    Returns
    -------
    float
        0 is ideal; NaN with a single column.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1.5, 2, 3, 4]})
    >>> association_error(real, real)
    0.0
    """
    pair = equal_rows(*align(real=real, synthetic=synthetic), seed=random_state)
    left, right = (_associations(rows) for rows in pair)
    return _mean_off_diagonal(np.abs(left - right))


def association_norm(real: Frame, synthetic: Frame, *, random_state: Seed = 0) -> float:
    """Frobenius norm of the difference between the association matrices of two tables.

    It grows with the number of columns; `association_error` is the same per pair.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    random_state : int or Generator
        Seed of the subsample.

    Returns
    -------
    float
        0 is ideal.

    Examples
    --------
    >>> import pandas as pd
    >>> up, down = (pd.DataFrame({"x": [1.5, 2, 3, 4], "y": y}) for y in ([1.5, 2, 3, 4], [4, 3, 2, 1.5]))
    >>> round(association_norm(up, down), 2)
    2.78
    """
    pair = equal_rows(*align(real=real, synthetic=synthetic), seed=random_state)
    left, right = (_associations(rows) for rows in pair)
    return float(np.linalg.norm(left - right))


def mutual_information_error(real: Frame, synthetic: Frame, *, n_bins: int = 20, random_state: Seed = 0) -> float:
    """Mean absolute difference of the normalised mutual information over all pairs of columns.

    Numbers are cut at quantiles of the real table, levels beyond the ``n_bins`` − 1 most frequent share a
    code, missing is a code of its own. Mutual information is divided by the mean of the two entropies; a
    constant column has none (0). The larger table is cut to the size of the smaller one, because the estimate is
    biased upwards in small samples.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    n_bins : int
        Most bins of a column, missing not counted.
    random_state : int or Generator
        Seed of the subsample.

    Returns
    -------
    float
        0 is ideal; NaN with a single column.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"x": [1, 2, 3, 4], "c": list("aabb")})
    >>> mutual_information_error(real, real)
    0.0
    """
    left, right = equal_rows(*align(real=real, synthetic=synthetic), seed=random_state)
    first, second = (normalised_information(binned(rows, left, n_bins=n_bins)) for rows in (left, right))
    return _mean_off_diagonal(np.abs(first - second))


def theils_u_error(real: Frame, synthetic: Frame, *, n_bins: int = 20, random_state: Seed = 0) -> float:
    """Mean absolute difference of Theil's U over all ordered pairs of columns.

    Theil's U is the share of one column's entropy that another removes. Columns become codes as for
    `mutual_information_error`, numbers among them.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns.
    n_bins : int
        Most bins of a column, missing not counted.
    random_state : int or Generator
        Seed of the subsample.

    Returns
    -------
    float
        0 is ideal; NaN with a single column.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"x": [1, 2, 3, 4], "c": list("aabb")})
    >>> theils_u_error(real, real.assign(c=list("abab")))
    0.0
    >>> round(theils_u_error(real, real.assign(x=[1, 1, 1, 1])), 3)
    0.75
    """
    left, right = equal_rows(*align(real=real, synthetic=synthetic), seed=random_state)
    first, second = (_uncertainty_matrix(binned(rows, left, n_bins=n_bins)) for rows in (left, right))
    return _mean_off_diagonal(np.abs(first - second))


def binned(rows: Rows, basis: Rows, *, n_bins: int) -> LongInts:
    """Codes of all columns, one matrix column each: 0 is missing, bins are those of ``basis``."""
    codes = np.zeros((len(rows.columns), rows.n_rows), dtype=np.int64)
    for j, column in enumerate(rows.columns):
        values, known = rows[column.name], basis[column.name]
        if column.discrete:
            counts = np.bincount(known[known >= 0], minlength=column.n_levels)
            rank = np.empty(column.n_levels, dtype=np.int64)
            rank[np.argsort(-counts, kind="stable")] = np.arange(column.n_levels)
            coded = np.minimum(rank[values], n_bins - 1) if column.n_levels else values
            codes[j] = np.where(values < 0, 0, 1 + coded)
        else:
            coded = np.searchsorted(_inner_quantiles(known, n_bins), values, side="left")
            codes[j] = np.where(np.isnan(values), 0, 1 + coded)
    return codes.T


def normalised_information(codes: LongInts) -> Floats:
    """Mutual information of all pairs of code columns over the mean of their entropies."""
    n_columns = codes.shape[1]
    columns = [np.ascontiguousarray(codes[:, j]) for j in range(n_columns)]
    entropies = [_entropy(np.bincount(column)) for column in columns]
    matrix = np.eye(n_columns)
    for i, j in combinations(range(n_columns), 2):
        mean = (entropies[i] + entropies[j]) / 2
        shared = entropies[i] + entropies[j] - _entropy(_joint_counts(columns[i], columns[j]))
        matrix[i, j] = matrix[j, i] = max(shared, 0.0) / mean if min(entropies[i], entropies[j]) > 0 else 0.0
    return matrix


def _uncertainty_matrix(codes: LongInts) -> Floats:
    """Theil's U of all pairs of code columns: row i, column j is the share of the entropy of i that j removes."""
    columns = [np.ascontiguousarray(codes[:, j]) for j in range(codes.shape[1])]
    matrix = np.eye(len(columns))
    for i, j in combinations(range(len(columns)), 2):
        matrix[i, j], matrix[j, i] = _uncertainty_coefficients(columns[i], columns[j])
    return matrix


def _associations(rows: Rows) -> Floats:
    """Association matrix of aligned rows, in the order of their columns."""
    place = {name: i for i, name in enumerate(rows.names)}
    matrix = np.eye(len(place))
    numbers, levels = [c.name for c in rows.ordered], [c.name for c in rows.discrete]
    standard = {name: _standardise(rows[name]) for name in numbers}
    if numbers:
        index = [place[name] for name in numbers]
        matrix[np.ix_(index, index)] = _pearson(np.column_stack([standard[name] for name in numbers]))
    for level in levels:
        for number in numbers:
            eta = _correlation_ratio(rows[level], standard[number])
            matrix[place[level], place[number]] = matrix[place[number], place[level]] = eta
    for first, second in combinations(levels, 2):
        i, j = place[first], place[second]
        matrix[i, j], matrix[j, i] = _uncertainty_coefficients(rows[first], rows[second])
    return matrix


def _standardise(values: Floats) -> Floats:
    """Standardise values, without overflow or underflow of squares; NaN where missing, 0 where constant."""
    present = np.isfinite(values)
    result = np.full(len(values), np.nan)
    if not present.any():
        return result
    largest = float(np.abs(values[present]).max()) or 1.0
    scaled = values[present] / largest
    scaled = scaled - scaled.mean()
    spread = float(scaled.std())
    result[present] = scaled / spread if spread > 1e-12 else 0.0
    return result


def _pearson(columns: Floats) -> Floats:
    """Correlations of standardised columns over the rows where both are present, all pairs at once."""
    present = (~np.isnan(columns)).astype(np.float64)
    filled = np.nan_to_num(columns, nan=0.0)
    count = np.maximum(present.T @ present, 1.0)
    total = filled.T @ present  # [i, j]: sum of column i over the rows where j is present
    spread = np.maximum((filled**2).T @ present - total**2 / count, 0.0)
    shared = filled.T @ filled - total * total.T / count
    scale = np.sqrt(spread * spread.T)
    varies = np.minimum(spread, spread.T) > 1e-10 * count
    matrix = np.where(varies, shared / np.where(varies, scale, 1.0), 0.0)
    np.fill_diagonal(matrix, 1.0)
    return np.clip(matrix, -1.0, 1.0)


def _correlation_ratio(codes: LongInts, values: Floats) -> float:
    """η = √(between-group / total sum of squares) over the rows where both are present."""
    both = (codes >= 0) & ~np.isnan(values)
    groups, numbers = codes[both], values[both]
    if len(numbers) == 0:
        return 0.0
    numbers = numbers - numbers.mean()
    total = float(numbers @ numbers)
    if total <= 1e-10 * len(numbers):
        return 0.0
    counts = np.bincount(groups)
    if np.count_nonzero(counts) < 2:
        return 0.0
    sums = np.bincount(groups, weights=numbers)
    between = float(np.sum(sums**2 / np.maximum(counts, 1)))
    return float(np.sqrt(min(between / total, 1.0)))


def _uncertainty_coefficients(first: LongInts, second: LongInts) -> tuple[float, float]:
    """Theil's U(first | second) and U(second | first) over the rows where both are present."""
    both = (first >= 0) & (second >= 0)
    x, y = first[both], second[both]
    if len(x) == 0:
        return 0.0, 0.0
    entropy_x, entropy_y = _entropy(np.bincount(x)), _entropy(np.bincount(y))
    shared = max(entropy_x + entropy_y - _entropy(_joint_counts(x, y)), 0.0)
    u_x, u_y = (min(shared / entropy, 1.0) if entropy > 0 else 0.0 for entropy in (entropy_x, entropy_y))
    return u_x, u_y


def _joint_counts(x: LongInts, y: LongInts) -> npt.NDArray[np.intp]:
    """How often each pair of codes occurs, in any order."""
    width = int(y.max()) + 1
    joint = x * width + y
    if (int(x.max()) + 1) * width <= DENSE_CELLS:
        return np.bincount(joint)
    return np.asarray(np.unique(joint, return_counts=True)[1])


def _entropy(counts: npt.NDArray[np.intp]) -> float:
    """Entropy in nats of the distribution with these counts."""
    seen = counts[counts > 0].astype(np.float64)
    if len(seen) < 2:
        return 0.0
    n = seen.sum()
    return float(np.log(n) - np.sum(seen * np.log(seen)) / n)


def _inner_quantiles(values: Floats, n_bins: int) -> Floats:
    """Distinct cut points between at most ``n_bins`` bins of about equal mass."""
    present = values[np.isfinite(values)]
    if len(present) == 0:
        return np.zeros(0)
    steps = np.arange(1, n_bins) / n_bins
    # Cuts are values of the column: a bin is (cut before, cut], so a heavy value keeps a bin to itself.
    return np.unique(np.quantile(present, steps, method="inverted_cdf"))


def _mean_off_diagonal(matrix: Floats) -> float:
    n = len(matrix)
    return float(matrix[~np.eye(n, dtype=np.bool_)].mean()) if n > 1 else float("nan")
