"""Solve rules for one column, row by row: a small program and the other columns' values in, intervals out.

A program is a list of instructions in postfix order. Literals push a set of values of the free column, ``AND`` and
``OR`` join the topmost sets. A set is a sorted list of closed intervals and a flag for null. Other columns are known
(their value counts), or not drawn yet (then any value in their box may come, and a literal keeps what is possible).

A comparison is judged within the rounding of its terms, ``tolerance`` below, as the checks of finished rows do; it is
exact where all terms are whole numbers.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.powers import (
    multiply_ranges,
    power_of,
    range_of_power,
    solve_power_range,
    solve_powers,
)
from cython.cimports.libc.math import INFINITY, ceil, fabs, floor, isfinite, isnan, rint

from janus_synth.kernels.dtypes import DOUBLE, REAL, ULPS, UNKNOWN
from janus_synth.kernels.views import (
    AND,
    EQ,
    GE,
    GT,
    LE,
    LINEAR,
    LT,
    MEMBER,
    MIDDLE,
    NE,
    OR,
    PRODUCTS,
    SLOTS,
    TABLE,
    Ground,
    Program,
)

__all__ = [
    "AND",
    "DOUBLE",
    "EQ",
    "GE",
    "GT",
    "LE",
    "LINEAR",
    "LT",
    "MEMBER",
    "NE",
    "OR",
    "PRODUCTS",
    "TABLE",
    "ULPS",
    "Ground",
    "Program",
    "contains",
    "cut_point",
    "insert_point",
    "intersect",
    "is_multiple",
    "is_same",
    "solve_linear",
    "solve_rows",
    "unite",
]

# The constants of Python as constants of C.
_UNKNOWN = cython.declare(cython.int, UNKNOWN)
_ULPS = cython.declare(cython.double, ULPS)
_DOUBLE = cython.declare(cython.double, DOUBLE)
cython.declare(_LINEAR=cython.int, _MEMBER=cython.int, _AND=cython.int, _OR=cython.int, _PRODUCTS=cython.int)
_LINEAR, _MEMBER, _AND, _OR, _PRODUCTS = LINEAR, MEMBER, AND, OR, PRODUCTS
cython.declare(_LT=cython.int, _LE=cython.int, _GT=cython.int, _GE=cython.int, _EQ=cython.int, _NE=cython.int)
_LT, _LE, _GT, _GE, _EQ, _NE = LT, LE, GT, GE, EQ, NE
cython.declare(_SLOTS=cython.int, _MIDDLE=cython.int)
_SLOTS, _MIDDLE = SLOTS, MIDDLE
_LEAST = cython.declare(cython.double, 2.0**-126)  # smallest step away from 0 that single precision keeps


# Comparisons


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def compares(
    gap: cython.double, slack: cython.double, whole: cython.bint, op: cython.int, strictness: cython.double
) -> cython.bint:
    """Judge ``gap op 0`` within the rounding of its terms; ``strictness`` widens the tolerance of <, > and !=."""
    tolerance: cython.double = 0.0 if whole else _ULPS * slack
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def holds_at(
    x: cython.double,
    a: cython.double,
    rest: cython.double,
    rest_slack: cython.double,
    rest_whole: cython.bint,
    op: cython.int,
    precision: cython.double,
    strictness: cython.double,
) -> cython.bint:
    """Judge ``a · x + rest op 0``."""
    product: cython.double = a * x
    whole: cython.bint = rest_whole and product == rint(product)
    return compares(product + rest, rest_slack + precision * fabs(product), whole, op, strictness)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def outermost(
    t: cython.double,
    towards: cython.double,
    a: cython.double,
    rest: cython.double,
    rest_slack: cython.double,
    rest_whole: cython.bint,
    op: cython.int,
    precision: cython.double,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
) -> cython.double:
    """Outermost x at ``t`` or a little inside (``towards`` = ±1) where the comparison holds, on the lattice if any."""
    if not isfinite(t):
        return t
    x: cython.double
    slack: cython.double = (rest_slack + precision * fabs(a * t)) / fabs(a)
    if scale > 0.0:
        m: cython.double = rint((t * scale - base) / gap) - towards
        for attempt in range(12):
            x = (base + gap * m) / scale
            if holds_at(x, a, rest, rest_slack, rest_whole, op, precision, 1.0):
                return x
            m += towards
            if attempt == 5:  # the tolerance is wider than the lattice: go on from its end
                m += towards * max(0.0, floor(_ULPS * slack * scale / gap) - 6.0)
        return (base + gap * m) / scale
    x = t
    step: cython.double = max(slack, 2.0 * _DOUBLE * fabs(t), _LEAST)
    for _ in range(60):
        if holds_at(x, a, rest, rest_slack, rest_whole, op, precision, 2.0):
            return x
        x = t + towards * step
        step *= 2.0
    return x


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def solve_linear(
    a: cython.double,
    low: cython.double,
    high: cython.double,
    slack: cython.double,
    whole: cython.bint,
    op: cython.int,
    precision: cython.double,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Intervals of x with ``a · x + r op 0`` for the r, or for some r in [low, high]; returns how many.

    out (c, 2) REAL: intervals are written from row ``at`` on
    """
    less: cython.bint = op in (_LT, _LE)
    more: cython.bint = op in (_GT, _GE)
    upwards: cython.bint = a > 0
    m: cython.double
    x: cython.double
    if low != high:
        if op == _NE:
            out[at, 0], out[at, 1] = -INFINITY, INFINITY
            return 1
        tolerance: cython.double = _ULPS * slack
        upper: cython.double = INFINITY if more else -low + tolerance + _ULPS * precision * fabs(low)
        lower: cython.double = -INFINITY if less else -high - tolerance - _ULPS * precision * fabs(high)
        first: cython.double = lower / a
        second: cython.double = upper / a
        out[at, 0], out[at, 1] = min(first, second), max(first, second)
        if scale > 0.0:
            if isfinite(out[at, 0]):
                m = ceil((out[at, 0] * scale - base) / gap - 1e-6)
                out[at, 0] = (base + gap * m) / scale
            if isfinite(out[at, 1]):
                m = floor((out[at, 1] * scale - base) / gap + 1e-6)
                out[at, 1] = (base + gap * m) / scale
        return 1 if out[at, 0] <= out[at, 1] else 0
    t: cython.double = -low / a
    if op == _EQ:
        if scale <= 0.0:
            out[at, 0], out[at, 1] = t, t
            return 1
        m = rint((t * scale - base) / gap)
        for i in range(3):  # the nearest value of the lattice, the one below it, the one above it
            x = (base + gap * (m + (0.0 if i == 0 else 2.0 * i - 3.0))) / scale
            if holds_at(x, a, low, slack, whole, _EQ, precision, 1.0):
                out[at, 0], out[at, 1] = x, x
                return 1
        return 0
    n: cython.Py_ssize_t = 0
    side: cython.int = op
    if op == _NE or less == upwards:
        if op == _NE:  # of a value to be missed, only one side at a time
            side = _LT if upwards else _GT
        out[at, 0] = -INFINITY
        out[at, 1] = outermost(t, -1.0, a, low, slack, whole, side, precision, base, gap, scale)
        n += 1
    if op == _NE or more == upwards:
        if op == _NE:
            side = _GT if upwards else _LT
        out[at + n, 0] = outermost(t, 1.0, a, low, slack, whole, side, precision, base, gap, scale)
        out[at + n, 1] = INFINITY
        n += 1
    return n


