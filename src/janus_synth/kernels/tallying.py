"""Count many rows into the leaves of a tree: codes in; tables (leaves × codes), their sparse rows, and residuals out.

A table has a cell for every code of every counted column in every leaf. For many rows that is faster than sorting keys,
as `counting` does; the caller sees to it that tables are not too large.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.residuals import place_of
from cython.cimports.janus_synth.kernels.routing import send_down
from cython.cimports.libc.math import fabs

from janus_synth.kernels.dtypes import COUNT, INDEX, N_RESIDUALS, REACH

BLOCK = 2**15
"""Rows that go down a tree together: their codes stay in the cache until they are counted."""
UNSURE = N_RESIDUALS
"""In place of a bin: the bounds of a residual lie in two bins."""
NO_BIN = N_RESIDUALS + 1
"""In place of a bin: the code is not on the scale."""

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

    A residual r is the quantile at ``place`` of the standard normal truncated to its code, from a to a + w. There the
    density varies by a factor of at most e^λ, λ = w max(|a|, |a + w|), so its distribution function is within
    tanh(λ/4) ≤ λ/4 of that of a uniform distribution, and r within w λ/4 of a + w · place. The bounds are widened by
    more than the rounding of the exact computation.

    codes (n,) CODE | place, centre, spread (n,) REAL | edge (K+1,) REAL | apart (K,) uint8
    bend: of the bins, see `trees.residual_grid` | out (n,) CODE, written
    """
    i: cython.Py_ssize_t
    a: cython.double
    b: cython.double
    w: cython.double
    middle: cython.double
    around: cython.double
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
            w = b - a
            middle = a + w * place[i]
            around = 0.25 * w * w * max(fabs(a), fabs(b))
            slack = 1e-8 + 1e-14 * (fabs(centre[i]) + far) * pace
            low = bin_of(max(a, middle - around) - slack, bend)
            if low == bin_of(min(b, middle + around) + slack, bend):
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
