"""Reference for the kernel of powers: the comparison evaluated at one value, in exact fractions."""

from __future__ import annotations

import operator
from fractions import Fraction

OPS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def holds(size, op, x, divides):
    """Whether ``Σ size[p] · x ** p op 0`` with powers −4 to 4, and x is not 0 where it is divided by."""
    if x == 0 and divides:
        return False
    x = Fraction(x)
    total = sum((Fraction(c) * x ** (k - 4) for k, c in enumerate(size) if c), Fraction(0))
    return bool(OPS[op](total, 0))
