"""Count many rows into the leaves of a tree: codes in; tables (leaves × codes), their sparse rows, and residuals out.

A table has a cell for every code of every counted column in every leaf. For many rows that is faster than sorting keys,
as `counting` does; the caller sees to it that tables are not too large.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.caches import prefetch
from cython.cimports.janus_synth.kernels.residuals import place_of
from cython.cimports.janus_synth.kernels.routing import send_down
from cython.cimports.libc.math import exp, expm1, fabs, log1p

from janus_synth.kernels.dtypes import COUNT, INDEX, N_RESIDUALS, REACH

BLOCK = 2**15
"""Rows that go down a tree together: their codes stay in the cache until they are counted."""
UNSURE = N_RESIDUALS
"""In place of a bin: the bounds of a residual lie in two bins."""
NO_BIN = N_RESIDUALS + 1
"""In place of a bin: the code is not on the scale."""
AHEAD = cython.declare(cython.Py_ssize_t, 8)
"""Rows whose leaves are fetched ahead: those of neighbouring rows lie anywhere (0.83 -> 0.61 µs per row of adult)."""
LANES = 8
"""Scores that are multiplied together; rows of slopes and scores are padded to a multiple of it."""

_UNSURE = cython.declare(cython.int, UNSURE)
_NO_BIN = cython.declare(cython.int, NO_BIN)
_N_BINS = cython.declare(cython.int, N_RESIDUALS)
_REACH = cython.declare(cython.double, REACH)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_three(
    x: cython.const[cython.ushort][:, ::1],
    rows: cython.const[cython.int][::1],
    base: cython.const[cython.Py_ssize_t][::1],
    n: cython.Py_ssize_t,
    columns: cython.const[cython.int][::1],
    offsets: cython.const[cython.int][::1],
    c: cython.Py_ssize_t,
    cells: cython.pointer[cython.int],
) -> cython.void:
    """Count the codes of three columns together.

    Neighbouring rows often add to the same cell, and each addition has to wait for the one before; three columns wait
    at the same time (1.1 -> 0.7 µs per row of adult, all trees).

    rows (≥ n,) INDEX | base (≥ n,): where the leaf of each row begins among the cells | columns, offsets: from c on
    """
    one: cython.pointer[cython.const[cython.ushort]] = cython.address(x[columns[c], 0])
    two: cython.pointer[cython.const[cython.ushort]] = cython.address(x[columns[c + 1], 0])
    three: cython.pointer[cython.const[cython.ushort]] = cython.address(x[columns[c + 2], 0])
    first: cython.pointer[cython.int] = cells + offsets[c]
    second: cython.pointer[cython.int] = cells + offsets[c + 1]
    third: cython.pointer[cython.int] = cells + offsets[c + 2]
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    for i in range(n):
        row = rows[i]
        first[base[i] + one[row]] += 1
        second[base[i] + two[row]] += 1
        third[base[i] + three[row]] += 1


def tally_tree(
    x: cython.const[cython.ushort][:, ::1],
    root: cython.int,
    feature: cython.const[cython.int][::1],
    cut: cython.const[cython.int][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    set_start: cython.const[cython.int][::1],
    left_levels: cython.const[cython.uchar][::1],
    leaf_of_node: cython.const[cython.int][::1],
    first_leaf: cython.int,
    columns: cython.const[cython.int][::1],
    offsets: cython.const[cython.int][::1],
    table: cython.int[:, ::1],
    leaf: cython.int[::1],
    weight: cython.const[cython.int][::1],
) -> None:
    """Send all rows down a tree, and add their weight to ``table[leaf, offset + code]`` for each of the columns.

    x (d, n) CODE | feature, cut, left, right, set_start, leaf_of_node (m,) INDEX | left_levels uint8
    columns, offsets (c,) INDEX | table (leaves of the tree, width) COUNT | leaf (n,) INDEX, written, or empty:
    the leaf of each row as leaf_of_node has it | weight (n,) COUNT, or empty: all 1
    """
    n: cython.Py_ssize_t = x.shape[1]
    size: cython.Py_ssize_t = min(n, BLOCK)
    rows: cython.int[::1] = np.empty(size, INDEX)
    spare: cython.int[::1] = np.empty(size, INDEX)
    reached: cython.int[::1] = np.empty(size, INDEX)
    stack: cython.int[:, ::1] = np.empty((left.shape[0] + 1, 3), INDEX)
    width: cython.Py_ssize_t = table.shape[1]
    start: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_block: cython.Py_ssize_t
    base: cython.Py_ssize_t[::1] = np.empty(size, np.intp)
    cells: cython.pointer[cython.int]
    cell: cython.pointer[cython.int]
    codes: cython.pointer[cython.const[cython.ushort]]
    if n == 0:
        return
    cells = cython.address(table[0, 0])
    with cython.nogil:
        while start < n:
            n_block = min(size, n - start)
            for i in range(n_block):
                rows[i] = cython.cast(cython.int, start + i)
            send_down(
                x, root, 0, cython.cast(cython.int, n_block), feature, cut, left, right, set_start, left_levels,
                leaf_of_node, rows, spare, stack, reached,
            )  # fmt: skip
            for i in range(n_block):
                base[i] = (reached[i] - first_leaf) * width
            c = 0
            while weight.shape[0] > 0 and c < columns.shape[0]:
                codes = cython.address(x[columns[c], 0])
                cell = cells + offsets[c]
                for i in range(n_block):
                    cell[base[i] + codes[rows[i]]] += weight[rows[i]]
                c += 1
            while c + 2 < columns.shape[0]:
                add_three(x, rows, base, n_block, columns, offsets, c, cells)
                c += 3
            while c < columns.shape[0]:
                codes = cython.address(x[columns[c], 0])
                cell = cells + offsets[c]
                for i in range(n_block):
                    cell[base[i] + codes[rows[i]]] += 1
                c += 1
            if leaf.shape[0] > 0:
                for i in range(n_block):
                    leaf[rows[i]] = reached[i]
            start += n_block


def group_rows(
    x: cython.const[cython.ushort][:, ::1],
    columns: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    group: cython.int[::1],
    first: cython.int[::1],
    weight: cython.int[::1],
):
    """Number the different rows of some columns in the order in which they appear; returns how many there are.

    Gives up and returns −1 if there are more than ``first`` has room for, or hardly any equal ones among the first.

    x (d, n) CODE | columns, n_codes (c,) INDEX: the product of n_codes is below 2⁶⁴ | group (n,) INDEX, written
    first, weight (m,) INDEX and COUNT, written: a row of each group, and how many it has
    """
    n: cython.Py_ssize_t = x.shape[1]
    room: cython.Py_ssize_t = first.shape[0]
    bits: cython.int = 1
    while (1 << bits) < 2 * room:
        bits += 1
    keys: cython.ulonglong[::1] = np.empty(1 << bits, np.uint64)
    number: cython.int[::1] = np.full(1 << bits, -1, INDEX)
    key_of: cython.ulonglong[::1] = np.empty(min(n, BLOCK), np.uint64)
    found: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n_block: cython.Py_ssize_t
    gives_up: cython.bint = False
    slot: cython.ulonglong
    last: cython.ulonglong = (1 << bits) - 1
    factor: cython.ulonglong = 0x9E3779B97F4A7C15  # 2⁶⁴ over the golden ratio: neighbouring keys land far apart
    codes: cython.pointer[cython.const[cython.ushort]]
    with cython.nogil:
        while start < n:
            n_block = min(key_of.shape[0], n - start)
            for i in range(n_block):
                key_of[i] = 0
            for c in range(columns.shape[0]):
                codes = cython.address(x[columns[c], start])
                for i in range(n_block):
                    key_of[i] = key_of[i] * n_codes[c] + codes[i]
            for i in range(n_block):
                slot = (key_of[i] * factor) >> (64 - bits)
                while number[slot] >= 0 and keys[slot] != key_of[i]:
                    slot = (slot + 1) & last
                if number[slot] < 0:
                    if found == room:
                        gives_up = True
                        break
                    keys[slot] = key_of[i]
                    number[slot] = cython.cast(cython.int, found)
                    first[found] = cython.cast(cython.int, start + i)
                    weight[found] = 0
                    found += 1
                weight[number[slot]] += 1
                group[start + i] = number[slot]
            start += n_block
            if gives_up or 10 * found > 9 * start:
                found = -1
                break
    return found


def sparse_rows(
    table: cython.const[cython.int][:, ::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    key_of: cython.const[cython.int][::1],
):
    """Cells of a table from column ``begin`` to before ``end`` that are not 0, as compressed rows.

    table (leaves, width) COUNT | key_of (width,) INDEX: ascending
    returns start (leaves+1,) INDEX, key INDEX, count COUNT
    """
    n_leaves: cython.Py_ssize_t = table.shape[0]
    starts = np.zeros(n_leaves + 1, INDEX)
    start: cython.int[::1] = starts
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    used: cython.int = 0
    cells: cython.pointer[cython.const[cython.int]]
    if begin < end:
        with cython.nogil:
            for i in range(n_leaves):
                cells = cython.address(table[i, 0])
                for k in range(begin, end):
                    used += 1 if cells[k] != 0 else 0
                start[i + 1] = used
    keys, counts = np.empty(used, INDEX), np.empty(used, COUNT)
    if used == 0:
        return starts, keys, counts
    key: cython.int[::1] = keys
    count: cython.int[::1] = counts
    with cython.nogil:
        used = 0
        for i in range(n_leaves):
            if start[i + 1] == used:
                continue
            cells = cython.address(table[i, 0])
            for k in range(begin, end):
                if cells[k] != 0:
                    key[used] = key_of[k]
                    count[used] = cells[k]
                    used += 1
    return starts, keys, counts


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bin_of(residual: cython.double, bend: cython.double) -> cython.int:
    """Bin of a standardised residual."""
    at: cython.double = place_of(min(max(residual, -_REACH), _REACH), bend)
    if at <= 0.0:
        return 0
    return cython.cast(cython.int, at) if at < _N_BINS else _N_BINS - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bin_inside(
    a: cython.double, b: cython.double, place: cython.double, slack: cython.double, bend: cython.double
) -> cython.int:
    """Bin of the quantile at ``place`` of the standard normal truncated to a … b, −1 where bounds do not tell it.

    There, with w = b − a, the density varies by a factor of at most e^λ, λ = w max(|a|, |b|), so its distribution
    function is within tanh(λ/4) ≤ λ/4 of that of a uniform distribution, and the quantile r within w λ/4 of
    a + w · place. Where that does not tell the bin, the density is compared with that of an exponential distribution of
    the same slope at the middle: their ratio varies by at most λ = w²/8, so that r lies within w e^|t| λ/4 of
    a − w log(1 + place (e^(−t) − 1)) / t, t = w (a + b) / 2. Both bounds are widened by ``slack``.
    """
    w: cython.double = b - a
    middle: cython.double = a + w * place
    around: cython.double = 0.25 * w * w * max(fabs(a), fabs(b))
    tilt: cython.double
    low: cython.int = bin_of(max(a, middle - around) - slack, bend)
    if low == bin_of(min(b, middle + around) + slack, bend):
        return low
    tilt = 0.5 * w * (a + b)
    if fabs(tilt) > 10.0:
        return -1
    if fabs(tilt) < 1e-4:
        middle = a + w * place * (1.0 - 0.5 * tilt * (1.0 - place))
    else:
        middle = a - w * log1p(place * expm1(-tilt)) / tilt
    around = w * w * w * exp(fabs(tilt)) / 32.0
    low = bin_of(max(a, middle - around) - slack, bend)
    return low if low == bin_of(min(b, middle + around) + slack, bend) else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def predicted(
    line: cython.pointer[cython.const[cython.float]],
    score: cython.pointer[cython.const[cython.float]],
    width: cython.Py_ssize_t,
) -> cython.float:
    """Sum of slopes times scores within the range of a leaf's rows: eight at a time, in vector instructions.

    line: slopes, lowest and highest scores, ``width`` of each, a multiple of `LANES`
    """
    total = cython.declare(cython.float[8])
    bound: cython.float
    start: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for k in range(8):
        total[k] = 0.0
    for start in range(0, width, 8):
        for k in range(8):
            bound = score[start + k]
            bound = bound if bound > line[width + start + k] else line[width + start + k]
            bound = bound if bound < line[2 * width + start + k] else line[2 * width + start + k]
            total[k] += line[start + k] * bound
    return ((total[0] + total[1]) + (total[2] + total[3])) + ((total[4] + total[5]) + (total[6] + total[7]))


def load_scores(
    x: cython.const[cython.ushort][:, :],
    parents: cython.const[cython.int][::1],
    score: cython.const[cython.double][:, ::1],
    out: cython.float[:, ::1],
) -> None:
    """Scores of the parents' codes of each row.

    x (d, n) CODE | parents (p,) INDEX | score (p, most codes) REAL | out (n, ≥ p) float32, written up to p
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    start: cython.Py_ssize_t
    with cython.nogil:
        for start in range(0, out.shape[0], 256):  # rows whose scores stay in the cache
            for j in range(parents.shape[0]):
                for i in range(start, min(start + 256, out.shape[0])):
                    out[i, j] = cython.cast(cython.float, score[j, x[parents[j], i]])


