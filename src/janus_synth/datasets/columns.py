"""Parts that the example tables share: random draws and arrays in, levels, lattices and columns of a frame out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from janus_synth.arrays import Array, Bools, Floats, LongInts

if TYPE_CHECKING:
    import pandas as pd

Dates = npt.NDArray[np.datetime64]


class Rule(NamedTuple):
    """A condition in the rule language, and the share of complete rows that satisfy it."""

    text: str
    share: float


def generator(n: int, random_state: int | np.random.Generator) -> np.random.Generator:
    """Random generator of a table with ``n`` rows; raises ValueError if ``n`` is negative."""
    if n < 0:
        raise ValueError(f"a table cannot have n={n} rows. Choose 0 or more.")
    return np.random.default_rng(random_state)


def pick(rng: np.random.Generator, weights: Floats | Sequence[float], n: int) -> LongInts:
    """Draw ``n`` level indices with probabilities proportional to ``weights``, one row of them for all or one each.

    >>> pick(np.random.default_rng(0), [[1, 0], [0, 1]], 2)
    array([0, 1])
    """
    cumulated = np.broadcast_to(np.cumsum(np.asarray(weights, dtype=float), axis=-1), (n, np.shape(weights)[-1]))
    chosen: LongInts = (rng.random(n)[:, None] * cumulated[:, -1:] >= cumulated).sum(axis=1)
    return chosen


def logistic(logit: Floats) -> Floats:
    """Probability of a logit."""
    return np.asarray(1 / (1 + np.exp(-logit)))


def to_lattice(values: Floats | LongInts, step: int) -> LongInts:
    """Nearest multiples of a whole ``step``."""
    return step * np.rint(values / step).astype(np.int64)


def share_of(cents: LongInts, percent: LongInts | int) -> LongInts:
    """A whole percentage of an amount in cents, rounded half up to the cent.

    >>> share_of(np.array([250, 1999]), 19)
    array([ 48, 380])
    """
    return (cents * percent + 50) // 100


def amounts(cents: LongInts) -> Floats:
    """Amounts in units of currency, from cents: the float nearest to each."""
    return cents / 100


def seconds_after(start: np.datetime64, seconds: LongInts) -> Dates:
    """Timestamps with the resolution that pandas gives to text that it reads."""
    return np.asarray(start.astype("datetime64[us]") + seconds.astype("timedelta64[s]"))


def days_after(start: np.datetime64, days: LongInts) -> Dates:
    """Dates as timestamps at midnight."""
    return np.asarray((start.astype("datetime64[D]") + days.astype("timedelta64[D]")).astype("datetime64[us]"))


def text(levels: Sequence[str], index: LongInts) -> pd.Series[Any]:
    """A column of text: the level of every index."""
    import pandas as pd

    return pd.Series(np.array(levels, dtype=object)[index], dtype=str)


def nullable(values: Array, *, null: Bools) -> Any:
    """A column of nullable integers."""
    import pandas as pd

    return pd.arrays.IntegerArray(values.astype(np.int64), np.array(null, dtype=bool))


def without(times: Dates, *, null: Bools) -> Dates:
    """Timestamps with NaT where ``null``."""
    return np.where(null, np.datetime64("NaT", "us"), times)
