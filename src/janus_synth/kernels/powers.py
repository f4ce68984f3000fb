"""Solve a comparison for one column that stands in it with whole powers: coefficients in, intervals out.

The comparison is ``Σ size[p] · x ** p op 0`` with powers p from −4 to 4; ``size`` and ``slack`` have 9 slots, the
middle one for the constant. Multiplied by a power of x it is a polynomial of degree 8 at most. Between its roots the
comparison holds everywhere or nowhere; at the roots, it is judged within the rounding of its terms.
"""

import cython
from cython.cimports.libc.math import INFINITY, ceil, fabs, floor, isfinite, isnan, pow, rint, sqrt

from janus_synth.kernels.dtypes import DOUBLE, ULPS
from janus_synth.kernels.views import EQ, GE, GT, LE, LT, MIDDLE, NE, SLOTS

MAX_SETS = 40
"""Most intervals that one comparison leaves."""

_ULPS = cython.declare(cython.double, ULPS)
_DOUBLE = cython.declare(cython.double, DOUBLE)
cython.declare(_LT=cython.int, _LE=cython.int, _GT=cython.int, _GE=cython.int, _EQ=cython.int, _NE=cython.int)
_LT, _LE, _GT, _GE, _EQ, _NE = LT, LE, GT, GE, EQ, NE
cython.declare(_SLOTS=cython.int, _MIDDLE=cython.int)
_SLOTS, _MIDDLE = SLOTS, MIDDLE
_LEAST = cython.declare(cython.double, 2.0**-126)  # smallest step away from 0 that single precision keeps


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def power_of(x: cython.double, p: cython.int) -> cython.double:
    """Raise x to a whole power."""
    found: cython.double = 1.0
    for _ in range(p if p > 0 else -p):
        found *= x
    return found if p >= 0 else 1.0 / found


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def multiply_ranges(product: cython.double[::1], low: cython.double, high: cython.double) -> cython.void:
    """Multiply a range, its two ends, by another one; 0 times infinity is 0."""
    least: cython.double = INFINITY
    most: cython.double = -INFINITY
    for i in range(4):
        each: cython.double = product[i % 2] * (low if i < 2 else high)
        if isnan(each):
            each = 0.0
        least, most = min(least, each), max(most, each)
    product[0], product[1] = least, most


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def range_of_power(low: cython.double, high: cython.double, p: cython.int, out: cython.double[::1]) -> cython.void:
    """Range of x ** p for x between two numbers."""
    if p < 0 and low <= 0.0 <= high:
        if p % 2 == 0:
            out[0], out[1] = power_of(max(fabs(low), fabs(high)), p), INFINITY
        else:
            out[0], out[1] = -INFINITY, INFINITY
        return
    one: cython.double = power_of(low, p)
    other: cython.double = power_of(high, p)
    out[0], out[1] = min(one, other), max(one, other)
    if p % 2 == 0 and low <= 0.0 <= high:
        out[0] = 0.0


# Comparisons at one value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sum_at(size: cython.const[cython.double][::1], x: cython.double) -> cython.double:
    """Σ size[p] · x ** p."""
    total: cython.double = size[_MIDDLE]
    for k in range(_SLOTS):
        if k != _MIDDLE and size[k] != 0.0:
            total += size[k] * power_of(x, k - _MIDDLE)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def holds_at(
    x: cython.double,
    size: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    divides: cython.bint,
    op: cython.int,
    strictness: cython.double,
) -> cython.bint:
    """Judge the comparison at x, within the rounding of its terms; ``strictness`` widens the tolerance of <, >, !=."""
    if divides and x == 0.0:
        return False
    gap: cython.double = size[_MIDDLE]
    tolerance: cython.double = slack[_MIDDLE]
    whole: cython.bint = gap == rint(gap)
    for k in range(_SLOTS):
        if k == _MIDDLE or size[k] == 0.0:
            continue
        power: cython.double = power_of(x, k - _MIDDLE)
        product: cython.double = size[k] * power
        gap += product
        tolerance += slack[k] * fabs(power)
        whole = whole and product == rint(product)
    tolerance = 0.0 if whole else _ULPS * tolerance
    if op == _LT:
        return gap < -strictness * tolerance
    if op == _LE:
        return gap <= tolerance
    if op == _GT:
        return gap > strictness * tolerance
    if op == _GE:
        return gap >= -tolerance
    if op == _EQ:
        return fabs(gap) <= tolerance
    return fabs(gap) > strictness * tolerance