# Sorted lists of intervals, all in one buffer (c, 2) REAL


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_reaching(
    buffer: cython.double[:, ::1],
    start: cython.Py_ssize_t,
    lo: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    value: cython.double,
) -> cython.Py_ssize_t:
    """First of the intervals ``lo`` to ``n`` that ends at a value or above it: steps that double, then bisection."""
    step: cython.Py_ssize_t = 1
    hi: cython.Py_ssize_t = lo
    while hi < n and buffer[start + hi, 1] < value:
        lo = hi + 1
        hi += step
        step *= 2
    hi = min(hi, n)
    while lo < hi:
        middle: cython.Py_ssize_t = (lo + hi) >> 1
        if buffer[start + middle, 1] < value:
            lo = middle + 1
        else:
            hi = middle
    return lo


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def intersect(
    buffer: cython.double[:, ::1],
    first: cython.Py_ssize_t,
    n_first: cython.Py_ssize_t,
    second: cython.Py_ssize_t,
    n_second: cython.Py_ssize_t,
    out: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the intersection of the lists at rows ``first`` and ``second`` at row ``out``; returns its length."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    while i < n_first and j < n_second:
        if buffer[first + i, 1] < buffer[second + j, 0]:  # one list may be thousands of times longer than the other
            i = first_reaching(buffer, first, i + 1, n_first, buffer[second + j, 0])
            continue
        if buffer[second + j, 1] < buffer[first + i, 0]:
            j = first_reaching(buffer, second, j + 1, n_second, buffer[first + i, 0])
            continue
        low: cython.double = max(buffer[first + i, 0], buffer[second + j, 0])
        high: cython.double = min(buffer[first + i, 1], buffer[second + j, 1])
        if low <= high:
            buffer[out + n, 0], buffer[out + n, 1] = low, high
            n += 1
        if buffer[first + i, 1] <= buffer[second + j, 1]:
            i += 1
        else:
            j += 1
    return n


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def unite(
    buffer: cython.double[:, ::1],
    first: cython.Py_ssize_t,
    n_first: cython.Py_ssize_t,
    second: cython.Py_ssize_t,
    n_second: cython.Py_ssize_t,
    out: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the union of the lists at rows ``first`` and ``second`` at row ``out``; returns its length."""
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    low: cython.double
    high: cython.double
    while i < n_first or j < n_second:
        if j >= n_second or (i < n_first and buffer[first + i, 0] <= buffer[second + j, 0]):
            low, high = buffer[first + i, 0], buffer[first + i, 1]
            i += 1
        else:
            low, high = buffer[second + j, 0], buffer[second + j, 1]
            j += 1
        if n > 0 and low <= buffer[out + n - 1, 1]:
            buffer[out + n - 1, 1] = max(buffer[out + n - 1, 1], high)
        else:
            buffer[out + n, 0], buffer[out + n, 1] = low, high
            n += 1
    return n


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def contains(
    sets: cython.const[cython.double][:, ::1],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    value: cython.double,
    precision: cython.double,
) -> cython.bint:
    """Whether a sorted list of intervals holds a value, within its rounding."""
    tolerance: cython.double = 0.0 if value == rint(value) else 2.0 * _ULPS * precision * fabs(value)
    lo: cython.Py_ssize_t = start
    hi: cython.Py_ssize_t = stop
    while lo < hi:
        middle: cython.Py_ssize_t = (lo + hi) >> 1
        if sets[middle, 1] < value - tolerance:
            lo = middle + 1
        else:
            hi = middle
    return lo < stop and sets[lo, 0] <= value + tolerance


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def insert_point(
    buffer: cython.double[:, ::1], top: cython.Py_ssize_t, n: cython.Py_ssize_t, cell: cython.double
) -> cython.Py_ssize_t:
    """Add a point to a sorted list of points; returns its new length."""
    p: cython.Py_ssize_t = n
    while p > 0 and buffer[top + p - 1, 0] > cell:
        p -= 1
    if p > 0 and buffer[top + p - 1, 0] == cell:
        return n
    for i in range(n, p, -1):
        buffer[top + i, 0], buffer[top + i, 1] = buffer[top + i - 1, 0], buffer[top + i - 1, 1]
    buffer[top + p, 0], buffer[top + p, 1] = cell, cell
    return n + 1


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def is_multiple(value: cython.double, step: cython.double, precision: cython.double) -> cython.bint:
    """Whether a value is a whole multiple of a step, within its rounding; whole numbers exactly."""
    near: cython.double = step * rint(value / step)
    if value == rint(value) and near == rint(near):
        return value == near
    return fabs(value - near) <= _ULPS * precision * (fabs(value) + fabs(near))


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def is_same(cell: cython.double, value: cython.double, precision: cython.double) -> cython.bint:
    """Whether two values are one as they are stored: equal in single precision, or but for rounding in double."""
    if cell == value or (isnan(cell) and isnan(value)):
        return True
    if precision > _DOUBLE:
        return cython.cast(cython.float, cell) == cython.cast(cython.float, value)
    if cell == rint(cell) and value == rint(value):
        return False
    return fabs(cell - value) <= _ULPS * precision * (fabs(cell) + fabs(value))


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def cut_point(
    buffer: cython.double[:, ::1],
    top: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    cell: cython.double,
    precision: cython.double,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
) -> cython.Py_ssize_t:
    """Take a point, and what is stored as the same value, out of a sorted list of intervals; returns its new length.

    On a lattice, the intervals end at the neighbours of the point.
    """
    margin: cython.double = max(4.0 * _ULPS * precision * fabs(cell), _LEAST)
    before: cython.double = cell - margin
    after: cython.double = cell + margin
    if scale > 0.0:
        m: cython.double = rint((cell * scale - base) / gap)
        if (base + gap * m) / scale != cell:
            return n
        before, after = (base + gap * (m - 1.0)) / scale, (base + gap * (m + 1.0)) / scale
    for p in range(n - 1, -1, -1):  # tables are sorted, so that most points lie in the last interval
        if buffer[top + p, 0] <= cell and cell <= buffer[top + p, 1]:
            for i in range(n, p + 1, -1):
                buffer[top + i, 0], buffer[top + i, 1] = buffer[top + i - 1, 0], buffer[top + i - 1, 1]
            buffer[top + p + 1, 0], buffer[top + p + 1, 1] = after, buffer[top + p, 1]
            buffer[top + p, 1] = before
            return n + 1
    return n


# Programs


@cython.final
@cython.cclass
class Solver:
    """A program, the rows, and a stack of sets: frame f has ``n[f]`` intervals in the buffer, from row ``at[f]`` on.

    Fixed sets stand behind the stack in the buffer from the beginning, so that none is copied row by row; ``home[f]``
    is where the frame's place on the stack begins.
    """

    free: cython.int
    code: cython.const[cython.int][:, ::1]
    term_column: cython.const[cython.int][::1]
    term_size: cython.const[cython.double][::1]
    product_size: cython.const[cython.double][::1]
    factor_start: cython.const[cython.int][::1]
    factor_column: cython.const[cython.int][::1]
    factor_power: cython.const[cython.int][::1]
    numbers: cython.const[cython.double][::1]
    sets: cython.const[cython.double][:, ::1]
    set_start: cython.const[cython.int][::1]
    set_null: cython.const[cython.int][::1]
    cells: cython.const[cython.double][::1]
    cell_start: cython.const[cython.int][::1]
    table_column: cython.const[cython.int][::1]
    table_start: cython.const[cython.int][::1]
    box: cython.const[cython.double][:, ::1]
    precision: cython.const[cython.double][::1]
    x: cython.const[cython.ushort][:, :]
    values: cython.const[cython.double][:, :]
    base: cython.double
    """Lattice of the free column."""
    gap: cython.double
    scale: cython.double
    buffer: cython.double[:, ::1]
    fixed: cython.Py_ssize_t
    """Row of the buffer where the fixed sets begin."""
    pushed_at: cython.Py_ssize_t
    """Where the set pushed last begins."""
    at: cython.longlong[::1]
    home: cython.longlong[::1]
    n: cython.longlong[::1]
    null: cython.uchar[::1]
    pushed_null: cython.bint
    """Whether the set pushed last holds null."""
    low: cython.double[::1]
    """Coefficients of the free column's powers in a sum of products: smallest and largest possible, and rounding."""
    high: cython.double[::1]
    slack: cython.double[::1]
    range: cython.double[::1]
    power: cython.double[::1]

    def __init__(self, program, ground, x, values):
        (
            self.free, self.code, self.term_column, self.term_size, self.product_size, self.factor_start,
            self.factor_column, self.factor_power, self.numbers, self.sets, self.set_start, self.set_null,
            self.cells, self.cell_start, self.table_column, self.table_start, capacity,
        ) = program  # fmt: skip
        self.box, self.precision, lattice = ground
        self.base, self.gap, self.scale = lattice[self.free]
        self.x, self.values = x, values
        n_frames = self.code.shape[0] + 1
        self.fixed = 2 * capacity + 4
        self.buffer = np.empty((self.fixed + self.sets.shape[0], 2), REAL)
        self.buffer[self.fixed :, :] = self.sets
        self.at, self.home = np.zeros(n_frames, np.int64), np.zeros(n_frames, np.int64)
        self.n = np.zeros(n_frames, np.int64)
        self.null = np.zeros(n_frames, np.uint8)
        self.low, self.high, self.slack = np.zeros(_SLOTS, REAL), np.zeros(_SLOTS, REAL), np.zeros(_SLOTS, REAL)
        self.range, self.power = np.zeros(2, REAL), np.zeros(2, REAL)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_constant(self, top: cython.Py_ssize_t, holds: cython.bint) -> cython.Py_ssize_t:
        """Push all values or none, as a literal without the free column does; returns how many intervals."""
        self.pushed_null = holds
        if not holds:
            return 0
        self.buffer[top, 0], self.buffer[top, 1] = -INFINITY, INFINITY
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_linear(self, s: cython.Py_ssize_t, r: cython.Py_ssize_t, top: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Push what a linear comparison leaves; returns how many intervals."""
        op: cython.int = self.code[s, 3]
        bound: cython.double = self.numbers[self.code[s, 4]]
        low: cython.double = -bound
        high: cython.double = -bound
        slack: cython.double = _DOUBLE * fabs(bound)
        whole: cython.bint = bound == rint(bound)
        size: cython.double = 0.0
        about_free: cython.bint = False
        for t in range(self.code[s, 1], self.code[s, 2]):
            column: cython.Py_ssize_t = self.term_column[t]
            a: cython.double = self.term_size[t]
            if column == self.free:
                size += a
                about_free = True
            elif self.x[column, r] == _UNKNOWN:
                one: cython.double = a * self.box[column, 0]
                other: cython.double = a * self.box[column, 1]
                low += min(one, other)
                high += max(one, other)
                slack += self.precision[column] * max(fabs(one), fabs(other))
                whole = whole and one == other and one == rint(one)
            elif isnan(self.values[column, r]):
                return self.push_constant(top, False)
            else:
                product: cython.double = a * self.values[column, r]
                low += product
                high += product
                slack += self.precision[column] * fabs(product)
                whole = whole and product == rint(product)
        if about_free:
            self.pushed_null = False
            return solve_linear(
                size, low, high, slack, whole, op, self.precision[self.free], self.base, self.gap, self.scale,
                self.buffer, top,
            )  # fmt: skip
        if low == high:
            return self.push_constant(top, compares(low, slack, whole, op, 1.0))
        tolerance: cython.double = _ULPS * slack
        may_be_low: cython.bint = low <= tolerance or op in (_GT, _GE, _NE)
        may_be_high: cython.bint = high >= -tolerance or op in (_LT, _LE, _NE)
        return self.push_constant(top, may_be_low and may_be_high)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_product(self, q: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.int:
        """Add a product to the coefficients of the free column's powers; returns that power, or 99 if undefined.

        It is undefined where a factor is null, or a divisor 0.
        """
        above: cython.double = self.product_size[q]
        below: cython.double = 1.0
        precision: cython.double = 0.0
        power: cython.int = 0
        known: cython.bint = True
        self.range[0] = self.range[1] = 1.0
        for f in range(self.factor_start[q], self.factor_start[q + 1]):
            column: cython.Py_ssize_t = self.factor_column[f]
            p: cython.int = self.factor_power[f]
            precision += (p if p > 0 else -p) * self.precision[column]
            if column == self.free:
                power = p
            elif self.x[column, r] == _UNKNOWN:
                known = False
                range_of_power(self.box[column, 0], self.box[column, 1], p, self.power)
                multiply_ranges(self.range, self.power[0], self.power[1])
            else:
                value: cython.double = self.values[column, r]
                if isnan(value) or (p < 0 and value == 0.0):
                    return 99
                if p > 0:
                    above *= power_of(value, p)
                else:
                    below *= power_of(value, -p)
        size: cython.double = above / below
        one: cython.double = size
        other: cython.double = size
        if not known:
            multiply_ranges(self.range, size, size)
            one, other = self.range[0], self.range[1]
        self.low[_MIDDLE + power] += one
        self.high[_MIDDLE + power] += other
        self.slack[_MIDDLE + power] += precision * max(fabs(one), fabs(other))
        return power

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_products(self, s: cython.Py_ssize_t, r: cython.Py_ssize_t, top: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Push what a comparison with products of columns leaves; returns how many intervals."""
        op: cython.int = self.code[s, 3]
        bound: cython.double = self.numbers[self.code[s, 4]]
        for k in range(_SLOTS):
            self.low[k] = self.high[k] = self.slack[k] = 0.0
        self.low[_MIDDLE] = self.high[_MIDDLE] = -bound
        self.slack[_MIDDLE] = _DOUBLE * fabs(bound)
        about_free: cython.bint = False
        divides: cython.bint = False
        for q in range(self.code[s, 1], self.code[s, 2]):
            power: cython.int = self.add_product(q, r)
            if power == 99:
                return self.push_constant(top, False)
            about_free = about_free or power != 0
            divides = divides or power < 0
        known: cython.bint = True
        for k in range(_SLOTS):
            known = known and self.low[k] == self.high[k]
        if about_free:
            self.pushed_null = False
            if known:
                return solve_powers(
                    self.low, self.slack, divides, op, self.base, self.gap, self.scale, self.buffer, top
                )
            return solve_power_range(
                self.low, self.high, self.slack, op, self.base, self.gap, self.scale, self.buffer, top
            )
        low: cython.double = self.low[_MIDDLE]
        high: cython.double = self.high[_MIDDLE]
        if known:
            return self.push_constant(
                top, isfinite(low) and compares(low, self.slack[_MIDDLE], low == rint(low), op, 1.0)
            )
        tolerance: cython.double = 2.0 * _ULPS * self.slack[_MIDDLE]
        may_be_low: cython.bint = not low > tolerance or op in (_GT, _GE, _NE)
        may_be_high: cython.bint = not high < -tolerance or op in (_LT, _LE, _NE)
        return self.push_constant(top, may_be_low and may_be_high)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_member(self, s: cython.Py_ssize_t, r: cython.Py_ssize_t, top: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Push a fixed set; returns how many intervals."""
        column: cython.Py_ssize_t = self.code[s, 3]
        which: cython.Py_ssize_t = self.code[s, 4]
        first: cython.Py_ssize_t = self.set_start[which]
        stop: cython.Py_ssize_t = self.set_start[which + 1]
        null: cython.bint = self.set_null[which] == 1
        if column == self.free:
            self.pushed_at = self.fixed + first
            self.pushed_null = null
            return stop - first
        multiple: cython.int = self.code[s, 1]  # 1 for multiples of a step, 2 for all other values
        if self.x[column, r] == _UNKNOWN:
            return self.push_constant(top, null or stop > first or multiple > 0)
        if isnan(self.values[column, r]):
            return self.push_constant(top, null)
        if multiple > 0:
            value: cython.double = self.values[column, r]
            found: cython.bint = is_multiple(value, self.numbers[self.code[s, 2]], self.precision[column])
            return self.push_constant(top, found == (multiple == 1))
        return self.push_constant(top, contains(self.sets, first, stop, self.values[column, r], self.precision[column]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fits(
        self,
        q: cython.Py_ssize_t,
        first: cython.Py_ssize_t,
        width: cython.Py_ssize_t,
        position: cython.Py_ssize_t,
        r: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether the combination at cell q agrees with all values of the row that are known."""
        for c in range(width):
            column: cython.Py_ssize_t = self.table_column[first + c]
            if c == position or self.x[column, r] == _UNKNOWN:
                continue
            if not is_same(self.cells[q + c], self.values[column, r], self.precision[column]):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push_table(self, s: cython.Py_ssize_t, r: cython.Py_ssize_t, top: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Push the values whose combination is listed, or is not; returns how many intervals."""
        which: cython.Py_ssize_t = self.code[s, 1]
        negated: cython.bint = self.code[s, 2] == 1
        first: cython.Py_ssize_t = self.table_start[which]
        width: cython.Py_ssize_t = self.table_start[which + 1] - first
        position: cython.Py_ssize_t = -1  # of the free column
        known: cython.bint = True
        for c in range(width):
            column: cython.Py_ssize_t = self.table_column[first + c]
            if column == self.free:
                position = c
            elif self.x[column, r] == _UNKNOWN:
                known = False
        matched: cython.bint = False
        null: cython.bint = False
        n: cython.Py_ssize_t = 0
        if position >= 0 and negated:
            n = self.push_constant(top, True)
            null = True
        q: cython.Py_ssize_t = self.cell_start[which]
        while q + width <= self.cell_start[which + 1]:
            if self.fits(q, first, width, position, r):
                matched = True
                if position < 0:
                    break
                cell: cython.double = self.cells[q + position]
                if not negated:
                    if isnan(cell):
                        null = True
                    else:
                        n = insert_point(self.buffer, top, n, cell)
                elif known:
                    if isnan(cell):
                        null = False
                    else:
                        n = cut_point(
                            self.buffer, top, n, cell, self.precision[self.free], self.base, self.gap, self.scale
                        )
            q += width
        if position < 0:
            return self.push_constant(top, (not matched or not known) if negated else matched)
        self.pushed_null = null
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_neutral(self, f: cython.Py_ssize_t, both: cython.bint) -> cython.bint:
        """Whether joining a frame's set leaves the other one as it is: all values for AND, none for OR."""
        if not both:
            return self.n[f] == 0
        i: cython.Py_ssize_t = self.at[f]
        return self.n[f] == 1 and self.buffer[i, 0] == -INFINITY and self.buffer[i, 1] == INFINITY

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def join(
        self, a: cython.Py_ssize_t, b: cython.Py_ssize_t, top: cython.Py_ssize_t, both: cython.bint
    ) -> cython.Py_ssize_t:
        """Join two frames into the first one; returns the new top of the stack.

        Most literals are about other columns and hold or not; then nothing is merged, and fixed sets, which may have
        thousands of intervals, are not copied.
        """
        self.null[a] = (self.null[a] and self.null[b]) if both else (self.null[a] or self.null[b])
        if self.is_neutral(b, both):
            return self.home[a] + (self.n[a] if self.at[a] < self.fixed else 0)
        source: cython.Py_ssize_t = self.at[b]
        n: cython.Py_ssize_t = self.n[b]
        if not both and (self.is_neutral(a, True) or self.is_neutral(b, True)):  # all values, whatever the other has
            source, n = self.at[a if self.is_neutral(a, True) else b], 1
        elif self.is_neutral(a, both):
            if source >= self.fixed:
                self.at[a], self.n[a] = source, n
                return self.home[a]
        elif both:
            n = intersect(self.buffer, self.at[a], self.n[a], source, n, top)
            source = top
        else:
            n = unite(self.buffer, self.at[a], self.n[a], source, n, top)
            source = top
        for i in range(n):
            self.buffer[self.home[a] + i, 0] = self.buffer[source + i, 0]
            self.buffer[self.home[a] + i, 1] = self.buffer[source + i, 1]
        self.at[a], self.n[a] = self.home[a], n
        return self.home[a] + n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def solve_row(self, r: cython.Py_ssize_t) -> cython.void:
        """Leave the free column's set for one row at the bottom of the buffer and in frame 0."""
        depth: cython.Py_ssize_t = 0
        top: cython.Py_ssize_t = 0
        for s in range(self.code.shape[0]):
            kind: cython.int = self.code[s, 0]
            if kind in (_AND, _OR):
                depth -= 1
                top = self.join(depth - 1, depth, top, kind == _AND)
                continue
            self.pushed_at = top
            if kind == _LINEAR:
                n = self.push_linear(s, r, top)
            elif kind == _MEMBER:
                n = self.push_member(s, r, top)
            elif kind == _PRODUCTS:
                n = self.push_products(s, r, top)
            else:
                n = self.push_table(s, r, top)
            self.home[depth], self.at[depth], self.n[depth], self.null[depth] = top, self.pushed_at, n, self.pushed_null
            depth += 1
            if self.pushed_at < self.fixed:
                top += n


def solve_rows(program, ground, x: cython.const[cython.ushort][:, :], values: cython.const[cython.double][:, :]):
    """Values of the free column that every row's other columns leave.

    x (d, n) CODE, ``UNKNOWN`` where a column is still to come | values (d, n) REAL, NaN for null
    returns start (n+1,) int64 into intervals (m, 2) REAL, and null (n,) uint8
    """
    solver = Solver(program, ground, x, values)
    n_rows: cython.Py_ssize_t = x.shape[1]
    start, null = np.zeros(n_rows + 1, np.int64), np.zeros(n_rows, np.uint8)
    found = np.empty((max(4, 2 * n_rows), 2), REAL)
    starts: cython.longlong[::1] = start
    nulls: cython.uchar[::1] = null
    intervals: cython.double[:, ::1] = found
    used: cython.Py_ssize_t = 0
    with cython.nogil:
        for r in range(n_rows):
            solver.solve_row(r)
            if used + solver.n[0] > intervals.shape[0]:
                with cython.gil:
                    longer = np.empty((2 * intervals.shape[0] + solver.n[0], 2), REAL)
                    longer[:used] = found[:used]
                    found = intervals = longer
            for i in range(solver.n[0]):
                k = solver.at[0] + i
                if solver.buffer[k, 0] <= solver.buffer[k, 1]:
                    intervals[used, 0], intervals[used, 1] = solver.buffer[k, 0], solver.buffer[k, 1]
                    used += 1
            nulls[r] = solver.null[0]
            starts[r + 1] = used
    return start, found[:used].copy(), null
