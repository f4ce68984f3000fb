"""Order the levels of an unordered parent by the target: codes in, ranks of levels out."""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.sorting import argsort
from cython.cimports.libc.math import sqrt

from janus_synth.kernels.dtypes import INDEX, REAL


@cython.cclass
class Ranking:
    """Work space for `rank_into`."""

    def __init__(self, n_levels: cython.Py_ssize_t, n_targets: cython.Py_ssize_t):
        self.size, self.score, self.key = np.empty((3, n_levels), REAL)
        self.profile = np.empty((n_levels, n_targets), REAL)
        self.overall, self.axis, self.following = np.empty((3, n_targets), REAL)
        self.order, self.spare, self.present = np.empty((3, n_levels), INDEX)
        self.place, self.sums = np.empty(n_targets, INDEX), np.empty((2, n_levels), np.int64)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def score_by_mean(
    parent_codes: cython.pointer[cython.const[cython.ushort]],
    y: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
    n_levels: cython.Py_ssize_t,
    work: Ranking,
) -> cython.void:
    """Write the levels' sizes and the means of their target codes."""
    even: cython.p_longlong = cython.address(work.sums[0, 0])
    odd: cython.p_longlong = cython.address(work.sums[1, 0])
    i: cython.Py_ssize_t
    level: cython.Py_ssize_t
    both: cython.longlong
    one: cython.longlong = 1
    for level in range(n_levels):
        even[level], odd[level] = 0, 0
    # A row adds 1 to the upper and its code to the lower half of a number. Rows take turns between two sums, so that
    # rows of the same level do not wait for one another.
    for i in range(0, n - 1, 2):
        even[parent_codes[i]] += (one << 40) + y[i]
        odd[parent_codes[i + 1]] += (one << 40) + y[i + 1]
    if n & 1:
        even[parent_codes[n - 1]] += (one << 40) + y[n - 1]
    for level in range(n_levels):
        both = even[level] + odd[level]
        if both > 0:
            work.size[level] = cython.cast(cython.double, both >> 40)
            work.score[level] = cython.cast(cython.double, both & ((one << 40) - 1)) / work.size[level]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def count_profiles(
    parent_codes: cython.pointer[cython.const[cython.ushort]],
    y: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
    n_levels: cython.Py_ssize_t,
    n_targets: cython.Py_ssize_t,
    work: Ranking,
) -> cython.Py_ssize_t:
    """Count the target's classes in every level; returns the number of classes that occur.

    Small nodes have few of the levels and classes: profiles have a place only for those that
    occur.
    """
    overall: cython.double[::1] = work.overall
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
    table: cython.p_const_int,
    whole: cython.p_const_int,
    n_slots: cython.Py_ssize_t,
    n_levels: cython.Py_ssize_t,
    work: Ranking,
) -> cython.Py_ssize_t:
    """`count_profiles` from a table of rows by level and slot, where every slot but the root is a class."""
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
    parent_codes: cython.pointer[cython.const[cython.ushort]],
    y: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
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
        score_by_mean(parent_codes, y, n, n_levels, work)
    else:
        score_by_axis(n, n_levels, count_profiles(parent_codes, y, n, n_levels, n_targets, work), work)
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
    rank_into(
        cython.address(parent_codes[0]), cython.address(y[0]), y.shape[0], n_levels, n_targets, y_ordered,
        Ranking(n_levels, n_targets), rank,
    )  # fmt: skip
    return rank