# Roots of polynomials: coefficients c[0] … c[n] of 1, x, x² …


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def polynomial_at(c: cython.p_double, n: cython.int, x: cython.double) -> cython.double:
    """Evaluate a polynomial at x (Horner's method)."""
    found: cython.double = c[n]
    for j in range(n - 1, -1, -1):
        found = found * x + c[j]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_near_zero(c: cython.p_double, n: cython.int, x: cython.double) -> cython.bint:
    """Whether a polynomial is 0 at x but for rounding."""
    total: cython.double = fabs(c[n])
    for j in range(n - 1, -1, -1):
        total = total * fabs(x) + fabs(c[j])
    return fabs(polynomial_at(c, n, x)) <= 8.0 * n * _DOUBLE * total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def root_of_pair(first: cython.double, last: cython.double, n: cython.int, roots: cython.p_double) -> cython.int:
    """Roots of ``last · x ** n + first``, in order."""
    q: cython.double = -first / last
    t: cython.double = fabs(q) if n == 1 else sqrt(fabs(q)) if n == 2 else pow(fabs(q), 1.0 / n)
    if n > 2 and t > 0.0:  # one step of Newton's method corrects the rounding of pow
        t -= (power_of(t, n) - fabs(q)) / (n * power_of(t, n - 1))
    if n % 2 == 1:
        roots[0] = t if q >= 0.0 else -t
        return 1
    if q < 0.0:
        return 0
    roots[0], roots[1] = -t, t
    return 2 if t > 0.0 else 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def roots_of_quadratic(c: cython.p_double, roots: cython.p_double) -> cython.int:
    """Roots of a polynomial of degree 2, in order; one that touches 0 but for rounding has a double root."""
    square: cython.double = c[1] * c[1]
    product: cython.double = 4.0 * c[0] * c[2]
    discriminant: cython.double = square - product
    if fabs(discriminant) <= 8.0 * _DOUBLE * (square + fabs(product)):
        roots[0] = -c[1] / (2.0 * c[2])
        return 1
    if discriminant < 0.0:
        return 0
    half: cython.double = -0.5 * (c[1] + (sqrt(discriminant) if c[1] >= 0.0 else -sqrt(discriminant)))
    one: cython.double = half / c[2]
    other: cython.double = c[0] / half
    roots[0], roots[1] = min(one, other), max(one, other)
    return 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bisect_root(c: cython.p_double, n: cython.int, low: cython.double, high: cython.double) -> cython.double:
    """Root between two numbers at which a polynomial has different signs."""
    rises: cython.bint = polynomial_at(c, n, high) > 0.0
    for _ in range(1100):
        middle: cython.double = low / 2.0 + high / 2.0
        if middle <= low or middle >= high:
            break
        if (polynomial_at(c, n, middle) > 0.0) == rises:
            high = middle
        else:
            low = middle
    return low if fabs(polynomial_at(c, n, low)) < fabs(polynomial_at(c, n, high)) else high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def roots_of(c: cython.p_double, n: cython.int, roots: cython.p_double) -> cython.int:
    """Real roots of a polynomial of degree n with c[0] ≠ 0, in order: between the roots of its derivative."""
    sparse: cython.bint = True
    for j in range(1, n):
        sparse = sparse and c[j] == 0.0
    if n == 0:
        return 0
    if sparse:
        return root_of_pair(c[0], c[n], n, roots)
    if n == 2:
        return roots_of_quadratic(c, roots)
    slope = cython.declare(cython.double[9])
    turns = cython.declare(cython.double[12])
    reach: cython.double = 0.0
    for j in range(n):
        slope[j] = (j + 1) * c[j + 1]
        reach = max(reach, fabs(c[j] / c[n]))
    reach = min(1.0 + reach, 1e30)  # Cauchy's bound
    lead: cython.int = 0
    while slope[lead] == 0.0:
        lead += 1
    turns[0] = -reach
    n_turns: cython.int = 1 + roots_of(cython.address(slope[lead]), n - 1 - lead, cython.address(turns[1]))
    if lead > 0:
        n_turns = insert_sorted(turns, n_turns, 0.0)
    turns[n_turns] = reach
    found: cython.int = 0
    for i in range(n_turns):
        touches: cython.bint = i > 0 and is_near_zero(c, n, turns[i])
        if touches:
            roots[found] = turns[i]
            found += 1
        if touches or (i + 1 < n_turns and is_near_zero(c, n, turns[i + 1])):
            continue  # between two turns there is one root at most
        if (polynomial_at(c, n, turns[i]) < 0.0) != (polynomial_at(c, n, turns[i + 1]) < 0.0):
            roots[found] = bisect_root(c, n, turns[i], turns[i + 1])
            found += 1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def insert_sorted(values: cython.p_double, n: cython.int, value: cython.double) -> cython.int:
    """Add a value to sorted ones unless it is among them; returns how many there are."""
    at: cython.int = n
    while at > 0 and values[at - 1] > value:
        at -= 1
    if at > 0 and values[at - 1] == value:
        return n
    for i in range(n, at, -1):
        values[i] = values[i - 1]
    values[at] = value
    return n + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_breaks(
    size: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    divides: cython.bint,
    breaks: cython.p_double,
) -> cython.int:
    """Where the sum may change its sign, in order: its roots, and 0 if it divides by x."""
    c = cython.declare(cython.double[9])
    first: cython.int = -1
    last: cython.int = 0
    for k in range(_SLOTS):
        c[k] = size[k]
        if k == _MIDDLE and fabs(c[k]) <= _ULPS * slack[k]:
            c[k] = 0.0  # a constant that is 0 but for rounding
        if c[k] != 0.0:
            first, last = k if first < 0 else first, k
    n: cython.int = 0
    if first >= 0 and last > first:
        n = roots_of(cython.address(c[first]), last - first, breaks)
    if divides or first > _MIDDLE:
        n = insert_sorted(breaks, n, 0.0)
    return n


