"""Grow one tree: rows of codes in, flat arrays of splits out.

A column's codes hang in a *code tree* (a Dirichlet tree): the root slot splits into child slots, down to one
slot per code. Binary splits with Beta priors are the Pólya tree of an ordered column; a single K-way Dirichlet
split is the multinomial of an unordered one. Both are conjugate, and adding one row to the counts changes the
log evidence by

    Σ_levels  log(count[child] + a[child]) − log(count[node] + A[node]),    A[node] = Σ_children a[child]

which is all a cut needs: rows move from right to left in the order of the parent's codes, and the evidence
follows them through look-up tables.
"""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import COUNT, INDEX, REAL


@njit(cache=True, nogil=True)
def rank_levels(parent_codes, y, n_levels, n_targets, y_ordered):
    """Order an unordered parent's levels by the target, so that a cut in that order can be a good split.

    An ordered target ranks levels by their mean code, an unordered one by the first principal axis of the
    levels' profiles (exact for two classes). Levels without rows come last.

    parent_codes, y (n,) CODE | returns rank (n_levels,) INDEX
    """
    n = y.size
    size = np.zeros(n_levels, REAL)
    score = np.zeros(n_levels, REAL)
    if y_ordered:
        for i in range(n):
            size[parent_codes[i]] += 1.0
            score[parent_codes[i]] += y[i]
        for level in range(n_levels):
            if size[level] > 0:
                score[level] /= size[level]
    else:
        profile = np.zeros((n_levels, n_targets), REAL)
        overall = np.zeros(n_targets, REAL)
        for i in range(n):
            size[parent_codes[i]] += 1.0
            profile[parent_codes[i], y[i]] += 1.0
            overall[y[i]] += 1.0 / n
        largest = 0
        spread = -1.0
        for level in range(n_levels):
            if size[level] > 0:
                distance = 0.0
                for k in range(n_targets):
                    profile[level, k] = profile[level, k] / size[level] - overall[k]
                    distance += profile[level, k] ** 2
                if distance * size[level] > spread:
                    spread = distance * size[level]
                    largest = level
        axis = profile[largest].copy()
        for _ in range(4):  # power iteration; a rough axis is enough to order levels
            following = np.zeros(n_targets, REAL)
            for level in range(n_levels):
                if size[level] > 0:
                    along = 0.0
                    for k in range(n_targets):
                        along += profile[level, k] * axis[k]
                    score[level] = along
                    for k in range(n_targets):
                        following[k] += size[level] * along * profile[level, k]
            norm = np.sqrt(np.sum(following**2))
            if norm == 0.0:
                break
            axis = following / norm
    for level in range(n_levels):
        if size[level] == 0:
            score[level] = np.inf
    rank = np.empty(n_levels, INDEX)
    order = np.argsort(score, kind="mergesort")
    for position in range(n_levels):
        rank[order[position]] = position
    return rank


@njit(cache=True, nogil=True)
def count_slots(codes, path_start, path_slot, slot_up, whole):
    """Write into ``whole`` how many rows hang below each slot of a code tree.

    codes (n,) CODE | path_start (K+1,), path_slot, slot_up INDEX | whole (s,) COUNT
    """
    whole[: slot_up.size] = 0
    for i in range(codes.size):
        whole[path_slot[path_start[codes[i] + 1] - 1]] += 1
    for s in range(slot_up.size - 1, 0, -1):  # a slot comes after its parent
        whole[slot_up[s]] += whole[s]


