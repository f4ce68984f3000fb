"""Grow one tree: rows of codes in, flat arrays of splits out.

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
from cython.cimports.janus_synth.kernels.sorting import argsort
from cython.cimports.libc.math import INFINITY, log, sqrt

from janus_synth.kernels.dtypes import CODE, COUNT, INDEX, REAL

SCOUT_ROWS = 1024
"""Rows that are enough to find a node's best split."""
MORE_ROWS = 4
"""Where a sample of a node's rows finds no split, a sample of so many times the rows tries the better parents:"""
FEWEST_RACING = 4
"""half of those before, but at least this many. Measured: docs/defaults.md."""
ALWAYS_ASKED = 4
"""Parents that every node tries: those that were worth most where they were last tried above it. Each of the others"""
TURNS = 3
"""is tried by one node in so many.

Measured: rows are detected as often as where every node tries all parents, with 3 and one in four nodes more often
(docs/defaults.md).
"""
FEWEST_CANDIDATES = 24
"""Parents that every node may choose from; above that a node passes on the better half of its own to its children.

Measured: rows are detected as often as without the bound, with 8 clearly more often on ``credit`` (docs/defaults.md).
"""
TABLE_CELLS = cython.declare(cython.Py_ssize_t, 1 << 15)  # a table that stays in the cache of a core
BIT_PLACE = cython.declare(cython.int[64])
for _place in range(64):
    BIT_PLACE[((0x03F79D71B4CB0A89 << _place) % 2**64) >> 58] = _place


@cython.cclass
class CodeTrees:
    """The code trees of all columns, one after the other, see `grow_tree`."""

    path_start: cython.const[cython.int][::1]
    path_slot: cython.const[cython.int][::1]
    slot_up: cython.const[cython.int][::1]
    inner: cython.const[cython.int][::1]
    column_start: cython.const[cython.int][:, ::1]
    tables_of: cython.const[cython.int][:, ::1]
    logs: cython.const[cython.double][:, :, ::1]

    def __init__(self, trees):
        self.path_start, self.path_slot, self.slot_up, self.inner, self.column_start, self.tables_of, self.logs = trees


@cython.cclass
class Ranking:
    """Work space for `rank_into`."""

    size: cython.double[::1]
    score: cython.double[::1]
    profile: cython.double[:, ::1]
    overall: cython.double[::1]
    axis: cython.double[::1]
    following: cython.double[::1]
    key: cython.double[::1]
    order: cython.int[::1]
    spare: cython.int[::1]
    present: cython.int[::1]
    place: cython.int[::1]
    sums: cython.longlong[:, ::1]

    def __init__(self, n_levels: cython.Py_ssize_t, n_targets: cython.Py_ssize_t):
        self.size, self.score, self.key = np.empty((3, n_levels), REAL)
        self.profile = np.empty((n_levels, n_targets), REAL)
        self.overall, self.axis, self.following = np.empty((3, n_targets), REAL)
        self.order, self.spare, self.present = np.empty((3, n_levels), INDEX)
        self.place, self.sums = np.empty(n_targets, INDEX), np.empty((2, n_levels), np.int64)


@cython.cclass
class Divergence:
    """Work space for `add_divergence`: rows by code, all and those to the left of a cut."""

    whole: cython.double[::1]
    left: cython.double[::1]

    def __init__(self, n_codes: cython.Py_ssize_t):
        self.whole, self.left = np.empty(n_codes, REAL), np.empty(n_codes, REAL)


