"""Solve rules for one column, row by row: a small program and the other columns' values in, intervals out.

A program is a list of instructions in postfix order. Literals push a set of values of the free column, ``AND`` and
``OR`` join the topmost sets. A set is a sorted list of closed intervals and a flag for null. Other columns are known
(their value counts), or still unknown (then any value in their box may come, and a literal keeps what is possible).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from janus_synth.kernels.dtypes import REAL, UNKNOWN

LINEAR, MEMBER, TABLE, AND, OR = 0, 1, 2, 3, 4
LT, LE, GT, GE, EQ, NE = 0, 1, 2, 3, 4, 5
ULPS = 4.0  # the tolerance of the judge
DOUBLE = 2.0**-52
LEAST = 2.0**-126  # smallest step away from 0 that storage in single precision keeps


class Ground(NamedTuple):
    """What solving must know of the columns."""

    box: NDArray[np.float64]
    """(d, 2) smallest and largest value of each column."""
    precision: NDArray[np.float64]
    """(d,) relative rounding of a stored value."""
    lattice: NDArray[np.float64]
    """(d, 3) base, gap and scale of the values; scale 0 where there is no lattice."""


class Program(NamedTuple):
    """Rules about the free column, compiled."""

    free: int
    code: NDArray[np.int32]
    """(p, 5) instructions: LINEAR first term, stop, comparison, number | MEMBER 0, 0, column, set | TABLE table,
    negated, 0, 0 | AND | OR"""
    term_column: NDArray[np.int32]
    term_size: NDArray[np.float64]
    numbers: NDArray[np.float64]
    sets: NDArray[np.float64]
    """(s, 2) intervals of all sets."""
    set_start: NDArray[np.int32]
    set_null: NDArray[np.int32]
    cells: NDArray[np.float64]
    """Tables of combinations, row by row; NaN is null."""
    cell_start: NDArray[np.int32]
    table_column: NDArray[np.int32]
    table_start: NDArray[np.int32]
    """Where each table's columns begin."""
    capacity: int
    """Intervals that all literals together may push."""


@njit(cache=True, nogil=True)
def compares(gap, slack, whole, op, strictness):
    """Judge ``gap op 0`` within the rounding of its terms; ``strictness`` widens the berth of <, > and !=."""
    berth = 0.0 if whole else ULPS * slack
    if op == LT:
        return gap < -strictness * berth
    if op == LE:
        return gap <= berth
    if op == GT:
        return gap > strictness * berth
    if op == GE:
        return gap >= -berth
    if op == EQ:
        return abs(gap) <= berth
    return abs(gap) > strictness * berth


@njit(cache=True, nogil=True)
def holds_at(x, a, rest, rest_slack, rest_whole, op, precision, strictness):
    """Judge ``a · x + rest op 0``."""
    product = a * x
    whole = rest_whole and product == np.rint(product)
    return compares(product + rest, rest_slack + precision * abs(product), whole, op, strictness)


@njit(cache=True, nogil=True)
def bound_of(t, towards, a, rest, rest_slack, rest_whole, op, precision, base, gap, scale):
    """Outermost x at ``t`` or a little inside (``towards`` = ±1) where the comparison holds, on the lattice if any."""
    if not np.isfinite(t):
        return t
    slack = (rest_slack + precision * abs(a * t)) / abs(a)
    if scale > 0.0:
        m = np.rint((t * scale - base) / gap) - towards
        for attempt in range(12):
            x = (base + gap * m) / scale
            if holds_at(x, a, rest, rest_slack, rest_whole, op, precision, 1.0):
                return x
            m += towards
            if attempt == 5:  # the tolerance is wider than the lattice: go on from its end
                m += towards * max(0.0, np.floor(ULPS * slack * scale / gap) - 6.0)
        return (base + gap * m) / scale
    x = t
    step = max(slack, 2.0 * DOUBLE * abs(t), LEAST)
    for _ in range(60):
        if holds_at(x, a, rest, rest_slack, rest_whole, op, precision, 2.0):
            return x
        x = t + towards * step
        step *= 2.0
    return x