# Intervals


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_interval(
    out: cython.double[:, ::1], at: cython.Py_ssize_t, n: cython.Py_ssize_t, low: cython.double, high: cython.double
) -> cython.Py_ssize_t:
    """Add an interval to sorted ones; returns how many there are."""
    if not low <= high:
        return n
    if n > 0 and low <= out[at + n - 1, 1]:
        out[at + n - 1, 1] = max(out[at + n - 1, 1], high)
        return n
    out[at + n, 0], out[at + n, 1] = low, high
    return n + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def first_inside(
    t: cython.double,
    towards: cython.double,
    size: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    divides: cython.bint,
    op: cython.int,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
) -> cython.double:
    """First x at ``t`` or a little inside (``towards`` = ±1) where the comparison holds, on the lattice if any."""
    if not isfinite(t):
        return t
    x: cython.double = t
    if scale > 0.0:
        place: cython.double = (t * scale - base) / gap
        m: cython.double = ceil(place - 1e-6) if towards > 0 else floor(place + 1e-6)
        failed: cython.double = -1.0
        tried: cython.double = 0.0
        for attempt in range(44):  # steps of 1, then steps that double, then back by bisection
            x = (base + gap * (m + towards * tried)) / scale
            if holds_at(x, size, slack, divides, op, 1.0):
                break
            failed = tried
            tried += 1.0 if attempt < 4 else tried
        while tried - failed > 1.0:
            middle: cython.double = floor((tried + failed) / 2.0)
            if holds_at((base + gap * (m + towards * middle)) / scale, size, slack, divides, op, 1.0):
                tried = middle
            else:
                failed = middle
        return (base + gap * (m + towards * tried)) / scale
    step: cython.double = max(2.0 * _DOUBLE * fabs(t), _LEAST)
    for _ in range(60):
        if holds_at(x, size, slack, divides, op, 2.0):
            return x
        x = t + towards * step
        step *= 2.0
    return x


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_roots(
    t: cython.double,
    size: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    divides: cython.bint,
    op: cython.int,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[:, ::1],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Add a root, or the values of the lattice next to it, where the comparison holds there; returns how many."""
    x: cython.double = t
    if scale <= 0.0:
        for _ in range(4):
            if holds_at(x, size, slack, divides, op, 1.0):
                return add_interval(out, at, n, x, x)
            slope: cython.double = 0.0
            for k in range(_SLOTS):
                if size[k] != 0.0 and k != _MIDDLE:
                    slope += size[k] * (k - _MIDDLE) * power_of(x, k - _MIDDLE - 1)
            if slope == 0.0 or not isfinite(slope):
                return n
            x -= sum_at(size, x) / slope
        return n
    m: cython.double = rint((t * scale - base) / gap)
    for i in range(-1, 2):
        x = (base + gap * (m + i)) / scale
        if holds_at(x, size, slack, divides, op, 1.0):
            n = add_interval(out, at, n, x, x)
    return n


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def solve_powers(
    size: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    divides: cython.bint,
    op: cython.int,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Intervals of x with ``Σ size[p] · x ** p op 0``; returns how many.

    size, slack (9,) REAL: coefficients of the powers −4 to 4, and the rounding of each, for x = 1 | divides: x = 0 is
    excluded | out (c, 2) REAL: at most 40 intervals are written from row ``at`` on
    """
    constant: cython.bint = True
    for k in range(_SLOTS):
        if not isfinite(size[k]):
            return 0
        constant = constant and (k == _MIDDLE or size[k] == 0.0)
    breaks = cython.declare(cython.double[16])
    n_breaks: cython.int = find_breaks(size, slack, divides, breaks)
    n: cython.Py_ssize_t = 0
    for i in range(n_breaks + 1):
        left: cython.double = breaks[i - 1] if i > 0 else -INFINITY
        right: cython.double = breaks[i] if i < n_breaks else INFINITY
        sample: cython.double = left / 2.0 + right / 2.0
        if i == 0:
            sample = 0.0 if n_breaks == 0 else right - max(1.0, fabs(right))
        elif i == n_breaks:
            sample = left + max(1.0, fabs(left))
        value: cython.double = sum_at(size, sample)
        side: cython.int = op
        inside: cython.bint = value < 0.0 if op in (_LT, _LE) else value > 0.0 if op in (_GT, _GE) else False
        if op == _NE:
            inside = value != 0.0
            side = _LT if value < 0.0 else _GT
        if constant:
            inside = holds_at(sample if sample != 0.0 or not divides else 1.0, size, slack, divides, op, 1.0)
        if inside:
            low: cython.double = first_inside(left, 1.0, size, slack, divides, side, base, gap, scale)
            high: cython.double = first_inside(right, -1.0, size, slack, divides, side, base, gap, scale)
            n = add_interval(out, at, n, low, high)
        if i < n_breaks and op in (_LE, _GE, _EQ):
            n = add_roots(right, size, slack, divides, op, base, gap, scale, out, at, n)
    return n


# Ranges of coefficients: what some of them allow


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_snapped(
    low: cython.double,
    high: cython.double,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[:, ::1],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Add an interval, a little wider, with its ends on the lattice if any."""
    if isfinite(low):
        low -= 1e-9 * fabs(low)
        if scale > 0.0:
            low = (base + gap * ceil((low * scale - base) / gap - 1e-6)) / scale
    if isfinite(high):
        high += 1e-9 * fabs(high)
        if scale > 0.0:
            high = (base + gap * floor((high * scale - base) / gap + 1e-6)) / scale
    return add_interval(out, at, n, low, high)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def signed_root(y: cython.double, p: cython.int) -> cython.double:
    """Real number whose odd power p is y."""
    if not isfinite(y) or p == 1:
        return y
    return pow(y, 1.0 / p) if y >= 0.0 else -pow(-y, 1.0 / p)


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def solve_power_range(
    low: cython.const[cython.double][::1],
    high: cython.const[cython.double][::1],
    slack: cython.const[cython.double][::1],
    op: cython.int,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Intervals that hold every x for which the comparison may hold with coefficients between low and high.

    Everything, unless x stands there with one power, whose coefficient has a sign.
    """
    used: cython.int = -1
    several: cython.bint = False
    for k in range(_SLOTS):
        if k != _MIDDLE and (low[k] != 0.0 or high[k] != 0.0):
            several = several or used >= 0
            used = k
    out[at, 0], out[at, 1] = -INFINITY, INFINITY
    if several or used < 0 or low[used] <= 0.0 <= high[used] or op == _NE:
        return 1
    p: cython.int = used - _MIDDLE
    rest_low: cython.double = low[_MIDDLE] - 2.0 * _ULPS * slack[_MIDDLE]
    rest_high: cython.double = high[_MIDDLE] + 2.0 * _ULPS * slack[_MIDDLE]
    less: cython.bint = op in (_LT, _LE, _EQ)
    more: cython.bint = op in (_GT, _GE, _EQ)
    if high[used] < 0.0:
        less, more = more, less
    # x ** p = y lies between −rest / coefficient at its extremes
    least: cython.double = INFINITY
    most: cython.double = -INFINITY
    for i in range(4):
        y: cython.double = -(rest_low if i % 2 == 0 else rest_high) / (low[used] if i < 2 else high[used])
        if isnan(y):
            return 1
        least, most = min(least, y), max(most, y)
    least = least - 1e-9 * fabs(least) if more else -INFINITY
    most = most + 1e-9 * fabs(most) if less else INFINITY
    if p < 0:
        if least <= 0.0 <= most:
            if p % 2 != 0 or not isfinite(most) or most <= 0.0:
                return 1
            least, most = 1.0 / most, INFINITY
        else:
            least, most = 1.0 / most if isfinite(most) else 0.0, 1.0 / least if isfinite(least) else 0.0
        p = -p
    if p % 2 == 1:
        return add_snapped(signed_root(least, p), signed_root(most, p), base, gap, scale, out, at, 0)
    if most < 0.0:
        return 0
    outer: cython.double = pow(most, 1.0 / p) if isfinite(most) else INFINITY
    inner: cython.double = pow(least, 1.0 / p) if least > 0.0 else 0.0
    if inner == 0.0:
        return add_snapped(-outer, outer, base, gap, scale, out, at, 0)
    n: cython.Py_ssize_t = add_snapped(-outer, -inner * (1.0 - 1e-9), base, gap, scale, out, at, 0)
    return add_snapped(inner * (1.0 - 1e-9), outer, base, gap, scale, out, at, n)