@njit(cache=True, nogil=True)
def add_sweep_gains(
    codes, ends, weight, path_start, path_slot, slot_up, as_child, as_node, logs, whole, left, moved, gains
):  # fmt: skip
    """Add to ``gains`` the evidence gained by cutting after each group of rows.

    Rows are sorted; group g ends before row ``ends[g]``. Two ways to move a group to the left: row by row
    through tables of logs, or, for groups larger than the code tree, all at once through tables of lgamma.

    codes (n,) CODE | ends (g,) INDEX | path_start (K+1,), path_slot, slot_up INDEX
    as_child, as_node (s,) INDEX: the table that a slot uses as part of a split, and as the whole of one (−1: none)
    logs (t, 2, n+2) REAL: log and lgamma of a count plus a prior mass
    whole (s,) COUNT: all rows by slot | left, moved (s,) COUNT: work space, moved all zero | gains (g,) REAL
    """
    n_slots = slot_up.size
    left[:n_slots] = 0
    gain = 0.0
    start = 0
    for g in range(ends.size - 1):  # a cut after the last group is no cut
        stop = ends[g]
        if stop - start > n_slots:
            for i in range(start, stop):
                moved[path_slot[path_start[codes[i] + 1] - 1]] += 1
            for s in range(n_slots - 1, -1, -1):
                m = moved[s]
                if m > 0:
                    before, after, right = left[s], left[s] + m, whole[s] - left[s]
                    if s > 0:
                        moved[slot_up[s]] += m
                        table = logs[as_child[s], 1]
                        gain += table[after] - table[before] + table[right - m] - table[right]
                    if as_node[s] >= 0:
                        table = logs[as_node[s], 1]
                        gain -= table[after] - table[before] + table[right - m] - table[right]
                    left[s] = after
                    moved[s] = 0
        else:
            for i in range(start, stop):
                k = codes[i]
                on_left, both, table = left[0], whole[0], as_node[0]  # of the slot above
                left[0] += 1
                for at in range(path_start[k], path_start[k + 1]):
                    if both == 1:  # a single row gains nothing from being cut off, nor does anything below it
                        break
                    gain -= logs[table, 0, on_left] - logs[table, 0, both - on_left - 1]
                    child = path_slot[at]
                    on_left, both, table = left[child], whole[child], as_child[child]
                    gain += logs[table, 0, on_left] - logs[table, 0, both - on_left - 1]
                    left[child] = on_left + 1
                    table = as_node[child]
        gains[g] += weight * gain
        start = stop


@njit(cache=True, nogil=True)
def add_sweep_divergence(codes, ends, weight, n_codes, gains):
    """Add ``weight`` times the symmetric KL divergence of children and parent for each cut.

    Distributions are posterior means under a Dirichlet of total mass 1; children count by their share of rows.

    codes (n,) CODE | ends (g,) INDEX | gains (g,) REAL
    """
    n = codes.size
    whole = np.zeros(n_codes, REAL)
    left = np.zeros(n_codes, REAL)
    for i in range(n):
        whole[codes[i]] += 1.0
    prior = 1.0 / n_codes
    start = 0
    for g in range(ends.size - 1):
        for i in range(start, ends[g]):
            left[codes[i]] += 1.0
        start = ends[g]
        n_left, n_right = float(start), float(n - start)
        divergence = 0.0
        for k in range(n_codes):
            p = (whole[k] + prior) / (n + 1.0)
            p_left = (left[k] + prior) / (n_left + 1.0)
            p_right = (whole[k] - left[k] + prior) / (n_right + 1.0)
            divergence += n_left / n * 0.5 * (p_left - p) * np.log(p_left / p)
            divergence += n_right / n * 0.5 * (p_right - p) * np.log(p_right / p)
        gains[g] += weight * divergence


@njit(cache=True, nogil=True)
def sort_by_rank(rank_of_row, n_ranks, order, ends, start):
    """Stable sort of rows by rank; returns the number of non-empty groups and fills ``order`` and ``ends``."""
    n = rank_of_row.size
    if 4 * n < n_ranks:  # insertion sort: few rows, many ranks
        n_groups = 0
        for i in range(n):
            at = i
            while at > 0 and rank_of_row[order[at - 1]] > rank_of_row[i]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = i
        for i in range(n):
            if i == n - 1 or rank_of_row[order[i]] != rank_of_row[order[i + 1]]:
                ends[n_groups] = i + 1
                n_groups += 1
        return n_groups
    for r in range(n_ranks + 1):
        start[r] = 0
    for i in range(rank_of_row.size):
        start[rank_of_row[i] + 1] += 1
    for r in range(n_ranks):
        start[r + 1] += start[r]
    n_groups = 0
    for r in range(n_ranks):
        if start[r + 1] > start[r]:
            ends[n_groups] = start[r + 1]
            n_groups += 1
    for i in range(rank_of_row.size):
        order[start[rank_of_row[i]]] = i
        start[rank_of_row[i]] += 1
    return n_groups