def tally_residuals(
    scores: cython.const[cython.float][:, ::1],
    codes: cython.const[cython.ushort][:],
    place: cython.const[cython.double][:],
    leaf: cython.const[cython.int][:],
    lines: cython.const[cython.float][:, :, ::1],
    start: cython.const[cython.double][:, ::1],
    about: cython.const[cython.double][:, ::1],
    edge: cython.const[cython.double][::1],
    apart: cython.const[cython.uchar][::1],
    bend: cython.double,
    first_leaf: cython.int,
    table: cython.int[:, ::1],
    unsure: cython.int[::1],
):
    """Add 1 to ``table[leaf, bin]`` for every row whose residual's bin bounds decide; returns how many they do not.

    A residual is the quantile at ``place`` of the standard normal truncated to its code, see `bin_inside`. Bounds are
    widened by more than the rounding of the predicted scores, which are single precision, and of the exact computation.

    scores (n, P) float32 | codes (n,) CODE | place (n,) REAL | leaf (n,) INDEX | lines (L, 3, P) float32: slopes,
    lowest and highest scores | start (L, 3) REAL: intercept, spread, error of single precision | about (n, 2) REAL, or
    empty: mean and spread of the surface | edge (K+1,) REAL | apart (K,) uint8: codes off the scale, not counted
    bend: of the bins, see `trees.residual_grid` | table (leaves of the tree, N_RESIDUALS) COUNT
    unsure (n,) INDEX, written: rows that are not counted
    """
    n: cython.Py_ssize_t = codes.shape[0]
    width: cython.Py_ssize_t = scores.shape[1]
    later: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n_unsure: cython.Py_ssize_t = 0
    a: cython.double
    b: cython.double
    centre: cython.double
    slack: cython.double
    pace: cython.double
    unit: cython.double
    low: cython.int
    far: cython.double = 30.0
    with cython.nogil:
        for i in range(n):
            if i + AHEAD < n:
                later = leaf[i + AHEAD]
                prefetch(cython.address(table[later - first_leaf, 24]))
                prefetch(cython.address(table[later - first_leaf, 40]))
                prefetch(cython.address(start[later, 0]))
                for k in range(0, 3 * width, 16):
                    prefetch(cython.address(lines[later, 0, 0]) + k)
            if apart[codes[i]]:
                continue
            unsure[n_unsure] = cython.cast(cython.int, i)
            centre, unit = start[leaf[i], 0], 1.0
            if width > 0:
                centre += predicted(cython.address(lines[leaf[i], 0, 0]), cython.address(scores[i, 0]), width)
            if about.shape[0] > 0:
                unit = about[i, 1]
                centre = about[i, 0] + unit * centre
            pace = 1.0 / (start[leaf[i], 1] * unit)
            a = (edge[codes[i]] - centre) * pace
            b = (edge[codes[i] + 1] - centre) * pace
            if not (a > -far and b < far):  # also where a code reaches to infinity
                n_unsure += 1
                continue
            slack = 1e-8 + (1e-14 * (fabs(centre) + far) + start[leaf[i], 2] * unit) * pace
            low = bin_inside(a, b, place[i], slack, bend) if slack < 1.0 else -1
            if low < 0:
                n_unsure += 1
                continue
            table[leaf[i] - first_leaf, low] += 1
    return n_unsure