@njit(cache=True, nogil=True)
def solve_linear(a, low, high, slack, whole, op, precision, base, gap, scale, out, at):
    """Intervals of x with ``a · x + r op 0`` for the r, or for some r in [low, high]; returns how many.

    out (c, 2) REAL: intervals are written from row ``at`` on
    """
    if low != high:
        berth = ULPS * slack
        if op == NE:
            out[at, 0], out[at, 1] = -np.inf, np.inf
            return 1
        upper = np.inf if op in (GT, GE) else -low + berth + ULPS * precision * abs(low)
        lower = -np.inf if op in (LT, LE) else -high - berth - ULPS * precision * abs(high)
        first, second = lower / a, upper / a
        out[at, 0], out[at, 1] = min(first, second), max(first, second)
        if scale > 0.0:
            for side in range(2):
                inward = 1.0 - 2.0 * side
                x = out[at, side]
                if np.isfinite(x):
                    m = (x * scale - base) / gap
                    m = np.ceil(m - 1e-6) if inward > 0 else np.floor(m + 1e-6)
                    out[at, side] = (base + gap * m) / scale
        return 1 if out[at, 0] <= out[at, 1] else 0
    t = -low / a
    if op == EQ:
        if scale > 0.0:
            m = np.rint((t * scale - base) / gap)
            for step in (0.0, -1.0, 1.0):
                x = (base + gap * (m + step)) / scale
                if holds_at(x, a, low, slack, whole, EQ, precision, 1.0):
                    out[at, 0], out[at, 1] = x, x
                    return 1
            return 0
        out[at, 0], out[at, 1] = t, t
        return 1
    n = 0
    below = op == NE or (op in (LT, LE)) == (a > 0)
    above = op == NE or (op in (GT, GE)) == (a > 0)
    if below:  # of a value to be missed, only one side at a time
        side = (LT if a > 0 else GT) if op == NE else op
        out[at, 0] = -np.inf
        out[at, 1] = bound_of(t, -1.0, a, low, slack, whole, side, precision, base, gap, scale)
        n += 1
    if above:
        side = (GT if a > 0 else LT) if op == NE else op
        out[at + n, 0] = bound_of(t, 1.0, a, low, slack, whole, side, precision, base, gap, scale)
        out[at + n, 1] = np.inf
        n += 1
    return n


@njit(cache=True, nogil=True)
def intersect(buffer, first, n_first, second, n_second, out):
    """Write the intersection of two sorted lists at row ``out``; returns its length."""
    i, j, n = 0, 0, 0
    while i < n_first and j < n_second:
        low = max(buffer[first + i, 0], buffer[second + j, 0])
        high = min(buffer[first + i, 1], buffer[second + j, 1])
        if low <= high:
            buffer[out + n, 0], buffer[out + n, 1] = low, high
            n += 1
        if buffer[first + i, 1] <= buffer[second + j, 1]:
            i += 1
        else:
            j += 1
    return n


@njit(cache=True, nogil=True)
def unite(buffer, first, n_first, second, n_second, out):
    """Write the union of two sorted lists at row ``out``; returns its length."""
    i, j, n = 0, 0, 0
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


@njit(cache=True, nogil=True)
def contains(sets, start, stop, value, precision):
    """Whether a sorted list of intervals holds a value, within its rounding."""
    berth = 0.0 if value == np.rint(value) else 2.0 * ULPS * precision * abs(value)
    lo, hi = start, stop
    while lo < hi:
        middle = (lo + hi) // 2
        if sets[middle, 1] < value - berth:
            lo = middle + 1
        else:
            hi = middle
    return lo < stop and sets[lo, 0] <= value + berth


