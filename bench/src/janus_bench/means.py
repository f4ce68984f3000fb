"""Means over measurements of which some may be missing, and how tables show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean, stdev

from janus_bench.grids import decimals


def mean_of(values: Iterable[float | None]) -> float | None:
    """Mean of the values there are.

    Examples
    --------
    >>> mean_of([1.0, None, 2.0]), mean_of([None])
    (1.5, None)
    """
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def with_spread(values: Iterable[float | None], spelled: Callable[[float | None], str] = decimals) -> str:
    """Mean ± standard deviation of the values there are, as text; the latter needs two.

    Examples
    --------
    >>> with_spread([1.0, None, 2.0]), with_spread([1.0]), with_spread([])
    ('1.500 ± 0.707', '1.000', '–')
    """
    known = [value for value in values if value is not None]
    mean = spelled(mean_of(known))
    return f"{mean} ± {spelled(stdev(known))}" if len(known) > 1 else mean