def sure_bins(
    codes: cython.const[cython.ushort][::1],
    place: cython.const[cython.double][::1],
    centre: cython.const[cython.double][::1],
    spread: cython.const[cython.double][::1],
    edge: cython.const[cython.double][::1],
    apart: cython.const[cython.uchar][::1],
    bend: cython.double,
    out: cython.ushort[::1],
) -> None:
    """Bin of each row's residual where bounds decide it; `UNSURE` elsewhere, and `NO_BIN` for codes off the scale.

    A residual is the quantile at ``place`` of the standard normal truncated to its code, see `bin_inside`. Bounds are
    widened by more than the rounding of the exact computation.

    codes (n,) CODE | place, centre, spread (n,) REAL | edge (K+1,) REAL | apart (K,) uint8
    bend: of the bins, see `trees.residual_grid` | out (n,) CODE, written
    """
    i: cython.Py_ssize_t
    a: cython.double
    b: cython.double
    slack: cython.double
    pace: cython.double
    low: cython.int
    far: cython.double = 30.0
    with cython.nogil:
        for i in range(codes.shape[0]):
            if apart[codes[i]]:
                out[i] = _NO_BIN
                continue
            out[i] = _UNSURE
            pace = 1.0 / spread[i]
            a = (edge[codes[i]] - centre[i]) * pace
            b = (edge[codes[i] + 1] - centre[i]) * pace
            if not (a > -far and b < far):  # also where a code reaches to infinity
                continue
            slack = 1e-8 + 1e-14 * (fabs(centre[i]) + far) * pace
            low = bin_inside(a, b, place[i], slack, bend)
            if low >= 0:
                out[i] = cython.cast(cython.ushort, low)


def tally_bins(
    bins: cython.const[cython.ushort][::1],
    leaf: cython.const[cython.int][::1],
    first_leaf: cython.int,
    table: cython.int[:, ::1],
) -> None:
    """Add 1 to ``table[leaf, bin]`` for every row that has a bin.

    bins (n,) CODE: `NO_BIN` where there is none | leaf (n,) INDEX | table (leaves of the tree, N_RESIDUALS) COUNT
    """
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(bins.shape[0]):
            if bins[i] < _N_BINS:
                table[leaf[i] - first_leaf, bins[i]] += 1