@njit(cache=True, nogil=True)
def push_linear(program, ground, s, x, values, r, buffer, top):
    """Push what a linear comparison leaves; returns (about the free column, how many, holds)."""
    free = program.free
    first, stop, op = program.code[s, 1], program.code[s, 2], program.code[s, 3]
    bound = program.numbers[program.code[s, 4]]
    low, high, slack, whole, size = -bound, -bound, DOUBLE * abs(bound), bound == np.rint(bound), 0.0
    about_free = False
    for t in range(first, stop):
        column, a = program.term_column[t], program.term_size[t]
        if column == free:
            size += a
            about_free = True
        elif x[column, r] == UNKNOWN:
            one, other = a * ground.box[column, 0], a * ground.box[column, 1]
            low += min(one, other)
            high += max(one, other)
            slack += ground.precision[column] * max(abs(one), abs(other))
            whole = whole and one == other and one == np.rint(one)
        elif np.isnan(values[column, r]):
            return False, 0, False
        else:
            product = a * values[column, r]
            low += product
            high += product
            slack += ground.precision[column] * abs(product)
            whole = whole and product == np.rint(product)
    if about_free:
        base, gap, scale = ground.lattice[free, 0], ground.lattice[free, 1], ground.lattice[free, 2]
        n = solve_linear(size, low, high, slack, whole, op, ground.precision[free], base, gap, scale, buffer, top)
        return True, n, False
    if low == high:
        return False, 0, compares(low, slack, whole, op, 1.0)
    berth = ULPS * slack
    may_be_low = low <= berth or op in (GT, GE, NE)
    may_be_high = high >= -berth or op in (LT, LE, NE)
    return False, 0, may_be_low and may_be_high


@njit(cache=True, nogil=True)
def push_member(program, ground, s, x, values, r, buffer, top):
    """Push a fixed set; returns (about the free column, how many, holds, null)."""
    column, which = program.code[s, 3], program.code[s, 4]
    first, stop, null = program.set_start[which], program.set_start[which + 1], program.set_null[which] == 1
    if column == program.free:
        for i in range(first, stop):
            buffer[top + i - first, 0], buffer[top + i - first, 1] = program.sets[i, 0], program.sets[i, 1]
        return True, stop - first, False, null
    if x[column, r] == UNKNOWN:
        return False, 0, null or stop > first, False
    if np.isnan(values[column, r]):
        return False, 0, null, False
    return False, 0, contains(program.sets, first, stop, values[column, r], ground.precision[column]), False


@njit(cache=True, nogil=True)
def insert_point(buffer, top, n, cell):
    """Add a point to a sorted list of points; returns its new length."""
    p = n
    while p > 0 and buffer[top + p - 1, 0] > cell:
        p -= 1
    if p > 0 and buffer[top + p - 1, 0] == cell:
        return n
    for i in range(n, p, -1):
        buffer[top + i, 0], buffer[top + i, 1] = buffer[top + i - 1, 0], buffer[top + i - 1, 1]
    buffer[top + p, 0], buffer[top + p, 1] = cell, cell
    return n + 1


@njit(cache=True, nogil=True)
def cut_point(buffer, top, n, cell, base, gap, scale):
    """Take a point out of a sorted list of intervals, up to its neighbours on the lattice; returns its new length."""
    before, after = np.nextafter(cell, -np.inf), np.nextafter(cell, np.inf)
    if scale > 0.0:
        m = np.rint((cell * scale - base) / gap)
        if (base + gap * m) / scale != cell:
            return n
        before, after = (base + gap * (m - 1.0)) / scale, (base + gap * (m + 1.0)) / scale
    for p in range(n):
        if buffer[top + p, 0] <= cell <= buffer[top + p, 1]:
            for i in range(n, p + 1, -1):
                buffer[top + i, 0], buffer[top + i, 1] = buffer[top + i - 1, 0], buffer[top + i - 1, 1]
            buffer[top + p + 1, 0], buffer[top + p + 1, 1] = after, buffer[top + p, 1]
            buffer[top + p, 1] = before
            return n + 1
    return n


