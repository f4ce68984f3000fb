"""What every cut gains in log marginal likelihood: codes of the target in the order of a parent in, gains out.

A column's codes hang in a *code tree* (a Dirichlet tree): the root slot splits into child slots, down to one
slot per code. Binary splits with Beta priors are the Pólya tree of an ordered column; a single K-way Dirichlet
split is the multinomial of an unordered one. Both are conjugate, and adding one row to the counts changes the
log evidence by

    Σ_levels  log(count[child] + a) − log(count[node] + A),    A = a · number of children

which is all a cut needs: rows move from right to left in the order of the parent's codes, and the evidence
follows them through look-up tables.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.evidence import Evidence
from cython.cimports.libc.math import log

from janus_synth.kernels.dtypes import REAL

TO_THE_LEFT = cython.declare(cython.ulonglong, 2**32 - 1)
"""What a row takes off a number that holds the rows on the left of a cut, and those on the right times 2³²."""
ALONE = cython.declare(cython.ulonglong, 2**32)
"""A single row, on the right."""


@cython.cclass
class Divergence:
    """Work space for `add_divergence`: rows by code, all and those to the left of a cut."""

    def __init__(self, n_codes: cython.Py_ssize_t):
        self.whole, self.left = np.empty(n_codes, REAL), np.empty(n_codes, REAL)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_rows(
    codes: cython.pointer[cython.const[cython.ushort]], n: cython.Py_ssize_t, tree: cython.pointer[Evidence]
) -> cython.void:
    """Count into ``whole`` how many of ``n`` rows hang below each slot of a code tree."""
    whole: cython.p_int = tree.whole
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    for s in range(tree.n_slots):
        whole[s] = 0
    for i in range(n):
        whole[tree.path_slot[tree.path_start[codes[i] + 1] - 1]] += 1
    for s in range(tree.n_slots - 1, 0, -1):  # a slot comes after its parent
        whole[tree.slot_up[s]] += whole[s]


def count_slots(
    codes: cython.const[cython.ushort][::1],
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    whole: cython.int[::1],
) -> None:
    """Write into ``whole`` how many rows hang below each slot of a code tree.

    codes (n,) CODE | path_start (K+1,), path_slot, slot_up INDEX | whole (s,) COUNT
    """
    tree = cython.declare(Evidence)
    tree.path_start, tree.path_slot = cython.address(path_start[0]), cython.address(path_slot[0])
    tree.slot_up, tree.n_slots, tree.whole = cython.address(slot_up[0]), slot_up.shape[0], cython.address(whole[0])
    count_rows(cython.address(codes[0]), codes.shape[0], cython.address(tree))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def move_group(moved: cython.p_int, tree: cython.pointer[Evidence]) -> cython.double:
    """Move a group of rows to the left, all at once; returns the evidence gained, the whole of the root's split aside.

    moved (s,) COUNT: rows by their last slot, zero on return
    """
    part: cython.p_const_double = tree.part_values
    part_and_whole: cython.p_const_double = tree.both_values
    sides: cython.pointer[cython.ulonglong] = tree.sides
    s: cython.Py_ssize_t
    m: cython.int
    before: cython.uint
    right: cython.uint
    gain: cython.double = 0.0
    for s in range(tree.n_slots - 1, 0, -1):
        m = moved[s]
        if m > 0:
            before, right = cython.cast(cython.uint, sides[s]), cython.cast(cython.uint, sides[s] >> 32)
            moved[tree.slot_up[s]] += m
            if tree.inner[s]:
                gain += part_and_whole[before + m] - part_and_whole[before]
                gain += part_and_whole[right - m] - part_and_whole[right]
            else:
                gain += part[before + m] - part[before] + part[right - m] - part[right]
            sides[s] -= m * TO_THE_LEFT
            moved[s] = 0
    sides[0] -= moved[0] * TO_THE_LEFT
    moved[0] = 0
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def start_on_the_right(tree: cython.pointer[Evidence]) -> cython.void:
    """Put all rows on the right."""
    s: cython.Py_ssize_t
    for s in range(tree.n_slots):
        tree.sides[s] = cython.cast(cython.ulonglong, tree.whole[s]) << 32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_gains(
    codes: cython.pointer[cython.const[cython.ushort]],
    ends: cython.p_const_int,
    n_groups: cython.Py_ssize_t,
    weight: cython.double,
    tree: cython.pointer[Evidence],
    gains: cython.p_double,
) -> cython.void:
    """`add_sweep_gains` of rows whose code tree is counted."""
    of_part: cython.p_const_double = tree.part
    of_both: cython.p_const_double = tree.both
    at_root: cython.p_const_double = tree.node_values
    sides: cython.pointer[cython.ulonglong] = tree.sides
    path: cython.p_const_int
    n_slots: cython.Py_ssize_t = tree.n_slots
    n: cython.int = tree.whole[0]
    g: cython.Py_ssize_t
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t
    k: cython.Py_ssize_t
    both_sides: cython.ulonglong
    on_right: cython.ulonglong
    of_row: cython.double
    gain: cython.double = 0.0  # without the whole of the root's split, which is the same for all orders of the rows
    start_on_the_right(tree)
    for g in range(n_groups - 1):  # a cut after the last group is no cut
        stop = ends[g]
        if stop - start > n_slots:
            for i in range(start, stop):
                tree.moved[tree.path_slot[tree.path_start[codes[i] + 1] - 1]] += 1
            gain += move_group(tree.moved, tree)
        else:
            for i in range(start, stop):
                k = codes[i]
                of_row = 0.0  # a sum of its own, so that rows do not wait for one another
                path = tree.path_slot + tree.path_start[k]
                last = tree.path_start[k + 1] - tree.path_start[k] - 1
                for at in range(last):
                    slot = path[at]
                    both_sides = sides[slot]
                    if both_sides == ALONE:  # a single row gains nothing from being cut off, nor does anything below it
                        break
                    sides[slot] = both_sides - TO_THE_LEFT
                    on_right = (both_sides >> 32) - 1
                    of_row += of_both[cython.cast(cython.uint, both_sides)] - of_both[on_right]
                else:
                    slot = path[last]
                    both_sides = sides[slot]
                    sides[slot] = both_sides - TO_THE_LEFT
                    on_right = (both_sides >> 32) - 1
                    of_row += of_part[cython.cast(cython.uint, both_sides)] - of_part[on_right]
                gain += of_row
        gains[g] += weight * (gain - (at_root[stop] - at_root[0] + at_root[n - stop] - at_root[n]))
        start = stop


def add_sweep_gains(
    codes: cython.const[cython.ushort][::1],
    ends: cython.const[cython.int][::1],
    weight: cython.double,
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    inner: cython.const[cython.int][::1],
    child: cython.const[cython.double][:, ::1],
    node: cython.const[cython.double][:, ::1],
    both: cython.const[cython.double][:, ::1],
    whole: cython.int[::1],
    moved: cython.int[::1],
    gains: cython.double[::1],
) -> None:
    """Add to ``gains`` the evidence gained by cutting after each group of rows.

    Rows are sorted; group g ends before row ``ends[g]``. Two ways to move a group to the left: row by row
    through tables of logs, or, for groups larger than the code tree, all at once through tables of lgamma.

    codes (n,) CODE | ends (g,) INDEX | path_start (K+1,), path_slot, slot_up INDEX, inner (s,) INDEX: splits further
    child, node, both (2, n+2) REAL: what one more row adds to lgamma of a count plus the prior mass of a part, of the
      whole of a split, and of the first less the second, and these values of lgamma
    whole (s,) COUNT: all rows by slot | moved (s,) COUNT, all zero: work space | gains (g,) REAL
    """
    tree = cython.declare(Evidence)
    tree.path_start, tree.path_slot = cython.address(path_start[0]), cython.address(path_slot[0])
    tree.slot_up, tree.n_slots, tree.inner = cython.address(slot_up[0]), slot_up.shape[0], cython.address(inner[0])
    tree.part, tree.part_values = cython.address(child[0, 0]), cython.address(child[1, 0])
    tree.both, tree.both_values = cython.address(both[0, 0]), cython.address(both[1, 0])
    tree.node_values, tree.whole = cython.address(node[1, 0]), cython.address(whole[0])
    sides: cython.ulonglong[::1] = np.empty(slot_up.shape[0], np.uint64)
    tree.sides, tree.moved = cython.address(sides[0]), cython.address(moved[0])
    add_gains(
        cython.address(codes[0]), cython.address(ends[0]), ends.shape[0], weight, cython.address(tree),
        cython.address(gains[0]),
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_divergence(
    codes: cython.const[cython.ushort][::1],
    ends: cython.const[cython.int][::1],
    weight: cython.double,
    n_codes: cython.Py_ssize_t,
    gains: cython.double[::1],
    work: Divergence,
) -> cython.void:
    """`add_sweep_divergence` with work space."""
    whole: cython.double[::1] = work.whole
    left: cython.double[::1] = work.left
    n: cython.Py_ssize_t = codes.shape[0]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    g: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    prior: cython.double = 1.0 / n_codes
    n_left: cython.double
    n_right: cython.double
    divergence: cython.double
    p: cython.double
    p_left: cython.double
    p_right: cython.double
    for k in range(n_codes):
        whole[k], left[k] = 0.0, 0.0
    for i in range(n):
        whole[codes[i]] += 1.0
    for g in range(ends.shape[0] - 1):
        for i in range(start, ends[g]):
            left[codes[i]] += 1.0
        start = ends[g]
        n_left, n_right = start, n - start
        divergence = 0.0
        for k in range(n_codes):
            p = (whole[k] + prior) / (n + 1.0)
            p_left = (left[k] + prior) / (n_left + 1.0)
            p_right = (whole[k] - left[k] + prior) / (n_right + 1.0)
            divergence += n_left / n * 0.5 * (p_left - p) * log(p_left / p)
            divergence += n_right / n * 0.5 * (p_right - p) * log(p_right / p)
        gains[g] += weight * divergence


def add_sweep_divergence(
    codes: cython.const[cython.ushort][::1],
    ends: cython.const[cython.int][::1],
    weight: cython.double,
    n_codes: cython.Py_ssize_t,
    gains: cython.double[::1],
) -> None:
    """Add ``weight`` times the symmetric KL divergence of children and parent for each cut.

    Distributions are posterior means under a Dirichlet of total mass 1; children count by their share of rows.

    codes (n,) CODE | ends (g,) INDEX | gains (g,) REAL
    """
    add_divergence(codes, ends, weight, n_codes, gains, Divergence(n_codes))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_table(
    codes: cython.pointer[cython.const[cython.ushort]],
    slots: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
    n_codes: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    table: cython.p_int,
    other: cython.p_int,
) -> cython.void:
    """`count_table` with its two lines."""
    i: cython.Py_ssize_t
    for i in range(n_codes * n_slots):
        table[i] = other[i] = 0
    for i in range(0, n - 1, 2):
        table[codes[i] * n_slots + slots[i]] += 1
        other[codes[i + 1] * n_slots + slots[i + 1]] += 1
    if n & 1:
        table[codes[n - 1] * n_slots + slots[n - 1]] += 1
    for i in range(n_codes * n_slots):
        table[i] += other[i]


def count_table(
    codes: cython.const[cython.ushort][::1],
    slots: cython.const[cython.ushort][::1],
    n_codes: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    table: cython.int[:, ::1],
) -> None:
    """Write into the first line of ``table`` how many rows have each code and slot.

    Rows take turns between two lines, so that equal rows do not wait for one another.

    codes, slots (n,) CODE | table (2, ≥ n_codes · n_slots) COUNT
    """
    fill_table(
        cython.address(codes[0]), cython.address(slots[0]), codes.shape[0], n_codes, n_slots,
        cython.address(table[0, 0]), cython.address(table[1, 0]),
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_gains_of_levels(
    table: cython.p_int,
    levels: cython.p_const_int,
    n_levels: cython.Py_ssize_t,
    tree: cython.pointer[Evidence],
    ends: cython.p_int,
    gains: cython.p_double,
) -> cython.void:
    """`add_table_gains` of rows whose code tree is counted."""
    at_root: cython.p_const_double = tree.node_values
    g: cython.Py_ssize_t
    n: cython.int = tree.whole[0]
    stop: cython.int
    gain: cython.double = 0.0
    start_on_the_right(tree)
    for g in range(n_levels):
        gain += move_group(table + levels[g] * tree.n_slots, tree)
        stop = cython.cast(cython.int, tree.sides[0])
        ends[g] = stop
        gains[g] += gain - (at_root[stop] - at_root[0] + at_root[n - stop] - at_root[n])


def add_table_gains(
    table: cython.int[::1],
    levels: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    inner: cython.const[cython.int][::1],
    child: cython.const[cython.double][:, ::1],
    node: cython.const[cython.double][:, ::1],
    both: cython.const[cython.double][:, ::1],
    whole: cython.int[::1],
    ends: cython.int[::1],
    gains: cython.double[::1],
) -> None:
    """Add to ``gains`` the evidence gained by cutting after each of the levels, which are in order of their rank.

    It equals `add_sweep_gains` of rows sorted by rank, at a cost that does not depend on the number of rows.

    table (≥ codes · slots,) COUNT: rows by code and slot, zero on return where ``levels`` go | levels (g,) INDEX
    ends (≥ g,) INDEX receives how many rows are left of each cut | the others as in `add_sweep_gains`
    """
    tree = cython.declare(Evidence)
    tree.slot_up, tree.n_slots, tree.inner = cython.address(slot_up[0]), slot_up.shape[0], cython.address(inner[0])
    tree.part_values, tree.both_values = cython.address(child[1, 0]), cython.address(both[1, 0])
    tree.node_values, tree.whole = cython.address(node[1, 0]), cython.address(whole[0])
    sides: cython.ulonglong[::1] = np.empty(slot_up.shape[0], np.uint64)
    tree.sides = cython.address(sides[0])
    add_gains_of_levels(
        cython.address(table[0]), cython.address(levels[0]), levels.shape[0], cython.address(tree),
        cython.address(ends[0]), cython.address(gains[0]),
    )  # fmt: skip
