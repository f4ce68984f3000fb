"""Interval arithmetic for products of columns: ranges in, narrower ranges out that lose no value which fits.

Ends are rounded outwards by a few units in the last place. A range is a pair (low, high), which may be infinite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from janus_synth.rules.holds import DOUBLE

OUTWARDS = 8 * DOUBLE
"""Relative rounding of each end, more than that of the operations before it."""
TINY = 1e-300
"""Absolute rounding, for numbers that underflow."""
Range = tuple[float, float]
EVERYTHING: Range = (-math.inf, math.inf)


def widen(ends: Range, by: float = OUTWARDS) -> Range:
    """Move both ends outwards, relative to their size; 0 stays.

    Examples
    --------
    >>> widen((-1.0, 2.0), 0.5)
    (-1.5, 3.0)
    """
    low, high = ends
    return (low and low - by * abs(low) - TINY), (high and high + by * abs(high) + TINY)


def add(ranges: Sequence[Range]) -> Range:
    """Range of a sum."""
    if not ranges:
        return 0.0, 0.0
    return sum(low for low, _ in ranges), sum(high for _, high in ranges)


def multiply(one: Range, other: Range) -> Range:
    """Range of a product; 0 times infinity is 0.

    Examples
    --------
    >>> low, high = multiply((-1.0, 2.0), (3.0, 5.0))
    >>> -5.001 < low <= -5 and 10 <= high < 10.001
    True
    """
    ends = [0.0 if not x or not y else x * y for x in one for y in other]
    return widen((min(ends), max(ends)))


def invert(ends: Range) -> Range | None:
    """Range of 1 / x over the x other than 0; None if there is none.

    Examples
    --------
    >>> invert((0.0, 0.0)), invert((-1.0, 1.0))
    (None, (-inf, inf))
    """
    low, high = ends
    if low < 0 < high:
        return EVERYTHING
    if low == 0 == high:
        return None
    return widen((-math.inf if high == 0 else _reciprocal(high), math.inf if low == 0 else _reciprocal(low)))


def raise_to(ends: Range, power: int) -> Range | None:
    """Range of x ** power over the x for which it is defined; None if there is none.

    Examples
    --------
    >>> low, high = raise_to((-2.0, 1.0), 2)
    >>> low == 0 and 4 <= high < 4.001
    True
    """
    if power < 0:
        found = raise_to(ends, -power)
        return None if found is None else invert(found)
    low, high = (_power(end, power) for end in ends)
    if power % 2 == 0 and ends[0] <= 0 <= ends[1]:
        return 0.0, widen((0.0, max(low, high)))[1]
    low, high = widen((min(low, high), max(low, high)))
    return (max(low, 0.0), high) if power % 2 == 0 else (low, high)


def solve_factor(product: Range, others: Range) -> Range | None:
    """Range of y with y · z in ``product`` for some z in ``others``; None if there is none.

    Examples
    --------
    >>> low, high = solve_factor((6.0, 8.0), (2.0, 2.0))
    >>> 2.999 < low <= 3 and 4 <= high < 4.001
    True
    """
    if product[0] <= 0 <= product[1] and others[0] <= 0 <= others[1]:
        return EVERYTHING
    inverse = invert(others)
    return None if inverse is None else multiply(product, inverse)


def solve_power(value: Range, power: int) -> list[Range]:
    """Ranges of x with x ** power in ``value``: none, one or two.

    Examples
    --------
    >>> [(round(low, 6), round(high, 6)) for low, high in solve_power((4.0, 9.0), 2)]
    [(-3.0, -2.0), (2.0, 3.0)]
    """
    if power < 0:
        inverse = invert(value)
        return [] if inverse is None else solve_power(inverse, -power)
    if power == 1:
        return [value]
    if power % 2:
        return [widen((_signed_root(value[0], power), _signed_root(value[1], power)))]
    if value[1] < 0:
        return []
    outer = _signed_root(value[1], power)
    if value[0] <= 0:
        return [widen((-outer, outer))]
    inner = _signed_root(value[0], power)
    return [widen((-outer, -inner)), widen((inner, outer))]


def _reciprocal(x: float) -> float:
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return math.inf


def _power(x: float, power: int) -> float:
    try:
        return x**power
    except OverflowError:
        return math.inf if x > 0 or power % 2 == 0 else -math.inf


def _signed_root(x: float, power: int) -> float:
    return math.copysign(abs(x) ** (1.0 / power), x) if math.isfinite(x) else x