@njit(cache=True, nogil=True)
def push_table(program, ground, s, x, values, r, buffer, top):
    """Push the values whose combination is known, or is not; returns (about the free column, how many, holds, null)."""
    which, negated = program.code[s, 1], program.code[s, 2] == 1
    columns = program.table_column[program.table_start[which] : program.table_start[which + 1]]
    cells = program.cells[program.cell_start[which] : program.cell_start[which + 1]]
    free, width, position, known = program.free, columns.size, -1, True
    for c in range(width):
        if columns[c] == free:
            position = c
        elif x[columns[c], r] == UNKNOWN:
            known = False
    about_free, n, null, matched = position >= 0, 0, False, False
    if about_free and negated:
        buffer[top, 0], buffer[top, 1] = -np.inf, np.inf
        n, null = 1, True
    base, gap, scale = ground.lattice[free, 0], ground.lattice[free, 1], ground.lattice[free, 2]
    for q in range(cells.size // width):
        fits = True
        for c in range(width):
            if c == position or x[columns[c], r] == UNKNOWN:
                continue
            cell, value = cells[q * width + c], values[columns[c], r]
            if not (cell == value or (np.isnan(cell) and np.isnan(value))):
                fits = False
                break
        if not fits:
            continue
        matched = True
        if not about_free:
            break
        cell = cells[q * width + position]
        if not negated:
            if np.isnan(cell):
                null = True
            else:
                n = insert_point(buffer, top, n, cell)
        elif known:
            if np.isnan(cell):
                null = False
            else:
                n = cut_point(buffer, top, n, cell, base, gap, scale)
    holds = (not matched) or (not known) if negated else matched
    return about_free, n, holds, null


@njit(cache=True, nogil=True)
def solve_row(program, ground, x, values, r, buffer, frame_at, frame_n, frame_null):
    """Leave the free column's set for one row at the bottom of the buffer and in frame 0."""
    depth, top = 0, 0
    for s in range(program.code.shape[0]):
        kind = program.code[s, 0]
        if kind in (AND, OR):
            depth -= 1
            a, b = depth - 1, depth
            if kind == AND:
                n = intersect(buffer, frame_at[a], frame_n[a], frame_at[b], frame_n[b], top)
                frame_null[a] = frame_null[a] and frame_null[b]
            else:
                n = unite(buffer, frame_at[a], frame_n[a], frame_at[b], frame_n[b], top)
                frame_null[a] = frame_null[a] or frame_null[b]
            for i in range(n):
                buffer[frame_at[a] + i, 0], buffer[frame_at[a] + i, 1] = buffer[top + i, 0], buffer[top + i, 1]
            frame_n[a] = n
            top = frame_at[a] + n
            continue
        null = False
        if kind == LINEAR:
            about_free, n, holds = push_linear(program, ground, s, x, values, r, buffer, top)
        elif kind == MEMBER:
            about_free, n, holds, null = push_member(program, ground, s, x, values, r, buffer, top)
        else:
            about_free, n, holds, null = push_table(program, ground, s, x, values, r, buffer, top)
        if not about_free and holds:  # a literal without the free column leaves all its values, or none
            buffer[top, 0], buffer[top, 1] = -np.inf, np.inf
            n, null = 1, True
        frame_at[depth], frame_n[depth], frame_null[depth] = top, n, null
        depth += 1
        top += n


@njit(cache=True, nogil=True)
def solve_rows(program, ground, x, values):
    """Values of the free column that every row's other columns leave.

    x (d, n) CODE, ``UNKNOWN`` where a column is still to come | values (d, n) REAL, NaN for null
    returns start (n+1,) int64 into intervals (m, 2) REAL, and null (n,) uint8
    """
    n_rows, n_steps = x.shape[1], program.code.shape[0]
    buffer = np.empty((2 * program.capacity + 4, 2), REAL)
    frame_at, frame_n = np.zeros(n_steps + 1, np.int64), np.zeros(n_steps + 1, np.int64)
    frame_null = np.zeros(n_steps + 1, np.bool_)
    start = np.zeros(n_rows + 1, np.int64)
    found = np.empty((max(4, 2 * n_rows), 2), REAL)
    null = np.zeros(n_rows, np.uint8)
    used = 0
    for r in range(n_rows):
        solve_row(program, ground, x, values, r, buffer, frame_at, frame_n, frame_null)
        if used + frame_n[0] > found.shape[0]:
            longer = np.empty((2 * found.shape[0] + frame_n[0], 2), REAL)
            longer[:used] = found[:used]
            found = longer
        for i in range(frame_n[0]):
            if buffer[i, 0] <= buffer[i, 1]:
                found[used, 0], found[used, 1] = buffer[i, 0], buffer[i, 1]
                used += 1
        null[r] = 1 if frame_null[0] else 0
        start[r + 1] = used
    return start, found[:used].copy(), null