@njit(cache=True, nogil=True)
def grow_tree(
    x, rows, target, parents, n_codes, ordered, path_start, path_slot, slot_up, as_child, as_node,
    column_start, logs, lambda_unsup, lambda_div, threshold, min_leaf, max_leaves,
):  # fmt: skip
    """Grow a tree for ``target`` given ``parents`` on the given rows; a node splits where the score is positive.

    x (d, N) CODE | rows (n,) INDEX | parents (p,) INDEX | n_codes, ordered (d,) INDEX
    path_start, path_slot, slot_up, as_child, as_node INDEX: the code trees of all columns, one after the other;
    column_start (d+1, 3) INDEX: where each column's part of path_start, path_slot and slot_up begins
    logs (t, 2, n+2) REAL: look-up tables that as_child and as_node point to
    returns feature, cut, left, right, set_start (m,) INDEX, left_levels (q,) uint8, score (m,) REAL
    """
    n = rows.size
    most = min(2 * max_leaves - 1, 2 * max(1, n // min_leaf) - 1)
    feature = np.full(most, -1, INDEX)
    cut = np.full(most, -1, INDEX)
    left = np.full(most, -1, INDEX)
    right = np.full(most, -1, INDEX)
    set_start = np.full(most, -1, INDEX)
    score = np.zeros(most, REAL)
    widest = 1
    n_slots = 1
    for j in range(n_codes.size):
        widest = max(widest, n_codes[j])
        n_slots = max(n_slots, column_start[j + 1, 2] - column_start[j, 2])
    left_levels = np.zeros(64, np.uint8)
    n_levels_kept = 0

    rows = rows.copy()
    spare = np.empty(n, INDEX)
    node_y = np.empty(n, x.dtype)
    sorted_codes = np.empty(n, x.dtype)
    rank_of_row = np.empty(n, INDEX)
    order = np.empty(n, INDEX)
    ends = np.empty(widest, INDEX)
    gains = np.empty(widest, REAL)
    start = np.empty(widest + 1, INDEX)
    whole = np.zeros(n_slots, COUNT)
    whole_other = np.zeros(n_slots, COUNT)
    slots_left = np.zeros(n_slots, COUNT)
    moved = np.zeros(n_slots, COUNT)
    best_rank = np.empty(widest, INDEX)
    parent_codes = np.empty(n, x.dtype)

    begin = np.zeros(most, INDEX)
    end = np.zeros(most, INDEX)
    end[0] = n
    n_nodes = 1
    node = 0
    while node < n_nodes:  # breadth first: children are appended, so a parent always comes before them
        lo, hi = begin[node], end[node]
        size = hi - lo
        if size >= 2 * min_leaf and n_nodes + 2 <= most:
            y = node_y[:size]
            pure = True
            for i in range(size):
                y[i] = x[target, rows[lo + i]]
                pure = pure and y[i] == y[0]
            own_paths = path_start[column_start[target, 0] : column_start[target + 1, 0]]
            own_steps = path_slot[column_start[target, 1] : column_start[target + 1, 1]]
            count_slots(y, own_paths, own_steps, slot_up[column_start[target, 2] : column_start[target + 1, 2]], whole)
            best_gain, best_parent, best_cut = threshold, -1, -1
            for which in range(parents.size):
                if pure and lambda_unsup == 0.0:
                    break
                j = parents[which]
                codes = parent_codes[:size]
                constant = True
                for i in range(size):
                    codes[i] = x[j, rows[lo + i]]
                    constant = constant and codes[i] == codes[0]
                if constant:
                    continue
                if ordered[j]:
                    for i in range(size):
                        rank_of_row[i] = codes[i]
                else:
                    rank = rank_levels(codes, y, n_codes[j], n_codes[target], ordered[target])
                    for i in range(size):
                        rank_of_row[i] = rank[codes[i]]
                n_groups = sort_by_rank(rank_of_row[:size], n_codes[j], order, ends, start)
                gains[:n_groups] = 0.0
                for term in range(-1, parents.size if lambda_unsup > 0.0 else 0):
                    v = target if term < 0 else parents[term]
                    weight = 1.0 if term < 0 else lambda_unsup
                    values = sorted_codes[:size]
                    for i in range(size):
                        values[i] = x[v, rows[lo + order[i]]]
                    paths = path_start[column_start[v, 0] : column_start[v + 1, 0]]
                    steps = path_slot[column_start[v, 1] : column_start[v + 1, 1]]
                    first, last = column_start[v, 2], column_start[v + 1, 2]
                    if term >= 0:
                        count_slots(values, paths, steps, slot_up[first:last], whole_other)
                    add_sweep_gains(
                        values, ends[:n_groups], weight, paths, steps, slot_up[first:last],
                        as_child[first:last], as_node[first:last], logs,
                        whole if term < 0 else whole_other, slots_left, moved, gains,
                    )  # fmt: skip
                    if term < 0 and lambda_div > 0.0:
                        add_sweep_divergence(values, ends[:n_groups], lambda_div, n_codes[target], gains)
                for g in range(n_groups - 1):
                    if ends[g] >= min_leaf and size - ends[g] >= min_leaf and gains[g] > best_gain:
                        best_gain, best_parent = gains[g], j
                        best_cut = rank_of_row[order[ends[g] - 1]]
                        if not ordered[j]:
                            best_rank[: n_codes[j]] = rank
            if best_parent >= 0:
                j = best_parent
                feature[node] = j
                score[node] = best_gain
                cut[node] = best_cut
                if not ordered[j]:
                    if n_levels_kept + n_codes[j] > left_levels.size:
                        wider = np.zeros(2 * (n_levels_kept + n_codes[j]), np.uint8)
                        wider[:n_levels_kept] = left_levels[:n_levels_kept]
                        left_levels = wider
                    set_start[node] = n_levels_kept
                    cut[node] = -1
                    seen = np.zeros(n_codes[j], np.uint8)
                    n_left = 0
                    for i in range(lo, hi):
                        level = x[j, rows[i]]
                        seen[level] = 1
                        if best_rank[level] <= best_cut:
                            n_left += 1
                    for level in range(n_codes[j]):  # a level without rows here follows the majority
                        goes = best_rank[level] <= best_cut if seen[level] else 2 * n_left >= size
                        left_levels[n_levels_kept + level] = 1 if goes else 0
                    n_levels_kept += n_codes[j]
                at, late = lo, 0
                for i in range(lo, hi):
                    row = rows[i]
                    code = x[j, row]
                    if set_start[node] < 0:
                        goes = code <= cut[node]
                    else:
                        goes = left_levels[set_start[node] + code] == 1
                    if goes:
                        rows[at] = row
                        at += 1
                    else:
                        spare[late] = row
                        late += 1
                rows[at:hi] = spare[:late]
                left[node], right[node] = n_nodes, n_nodes + 1
                begin[n_nodes], end[n_nodes] = lo, at
                begin[n_nodes + 1], end[n_nodes + 1] = at, hi
                n_nodes += 2
        node += 1
    return (
        feature[:n_nodes], cut[:n_nodes], left[:n_nodes], right[:n_nodes], set_start[:n_nodes],
        left_levels[:n_levels_kept], score[:n_nodes],
    )  # fmt: skip