@cython.cclass
class Work:
    """Work space for `best_split`: by row, by code, by slot, and for unordered parents of so many levels."""

    y: cython.ushort[::1]
    codes: cython.ushort[::1]
    values: cython.ushort[::1]
    order: cython.int[::1]
    ends: cython.int[::1]
    ranks: cython.int[::1]
    start: cython.int[::1]
    stop: cython.int[::1]
    seen: cython.ulonglong[::1]
    rank: cython.int[::1]
    gains: cython.double[::1]
    whole: cython.int[::1]
    slots_left: cython.int[::1]
    moved: cython.int[::1]
    slots: cython.ushort[::1]
    levels: cython.int[::1]
    table: cython.int[:, ::1]
    ranking: Ranking
    divergence: Divergence

    def __init__(
        self,
        n: cython.Py_ssize_t,
        n_codes: cython.Py_ssize_t,
        n_slots: cython.Py_ssize_t,
        n_levels: cython.Py_ssize_t,
        n_targets: cython.Py_ssize_t,
    ):
        self.y, self.codes, self.values = np.empty(n, CODE), np.empty(n, CODE), np.empty(n, CODE)
        self.order = np.empty(n, INDEX)
        self.ends, self.ranks, self.rank = np.empty(n_codes, INDEX), np.empty(n_codes, INDEX), np.empty(n_codes, INDEX)
        self.start, self.stop, self.gains = np.zeros(n_codes, INDEX), np.zeros(n_codes, INDEX), np.empty(n_codes, REAL)
        self.seen = np.zeros((n_codes + 63) // 64, np.uint64)
        self.whole, self.slots_left = np.zeros(n_slots, COUNT), np.zeros(n_slots, COUNT)
        self.moved = np.zeros(n_slots, COUNT)
        self.levels = np.empty(n_codes, INDEX)
        self.slots, self.table = np.empty(n, CODE), np.empty((2, min(2 * n, TABLE_CELLS)), COUNT)
        self.ranking = Ranking(n_levels, n_targets)
        self.divergence = Divergence(n_targets)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_by_mean(
    parent_codes: cython.const[cython.ushort][::1],
    y: cython.const[cython.ushort][::1],
    n_levels: cython.Py_ssize_t,
    work: Ranking,
) -> cython.void:
    """Write the levels' sizes and the means of their target codes."""
    sums: cython.longlong[:, ::1] = work.sums
    n: cython.Py_ssize_t = y.shape[0]
    i: cython.Py_ssize_t
    level: cython.Py_ssize_t
    both: cython.longlong
    one: cython.longlong = 1
    for level in range(n_levels):
        sums[0, level], sums[1, level] = 0, 0
    # A row adds 1 to the upper and its code to the lower half of a number. Rows take turns between two sums, so that
    # rows of the same level do not wait for one another.
    for i in range(0, n - 1, 2):
        sums[0, parent_codes[i]] += (one << 40) + y[i]
        sums[1, parent_codes[i + 1]] += (one << 40) + y[i + 1]
    if n & 1:
        sums[0, parent_codes[n - 1]] += (one << 40) + y[n - 1]
    for level in range(n_levels):
        both = sums[0, level] + sums[1, level]
        if both > 0:
            work.size[level] = cython.cast(cython.double, both >> 40)
            work.score[level] = cython.cast(cython.double, both & ((one << 40) - 1)) / work.size[level]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_profiles(
    parent_codes: cython.const[cython.ushort][::1],
    y: cython.const[cython.ushort][::1],
    n_levels: cython.Py_ssize_t,
    n_targets: cython.Py_ssize_t,
    work: Ranking,
) -> cython.Py_ssize_t:
    """Count the target's classes in every level; returns the number of classes that occur.

    Small nodes have few of the levels and classes: profiles have a place only for those that
    occur.
    """
    overall: cython.double[::1] = work.overall
    n: cython.Py_ssize_t = y.shape[0]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    level: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t = 0
    for k in range(n_targets):
        overall[k] = 0.0
    for i in range(n):
        work.size[parent_codes[i]] += 1.0
        overall[y[i]] += 1.0
    for k in range(n_targets):
        if overall[k] > 0.0:
            work.place[k] = cython.cast(cython.int, n_classes)
            overall[n_classes] = overall[k]
            n_classes += 1
    for level in range(n_levels):
        if work.size[level] > 0.0:
            for k in range(n_classes):
                work.profile[level, k] = 0.0
    for i in range(n):
        work.profile[parent_codes[i], work.place[y[i]]] += 1.0
    return n_classes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def copy_profiles(
    table: cython.const[cython.int][::1],
    whole: cython.const[cython.int][::1],
    n_levels: cython.Py_ssize_t,
    work: Ranking,
) -> cython.Py_ssize_t:
    """`count_profiles` from a table of rows by level and slot, where every slot but the root is a class."""
    n_slots: cython.Py_ssize_t = whole.shape[0]
    level: cython.Py_ssize_t
    s: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t = 0
    for s in range(1, n_slots):
        if whole[s] > 0:
            work.overall[n_classes] = whole[s]
            n_classes += 1
    for level in range(n_levels):
        n_classes = 0
        for s in range(1, n_slots):
            if whole[s] > 0:
                work.profile[level, n_classes] = table[level * n_slots + s]
                work.size[level] += work.profile[level, n_classes]
                n_classes += 1
    return n_classes


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_by_axis(
    n: cython.double, n_levels: cython.Py_ssize_t, n_classes: cython.Py_ssize_t, work: Ranking
) -> cython.void:
    """Write the places of the levels' profiles along the first principal axis, from counts of ``n`` rows."""
    size: cython.double[::1] = work.size
    score: cython.double[::1] = work.score
    profile: cython.double[:, ::1] = work.profile
    overall: cython.double[::1] = work.overall
    axis: cython.double[::1] = work.axis
    following: cython.double[::1] = work.following
    present: cython.int[::1] = work.present
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    level: cython.Py_ssize_t
    n_present: cython.Py_ssize_t = 0
    largest: cython.Py_ssize_t = 0
    spread: cython.double = -1.0
    distance: cython.double
    along: cython.double
    norm: cython.double
    for level in range(n_levels):
        if size[level] > 0.0:
            present[n_present] = cython.cast(cython.int, level)
            n_present += 1
    for k in range(n_classes):
        overall[k] /= n
    for at in range(n_present):
        level = present[at]
        distance = 0.0
        for k in range(n_classes):
            profile[level, k] = profile[level, k] / size[level] - overall[k]
            distance += profile[level, k] * profile[level, k]
        if distance * size[level] > spread:
            spread = distance * size[level]
            largest = level
    for k in range(n_classes):
        axis[k] = profile[largest, k]
    for _ in range(4):  # power iteration; a rough axis is enough to order levels
        for k in range(n_classes):
            following[k] = 0.0
        for at in range(n_present):
            level = present[at]
            along = 0.0
            for k in range(n_classes):
                along += profile[level, k] * axis[k]
            score[level] = along
            for k in range(n_classes):
                following[k] += size[level] * along * profile[level, k]
        norm = 0.0
        for k in range(n_classes):
            norm += following[k] * following[k]
        norm = sqrt(norm)
        if norm == 0.0:
            break
        for k in range(n_classes):
            axis[k] = following[k] / norm


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_by_score(n_levels: cython.Py_ssize_t, work: Ranking, rank: cython.int[::1]) -> cython.Py_ssize_t:
    """Write the ranks of the levels by their scores, those without rows last; returns how many have rows.

    ``work.order`` receives the places of the levels with rows in ``work.present``, in order of their rank.
    """
    level: cython.Py_ssize_t
    at: cython.Py_ssize_t
    n_present: cython.Py_ssize_t = 0
    absent: cython.int
    for level in range(n_levels):
        if work.size[level] > 0.0:
            work.present[n_present] = cython.cast(cython.int, level)
            work.key[n_present] = work.score[level]
            n_present += 1
    argsort(work.key[:n_present], work.order, work.spare)
    absent = cython.cast(cython.int, n_present)
    for level in range(n_levels):
        if work.size[level] == 0.0:
            rank[level] = absent
            absent += 1
    for at in range(n_present):
        rank[work.present[work.order[at]]] = cython.cast(cython.int, at)
    return n_present


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_into(
    parent_codes: cython.const[cython.ushort][::1],
    y: cython.const[cython.ushort][::1],
    n_levels: cython.Py_ssize_t,
    n_targets: cython.Py_ssize_t,
    y_ordered: cython.bint,
    work: Ranking,
    rank: cython.int[::1],
) -> cython.void:
    """`rank_levels` into ``rank`` (≥ n_levels,) INDEX."""
    level: cython.Py_ssize_t
    for level in range(n_levels):
        work.size[level], work.score[level] = 0.0, 0.0
    if y_ordered:
        score_by_mean(parent_codes, y, n_levels, work)
    else:
        score_by_axis(y.shape[0], n_levels, count_profiles(parent_codes, y, n_levels, n_targets, work), work)
    rank_by_score(n_levels, work, rank)


def rank_levels(
    parent_codes: cython.const[cython.ushort][::1],
    y: cython.const[cython.ushort][::1],
    n_levels: cython.Py_ssize_t,
    n_targets: cython.Py_ssize_t,
    y_ordered: cython.bint,
):
    """Order an unordered parent's levels by the target, so that a cut in that order can be a good split.

    An ordered target ranks levels by their mean code, an unordered one by the first principal axis of the
    levels' profiles (exact for two classes). Levels without rows come last.

    parent_codes, y (n,) CODE | returns rank (n_levels,) INDEX
    """
    rank = np.empty(n_levels, INDEX)
    rank_into(parent_codes, y, n_levels, n_targets, y_ordered, Ranking(n_levels, n_targets), rank)
    return rank


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def count_slots(
    codes: cython.const[cython.ushort][::1],
    path_start: cython.const[cython.int][::1],
    path_slot: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    whole: cython.int[::1],
) -> cython.void:
    """Write into ``whole`` how many rows hang below each slot of a code tree.

    codes (n,) CODE | path_start (K+1,), path_slot, slot_up INDEX | whole (s,) COUNT
    """
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    for s in range(slot_up.shape[0]):
        whole[s] = 0
    for i in range(codes.shape[0]):
        whole[path_slot[path_start[codes[i] + 1] - 1]] += 1
    for s in range(slot_up.shape[0] - 1, 0, -1):  # a slot comes after its parent
        whole[slot_up[s]] += whole[s]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def move_group(
    moved: cython.int[::1],
    slot_up: cython.const[cython.int][::1],
    inner: cython.const[cython.int][::1],
    child: cython.const[cython.double][:, ::1],
    both: cython.const[cython.double][:, ::1],
    whole: cython.const[cython.int][::1],
    left: cython.int[::1],
) -> cython.double:
    """Move a group of rows to the left, all at once; returns the evidence gained, the whole of the root's split aside.

    moved (s,) COUNT: rows by their last slot, zero on return | the others as in `add_sweep_gains`
    """
    part: cython.const[cython.double][::1] = child[1]
    part_and_whole: cython.const[cython.double][::1] = both[1]
    s: cython.Py_ssize_t
    m: cython.int
    before: cython.int
    right: cython.int
    gain: cython.double = 0.0
    for s in range(slot_up.shape[0] - 1, 0, -1):
        m = moved[s]
        if m > 0:
            before, right = left[s], whole[s] - left[s]
            moved[slot_up[s]] += m
            if inner[s]:
                gain += part_and_whole[before + m] - part_and_whole[before]
                gain += part_and_whole[right - m] - part_and_whole[right]
            else:
                gain += part[before + m] - part[before] + part[right - m] - part[right]
            left[s] = before + m
            moved[s] = 0
    left[0] += moved[0]
    moved[0] = 0
    return gain


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
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
    whole: cython.const[cython.int][::1],
    left: cython.int[::1],
    moved: cython.int[::1],
    gains: cython.double[::1],
) -> cython.void:
    """Add to ``gains`` the evidence gained by cutting after each group of rows.

    Rows are sorted; group g ends before row ``ends[g]``. Two ways to move a group to the left: row by row
    through tables of logs, or, for groups larger than the code tree, all at once through tables of lgamma.

    codes (n,) CODE | ends (g,) INDEX | path_start (K+1,), path_slot, slot_up INDEX, inner (s,) INDEX: splits further
    child, node, both (2, n+2) REAL: what one more row adds to lgamma of a count plus the prior mass of a part, of the
      whole of a split, and of the first less the second, and these values of lgamma
    whole (s,) COUNT: all rows by slot | left, moved (s,) COUNT: work space, moved all zero | gains (g,) REAL
    """
    of_part: cython.const[cython.double][::1] = child[0]
    of_both: cython.const[cython.double][::1] = both[0]
    at_root: cython.const[cython.double][::1] = node[1]
    n_slots: cython.Py_ssize_t = slot_up.shape[0]
    n: cython.int = whole[0]
    g: cython.Py_ssize_t
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t
    k: cython.Py_ssize_t
    on_left: cython.int
    all_rows: cython.int
    of_row: cython.double
    gain: cython.double = 0.0  # without the whole of the root's split, which is the same for all orders of the rows
    for s in range(n_slots):
        left[s] = 0
    for g in range(ends.shape[0] - 1):  # a cut after the last group is no cut
        stop = ends[g]
        if stop - start > n_slots:
            for i in range(start, stop):
                moved[path_slot[path_start[codes[i] + 1] - 1]] += 1
            gain += move_group(moved, slot_up, inner, child, both, whole, left)
        else:
            for i in range(start, stop):
                k = codes[i]
                of_row = 0.0  # a sum of its own, so that rows do not wait for one another
                last = path_start[k + 1] - 1
                for at in range(path_start[k], last + 1):
                    slot = path_slot[at]
                    on_left, all_rows = left[slot], whole[slot]
                    if all_rows == 1:  # a single row gains nothing from being cut off, nor does anything below it
                        break
                    left[slot] = on_left + 1
                    if at < last:
                        of_row += of_both[on_left] - of_both[all_rows - on_left - 1]
                    else:
                        of_row += of_part[on_left] - of_part[all_rows - on_left - 1]
                gain += of_row
        gains[g] += weight * (gain - (at_root[stop] - at_root[0] + at_root[n - stop] - at_root[n]))
        start = stop


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
def lowest_bit(bits: cython.ulonglong) -> cython.Py_ssize_t:
    """Place of the lowest bit that is set, by a de Bruijn sequence: each of its 64 windows of 6 bits is different."""
    lowest: cython.ulonglong = bits & (~bits + 1)
    return BIT_PLACE[(lowest * cython.cast(cython.ulonglong, 0x03F79D71B4CB0A89)) >> 58]


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def sort_by_rank(
    rank_of_row: cython.const[cython.ushort][::1],
    n_ranks: cython.Py_ssize_t,
    order: cython.int[::1],
    ends: cython.int[::1],
    ranks: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    seen: cython.ulonglong[::1],
) -> cython.Py_ssize_t:
    """Stable sort of rows by rank; returns the number of groups of equal rank.

    Few rows have few of the ranks: these are kept as a set of bits, which saves walking through all ranks. Rows are
    counted and placed from both ends at once, so that rows of equal rank do not wait for one another.

    rank_of_row (n,) CODE | order (n,) INDEX receives the rows in order of their rank
    ends, ranks (≥ groups,) INDEX receive where each group ends and its rank
    start, stop (n_ranks,) INDEX, seen (≥ n_ranks / 64,) uint64: work space, all zero before and after
    """
    n: cython.Py_ssize_t = rank_of_row.shape[0]
    n_groups: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    r: cython.Py_ssize_t
    word: cython.Py_ssize_t
    bits: cython.ulonglong
    one: cython.ulonglong = 1
    late: cython.Py_ssize_t
    half: cython.Py_ssize_t = n // 2
    before: cython.int = 0
    size: cython.int
    if n < n_ranks:
        for i in range(n):
            r = rank_of_row[i]
            start[r] += 1
            seen[r >> 6] |= one << (r & 63)
        for word in range((n_ranks + 63) >> 6):
            bits = seen[word]
            seen[word] = 0
            while bits != 0:
                r = (word << 6) + lowest_bit(bits)
                bits &= bits - 1
                size = start[r]
                start[r] = before
                before += size
                stop[r] = before
                ends[n_groups], ranks[n_groups] = before, cython.cast(cython.int, r)
                n_groups += 1
    else:
        for i in range(half):
            start[rank_of_row[i]] += 1
            stop[rank_of_row[n - 1 - i]] += 1
        if n & 1:
            start[rank_of_row[half]] += 1
        for r in range(n_ranks):
            size = start[r] + stop[r]
            if size > 0:
                start[r] = before
                before += size
                stop[r] = before
                ends[n_groups], ranks[n_groups] = before, cython.cast(cython.int, r)
                n_groups += 1
    for i in range(half):
        r = rank_of_row[i]
        order[start[r]] = cython.cast(cython.int, i)
        start[r] += 1
        late = n - 1 - i
        r = rank_of_row[late]
        stop[r] -= 1
        order[stop[r]] = cython.cast(cython.int, late)
    if n & 1:
        order[start[rank_of_row[half]]] = cython.cast(cython.int, half)
    for i in range(n_groups):
        start[ranks[i]] = stop[ranks[i]] = 0
    return n_groups


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather(
    codes: cython.const[cython.ushort][::1], rows: cython.const[cython.int][::1], out: cython.ushort[::1]
) -> cython.bint:
    """Write the codes of some rows; returns whether they are all the same."""
    i: cython.Py_ssize_t
    different: cython.int = 0
    if rows.shape[0] == 0:
        return True
    for i in range(rows.shape[0]):
        out[i] = codes[rows[i]]
        different |= out[i] ^ out[0]
    return different == 0


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def count_table(
    codes: cython.const[cython.ushort][::1],
    slots: cython.const[cython.ushort][::1],
    n_codes: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    table: cython.int[:, ::1],
) -> cython.void:
    """Write into the first line of ``table`` how many rows have each code and slot.

    Rows take turns between two lines, so that equal rows do not wait for one another.

    codes, slots (n,) CODE | table (2, ≥ n_codes · n_slots) COUNT
    """
    n: cython.Py_ssize_t = codes.shape[0]
    i: cython.Py_ssize_t
    for i in range(n_codes * n_slots):
        table[0, i] = table[1, i] = 0
    for i in range(0, n - 1, 2):
        table[0, codes[i] * n_slots + slots[i]] += 1
        table[1, codes[i + 1] * n_slots + slots[i + 1]] += 1
    if n & 1:
        table[0, codes[n - 1] * n_slots + slots[n - 1]] += 1
    for i in range(n_codes * n_slots):
        table[0, i] += table[1, i]


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def add_table_gains(
    table: cython.int[::1],
    levels: cython.const[cython.int][::1],
    slot_up: cython.const[cython.int][::1],
    inner: cython.const[cython.int][::1],
    child: cython.const[cython.double][:, ::1],
    node: cython.const[cython.double][:, ::1],
    both: cython.const[cython.double][:, ::1],
    whole: cython.const[cython.int][::1],
    left: cython.int[::1],
    ends: cython.int[::1],
    gains: cython.double[::1],
) -> cython.void:
    """Add to ``gains`` the evidence gained by cutting after each of the levels, which are in order of their rank.

    It equals `add_sweep_gains` of rows sorted by rank, at a cost that does not depend on the number of rows.

    table (≥ codes · slots,) COUNT: rows by code and slot, zero on return where ``levels`` go | levels (g,) INDEX
    ends (≥ g,) INDEX receives how many rows are left of each cut | the others as in `add_sweep_gains`
    """
    n_slots: cython.Py_ssize_t = slot_up.shape[0]
    g: cython.Py_ssize_t
    s: cython.Py_ssize_t
    first: cython.Py_ssize_t
    at_root: cython.const[cython.double][::1] = node[1]
    n: cython.int = whole[0]
    stop: cython.int
    gain: cython.double = 0.0
    for s in range(n_slots):
        left[s] = 0
    for g in range(levels.shape[0]):
        first = levels[g] * n_slots
        gain += move_group(table[first : first + n_slots], slot_up, inner, child, both, whole, left)
        stop = left[0]
        ends[g] = stop
        gains[g] += gain - (at_root[stop] - at_root[0] + at_root[n - stop] - at_root[n])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_table(
    codes: cython.const[cython.ushort][::1],
    y: cython.const[cython.ushort][::1],
    n_levels: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    ordered: cython.bint,
    y_ordered: cython.bint,
    ranking: Ranking,
    work: Work,
    levels: cython.int[::1],
) -> cython.Py_ssize_t:
    """Write the levels of a table that have rows, in order of their rank, and ``work.rank``; returns their number."""
    level: cython.Py_ssize_t
    s: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t
    n_present: cython.Py_ssize_t = 0
    if ordered:
        for level in range(n_levels):
            for s in range(level * n_slots, (level + 1) * n_slots):
                if work.table[0, s] > 0:
                    levels[n_present] = cython.cast(cython.int, level)
                    n_present += 1
                    break
        return n_present
    for level in range(n_levels):
        ranking.size[level], ranking.score[level] = 0.0, 0.0
    if y_ordered:
        score_by_mean(codes, y, n_levels, ranking)
    else:
        n_classes = copy_profiles(work.table[0], work.whole[:n_slots], n_levels, ranking)
        score_by_axis(codes.shape[0], n_levels, n_classes, ranking)
    n_present = rank_by_score(n_levels, ranking, work.rank)
    for level in range(n_present):
        levels[level] = ranking.present[ranking.order[level]]
    return n_present


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_split(
    x: cython.const[cython.ushort][:, ::1],
    rows: cython.const[cython.int][::1],
    target: cython.Py_ssize_t,
    parents: cython.const[cython.int][::1],
    candidates: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    ordered: cython.const[cython.int][::1],
    trees: CodeTrees,
    lambda_unsup: cython.double,
    lambda_div: cython.double,
    price: cython.double,
    min_leaf: cython.Py_ssize_t,
    work: Work,
    best_rank: cython.int[::1],
    worth: cython.double[::1],
    n_all: cython.Py_ssize_t,
    always: cython.Py_ssize_t,
    turn: cython.Py_ssize_t,
    turns: cython.Py_ssize_t,
) -> tuple[cython.double, cython.int, cython.int]:
    """Best cut of the given rows over the candidates: (score, parent, cut), parent −1 if no score is worth its price.

    The first ``always`` candidates are tried, and every ``turns``-th of the others, by ``turn``. The more cuts there
    are, the better the best of them looks by chance: it must gain ``price`` times the log of their number, which at
    price 1 is a prior that gives each of them the same share. The cuts of candidates that are not tried count as well:
    their number is estimated from those tried, as if they were of ``n_all`` candidates.

    A parent with few codes is scored from a table of counts, another by a sweep over its sorted rows; both give the
    same gains. The cut of an unordered parent is a rank; ``best_rank`` receives the ranks of its levels. ``worth``
    receives the best score of every candidate that is tried.

    x (d, N) CODE | rows (n,) INDEX | parents (p,), candidates (c,) INDEX: some of them | n_codes, ordered (d,) INDEX
    best_rank (≥ any n_codes,) INDEX | worth (c,) REAL | trees: see `grow_tree`
    """
    n: cython.Py_ssize_t = rows.shape[0]
    y: cython.ushort[::1] = work.y[:n]
    codes: cython.ushort[::1] = work.codes[:n]
    values: cython.ushort[::1] = work.values[:n]
    order: cython.int[::1] = work.order[:n]
    ends: cython.int[::1] = work.ends
    gains: cython.double[::1] = work.gains
    paths: cython.const[cython.int][::1]
    steps: cython.const[cython.int][::1]
    of_term: cython.const[cython.ushort][::1]
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.int
    g: cython.Py_ssize_t
    v: cython.Py_ssize_t
    which: cython.Py_ssize_t
    term: cython.Py_ssize_t
    n_terms: cython.Py_ssize_t = parents.shape[0] if lambda_unsup > 0.0 else 0
    n_groups: cython.Py_ssize_t
    n_tried: cython.Py_ssize_t = 0
    counted: cython.Py_ssize_t = -1  # the column whose rows ``work.whole`` counts
    pure: cython.bint = gather(x[target], rows, y)
    best_score: cython.double = 0.0
    best_parent: cython.int = -1
    best_cut: cython.int = -1
    if pure and lambda_unsup == 0.0:
        return best_score, best_parent, best_cut
    n_asked: cython.Py_ssize_t = 0
    tabled: cython.bint = lambda_unsup == 0.0 and lambda_div == 0.0
    levels: cython.int[::1] = work.levels
    paths = trees.path_start[trees.column_start[target, 0] : trees.column_start[target + 1, 0]]
    steps = trees.path_slot[trees.column_start[target, 1] : trees.column_start[target + 1, 1]]
    first, last = trees.column_start[target, 2], trees.column_start[target + 1, 2]
    slot_up: cython.const[cython.int][::1] = trees.slot_up[first:last]
    n_slots: cython.Py_ssize_t = last - first
    most_cells: cython.Py_ssize_t = min(2 * n, TABLE_CELLS)
    if tabled:
        for i in range(n):
            work.slots[i] = cython.cast(cython.ushort, steps[paths[y[i] + 1] - 1])
        count_slots(y, paths, steps, slot_up, work.whole)
        counted = target
    for which in range(candidates.shape[0]):
        if which >= always and (which + turn) % turns != 0:
            continue
        n_asked += 1
        j, worth[which] = candidates[which], -INFINITY
        if gather(x[j], rows, codes):
            continue
        if tabled and n_codes[j] * n_slots <= most_cells:
            count_table(codes, work.slots[:n], n_codes[j], n_slots, work.table)
            n_groups = rank_table(
                codes, y, n_codes[j], n_slots, ordered[j] != 0, ordered[target] != 0, work.ranking, work, levels
            )
            for g in range(n_groups):
                gains[g], work.ranks[g] = 0.0, levels[g] if ordered[j] else cython.cast(cython.int, g)
            add_table_gains(
                work.table[0], levels[:n_groups], slot_up, trees.inner[first:last],
                trees.logs[trees.tables_of[target, 0]], trees.logs[trees.tables_of[target, 1]],
                trees.logs[trees.tables_of[target, 2]], work.whole, work.slots_left, ends, gains,
            )  # fmt: skip
        else:
            if not ordered[j]:
                rank_into(codes, y, n_codes[j], n_codes[target], ordered[target] != 0, work.ranking, work.rank)
                for i in range(n):
                    codes[i] = cython.cast(cython.ushort, work.rank[codes[i]])
            n_groups = sort_by_rank(codes, n_codes[j], order, ends, work.ranks, work.start, work.stop, work.seen)
            while n_groups > 1 and n - ends[n_groups - 2] < min_leaf:  # cuts that leave too little on the right
                n_groups -= 1
            if n_groups == 1 or ends[n_groups - 2] < min_leaf:
                continue
            for g in range(n_groups):
                gains[g] = 0.0
            for term in range(-1, n_terms):
                if term < 0:
                    v = target
                    for i in range(n):
                        values[i] = y[order[i]]
                else:
                    v = parents[term]
                    of_term = x[v]
                    for i in range(n):
                        values[i] = of_term[rows[order[i]]]
                paths = trees.path_start[trees.column_start[v, 0] : trees.column_start[v + 1, 0]]
                steps = trees.path_slot[trees.column_start[v, 1] : trees.column_start[v + 1, 1]]
                first, last = trees.column_start[v, 2], trees.column_start[v + 1, 2]
                if counted != v:
                    count_slots(values, paths, steps, trees.slot_up[first:last], work.whole)
                    counted = v
                add_sweep_gains(
                    values, ends[:n_groups], 1.0 if term < 0 else lambda_unsup, paths, steps, trees.slot_up[first:last],
                    trees.inner[first:last], trees.logs[trees.tables_of[v, 0]], trees.logs[trees.tables_of[v, 1]],
                    trees.logs[trees.tables_of[v, 2]], work.whole, work.slots_left, work.moved, gains,
                )  # fmt: skip
                if term < 0 and lambda_div > 0.0:
                    add_divergence(values, ends[:n_groups], lambda_div, n_codes[target], gains, work.divergence)
        for g in range(n_groups - 1):
            if ends[g] >= min_leaf and n - ends[g] >= min_leaf:
                n_tried += 1
                worth[which] = max(worth[which], gains[g])
                if gains[g] > best_score:
                    best_score, best_parent, best_cut = gains[g], j, work.ranks[g]
                    if not ordered[j]:
                        for i in range(n_codes[j]):
                            best_rank[i] = work.rank[i]
    if best_parent >= 0 and best_score <= price * log(n_tried * cython.cast(cython.double, n_all) / n_asked):
        best_score, best_parent, best_cut = 0.0, -1, -1
    return best_score, best_parent, best_cut


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def keep_better_half(
    candidates: cython.const[cython.int][::1],
    worth: cython.double[::1],
    fewest: cython.Py_ssize_t,
    order: cython.int[::1],
    spare: cython.int[::1],
    out: cython.int[::1],
) -> cython.Py_ssize_t:
    """Write the candidates of the higher worth, half of them or ``fewest``, best first; returns their number.

    candidates, out (c,) INDEX | worth (c,) REAL, negated on return | spare (c,) INDEX: work space
    order (c,) INDEX receives the places of the candidates, best first
    """
    n: cython.Py_ssize_t = candidates.shape[0]
    kept: cython.Py_ssize_t = min(n, max(fewest, (n + 1) // 2))
    i: cython.Py_ssize_t
    for i in range(n):
        worth[i] = -worth[i]
    argsort(worth, order, spare)
    for i in range(kept):
        out[i] = candidates[order[i]]
    return kept


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def choose_left_levels(
    codes: cython.const[cython.ushort][::1],
    rank: cython.const[cython.int][::1],
    cut: cython.int,
    out: cython.uchar[::1],
) -> cython.void:
    """Mark the levels that go left: those up to the cut; a level without rows here follows the majority.

    codes (n,) CODE | rank (≥ K,) INDEX | out (K,) uint8
    """
    i: cython.Py_ssize_t
    level: cython.Py_ssize_t
    n_left: cython.Py_ssize_t = 0
    goes: cython.bint
    for level in range(out.shape[0]):
        out[level] = 0
    for i in range(codes.shape[0]):
        out[codes[i]] = 1  # this level has rows
        n_left += 1 if rank[codes[i]] <= cut else 0
    for level in range(out.shape[0]):
        goes = rank[level] <= cut if out[level] else 2 * n_left >= codes.shape[0]
        out[level] = 1 if goes else 0


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def part_rows(
    rows: cython.int[::1],
    codes: cython.const[cython.ushort][::1],
    cut: cython.int,
    levels: cython.const[cython.uchar][::1],
    spare: cython.int[::1],
) -> cython.Py_ssize_t:
    """Bring the rows that go left to the front, keeping their order; returns how many they are.

    rows, spare (n,) INDEX | codes (n,) CODE | levels (K,) uint8: which levels go left; empty for an ordered column
    """
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    late: cython.Py_ssize_t = 0
    row: cython.int
    goes_left: cython.int
    by_level: cython.bint = levels.shape[0] > 0
    # Every row is written to both sides and counted on one: sides are hard to predict, and a wrong guess of the
    # processor costs more than a write.
    for i in range(rows.shape[0]):
        row = rows[i]
        goes_left = levels[codes[i]] if by_level else codes[i] <= cut
        rows[at], spare[late] = row, row
        at += goes_left
        late += 1 - goes_left
    for i in range(late):
        rows[at + i] = spare[i]
    return at


def grow_tree(
    x: cython.const[cython.ushort][:, ::1],
    rows,
    target: cython.Py_ssize_t,
    parents: cython.const[cython.int][::1],
    n_codes: cython.const[cython.int][::1],
    ordered: cython.const[cython.int][::1],
    trees,
    lambda_unsup: cython.double,
    lambda_div: cython.double,
    price: cython.double,
    min_leaf: cython.Py_ssize_t,
    max_leaves: cython.Py_ssize_t,
):
    """Grow a tree for ``target`` given ``parents`` on the given rows; a node splits where the score is positive.

    A large node seeks its split on every k-th row, at least SCOUT_ROWS of them. Where these find none, MORE_ROWS times
    as many try the better half of the parents, at least FEWEST_RACING, and so on up to all rows.

    The root tries all parents, a node below it the ALWAYS_ASKED that were worth most where they were last tried, and
    of the others every third or so (TURNS), by turns. Each node passes on the better half of its own candidates to its
    children, at least FEWEST_CANDIDATES of them.

    x (d, N) CODE | rows (n,) INDEX | parents (p,) INDEX | n_codes, ordered (d,) INDEX
    trees: the code trees of all columns, one after the other, as
      path_start, path_slot, slot_up, inner INDEX,
      column_start (d+1, 3) INDEX: where each column's part of path_start, path_slot and slot_up begins,
      tables_of (d, 3) INDEX: which tables a column uses for the parts and for the whole of a split, and for the first
        less the second, where a part of one split is the whole of another,
      logs (t, 2, n+2) REAL: steps and values of lgamma of every count plus a prior mass, or differences of them
    returns feature, cut, left, right, set_start (m,) INDEX, left_levels (q,) uint8, score (m,) REAL,
      reached (N,) INDEX: the leaf of each of the given rows, −1 for other rows
    """
    n: cython.Py_ssize_t = len(rows)
    most: cython.Py_ssize_t = min(2 * max_leaves - 1, 2 * max(1, n // min_leaf) - 1)
    scout_rows: cython.Py_ssize_t = SCOUT_ROWS
    more_rows: cython.Py_ssize_t = MORE_ROWS
    fewest_racing: cython.Py_ssize_t = FEWEST_RACING
    always: cython.Py_ssize_t = ALWAYS_ASKED
    turns: cython.Py_ssize_t = TURNS
    n_racing: cython.Py_ssize_t
    racing: cython.int[::1]
    race: cython.int[:, ::1] = np.empty((2, parents.shape[0]), INDEX)
    turn: cython.Py_ssize_t = 0
    n_always: cython.Py_ssize_t
    tried: cython.double[::1]
    raced: cython.double[::1] = np.empty(parents.shape[0], REAL)
    fewest: cython.Py_ssize_t = FEWEST_CANDIDATES
    features, cuts, lefts, rights, set_starts = (np.full(most, -1, INDEX) for _ in range(5))
    scores = np.zeros(most, REAL)
    levels_kept = np.zeros(64, np.uint8)
    feature: cython.int[::1] = features
    cut: cython.int[::1] = cuts
    left: cython.int[::1] = lefts
    right: cython.int[::1] = rights
    set_start: cython.int[::1] = set_starts
    score: cython.double[::1] = scores
    left_levels: cython.uchar[::1] = levels_kept
    n_kept: cython.Py_ssize_t = 0

    code_trees: CodeTrees = CodeTrees(trees)
    widest: cython.Py_ssize_t = max(n_codes)
    n_slots = int(np.diff(trees[4][:, 2]).max(initial=1))
    n_levels = max([n_codes[j] for j in parents if not ordered[j]], default=0)
    work: Work = Work(n, widest, n_slots, n_levels, n_codes[target])
    best_rank: cython.int[::1] = np.empty(widest, INDEX)
    parted: cython.int[::1] = np.array(rows, INDEX)
    nodes_reached = np.full(x.shape[1], -1, INDEX)
    reached: cython.int[::1] = nodes_reached
    spare: cython.int[::1] = np.empty(n, INDEX)
    codes: cython.ushort[::1] = np.empty(n, CODE)
    p: cython.Py_ssize_t = parents.shape[0]
    worth: cython.double[::1] = np.empty(p, REAL)
    by_worth: cython.int[::1] = np.empty(p, INDEX)
    spare_places: cython.int[::1] = np.empty(p, INDEX)
    candidates_kept = np.array(parents, INDEX)
    candidates: cython.int[::1] = candidates_kept
    inherited_kept = np.full(p, np.inf)
    inherited: cython.double[::1] = inherited_kept
    first_candidate: cython.int[::1] = np.zeros(most, INDEX)
    n_candidates: cython.int[::1] = np.full(most, p, INDEX)
    n_passed: cython.Py_ssize_t = p
    asked: cython.int[::1]
    begin: cython.int[::1] = np.zeros(most, INDEX)
    end: cython.int[::1] = np.zeros(most, INDEX)
    here: cython.int[::1]
    levels: cython.uchar[::1]
    best: tuple[cython.double, cython.int, cython.int]
    n_nodes: cython.Py_ssize_t = 1
    node: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t
    every: cython.Py_ssize_t
    n_scouts: cython.Py_ssize_t
    j: cython.int
    middle: cython.int
    end[0] = n
    with cython.nogil:
        while node < n_nodes:  # breadth first: children are appended, so a parent always comes before them
            here = parted[begin[node] : end[node]]
            size = here.shape[0]
            asked = candidates[first_candidate[node] : first_candidate[node] + n_candidates[node]]
            best = (0.0, -1, -1)
            if size >= 2 * min_leaf and n_nodes + 2 <= most:
                every, racing, tried, n_always = max(1, size // scout_rows), asked, worth, always if node > 0 else p
                for i in range(asked.shape[0]):
                    worth[i] = inherited[first_candidate[node] + i]
                while True:
                    n_scouts = (size + every - 1) // every
                    for i in range(n_scouts):
                        spare[i] = here[i * every]
                    best = best_split(
                        x, spare[:n_scouts], target, parents, racing, n_codes, ordered, code_trees, lambda_unsup,
                        lambda_div, price, min_leaf, work, best_rank, tried, asked.shape[0],
                        n_always, node, turns,
                    )  # fmt: skip
                    if best[1] >= 0 or every == 1:
                        break
                    every, n_always, turn = max(1, every // more_rows), p, 1 - turn
                    for i in range(racing.shape[0]):
                        raced[i] = tried[i]
                    n_racing = keep_better_half(
                        racing, raced[: racing.shape[0]], fewest_racing, by_worth, spare_places, race[turn]
                    )
                    racing, tried = race[turn, :n_racing], raced
            j = best[1]
            if j >= 0:
                gather(x[j], here, codes)
                feature[node], score[node] = j, best[0]
                levels = left_levels[:0]
                if ordered[j]:
                    cut[node] = best[2]
                else:
                    if n_kept + n_codes[j] > left_levels.shape[0]:
                        with cython.gil:
                            levels_kept = np.append(levels_kept, np.zeros(n_kept + 2 * n_codes[j], np.uint8))
                            left_levels = levels_kept
                    set_start[node] = cython.cast(cython.int, n_kept)
                    levels = left_levels[n_kept : n_kept + n_codes[j]]
                    choose_left_levels(codes[:size], best_rank, best[2], levels)
                    n_kept += n_codes[j]
                middle = begin[node] + cython.cast(cython.int, part_rows(here, codes[:size], cut[node], levels, spare))
                left[node], right[node] = cython.cast(cython.int, n_nodes), cython.cast(cython.int, n_nodes + 1)
                first_candidate[n_nodes], n_candidates[n_nodes] = first_candidate[node], n_candidates[node]
                if n_candidates[node] > always:
                    if n_passed + n_candidates[node] > candidates.shape[0]:
                        with cython.gil:
                            candidates_kept = np.append(candidates_kept, np.empty(n_passed + p, INDEX))
                            inherited_kept = np.append(inherited_kept, np.empty(n_passed + p, REAL))
                            candidates, inherited = candidates_kept, inherited_kept
                    first_candidate[n_nodes] = cython.cast(cython.int, n_passed)
                    n_racing = keep_better_half(
                        asked, worth[: asked.shape[0]], fewest, by_worth, spare_places, candidates[n_passed:]
                    )
                    for i in range(n_racing):
                        inherited[n_passed + i] = -worth[by_worth[i]]
                    n_candidates[n_nodes] = cython.cast(cython.int, n_racing)
                    n_passed += n_racing
                first_candidate[n_nodes + 1], n_candidates[n_nodes + 1] = (
                    first_candidate[n_nodes],
                    n_candidates[n_nodes],
                )
                begin[n_nodes], end[n_nodes] = begin[node], middle
                begin[n_nodes + 1], end[n_nodes + 1] = middle, end[node]
                n_nodes += 2
            node += 1
        for node in range(n_nodes):
            if left[node] < 0:
                for i in range(begin[node], end[node]):
                    reached[parted[i]] = cython.cast(cython.int, node)
    per_node = (array[:n_nodes] for array in (features, cuts, lefts, rights, set_starts))
    return (*per_node, levels_kept[:n_kept], scores[:n_nodes], nodes_reached)
