"""Grow one tree: rows of codes in, flat arrays of splits out.

A column's codes hang in a *code tree* (a Dirichlet tree): the root slot splits into child slots, down to one
slot per code. Binary splits with Beta priors are the Pólya tree of an ordered column; a single K-way Dirichlet
split is the multinomial of an unordered one. Both are conjugate, and adding one row to the counts changes the
log evidence by

    Σ_levels  log(count[child] + a) − log(count[node] + A),    A = a · number of children

which is all a cut needs: rows move from right to left in the order of the parent's codes, and the evidence
follows them through look-up tables.
"""

import numpy as np
from numba import njit

from janus_synth.kernels.dtypes import COUNT, INDEX, REAL

SCOUT_ROWS = 1024
"""Rows that are enough to find a node's best split."""


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
def add_sweep_gains(codes, ends, weight, path_start, path_slot, slot_up, inner, child, node, whole, left, moved, gains):
    """Add to ``gains`` the evidence gained by cutting after each group of rows.

    Rows are sorted; group g ends before row ``ends[g]``. Two ways to move a group to the left: row by row
    through tables of logs, or, for groups larger than the code tree, all at once through tables of lgamma.

    codes (n,) CODE | ends (g,) INDEX | path_start (K+1,), path_slot, slot_up INDEX, inner (s,) INDEX: splits further
    child, node (2, n+2) REAL: log and lgamma of a count plus the prior mass of a part, and of the whole, of a split
    whole (s,) COUNT: all rows by slot | left, moved (s,) COUNT: work space, moved all zero | gains (g,) REAL
    """
    log_child, log_node = child[0], node[0]
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
                        gain += child[1, after] - child[1, before] + child[1, right - m] - child[1, right]
                    if inner[s]:
                        gain -= node[1, after] - node[1, before] + node[1, right - m] - node[1, right]
                    left[s] = after
                    moved[s] = 0
        else:
            for i in range(start, stop):
                k = codes[i]
                on_left, both = left[0], whole[0]  # of the slot above
                left[0] += 1
                for at in range(path_start[k], path_start[k + 1]):
                    if both == 1:  # a single row gains nothing from being cut off, nor does anything below it
                        break
                    paid = log_node[on_left] - log_node[both - on_left - 1]
                    slot = path_slot[at]
                    on_left, both = left[slot], whole[slot]
                    gain += log_child[on_left] - log_child[both - on_left - 1] - paid
                    left[slot] = on_left + 1
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
def sort_by_rank(rank_of_row, n_ranks, order, ends, ranks, start):
    """Stable sort of rows by rank; returns the number of groups of equal rank.

    rank_of_row, order (n,) INDEX: ``order`` receives the rows in order of their rank
    ends, ranks (≥ groups,) INDEX receive where each group ends and its rank | start (n_ranks+1,) INDEX: work space
    """
    n = rank_of_row.size
    n_groups = 0
    if n * n < 8 * n_ranks:  # insertion sort: few rows, many ranks
        for i in range(n):
            at = i
            while at > 0 and rank_of_row[order[at - 1]] > rank_of_row[i]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = i
        for i in range(n):
            if i == n - 1 or rank_of_row[order[i]] != rank_of_row[order[i + 1]]:
                ends[n_groups] = i + 1
                ranks[n_groups] = rank_of_row[order[i]]
                n_groups += 1
        return n_groups
    start[: n_ranks + 1] = 0
    for i in range(n):
        start[rank_of_row[i]] += 1
    before = 0
    for r in range(n_ranks):
        size = start[r]
        start[r] = before
        before += size
        if size > 0:
            ends[n_groups] = before
            ranks[n_groups] = r
            n_groups += 1
    for i in range(n):
        r = rank_of_row[i]
        order[start[r]] = i
        start[r] += 1
    return n_groups


@njit(cache=True, nogil=True)
def best_split(
    x, rows, target, parents, n_codes, ordered, trees, lambda_unsup, lambda_div, price, min_leaf, work, best_rank
):
    """Best cut of the given rows over all parents: (score, parent, cut), parent −1 if no score is worth its price.

    The more cuts are tried, the better the best of them looks by chance: it must gain ``price`` times the log of their
    number, which at price 1 is a prior that gives each of them the same share.

    The cut of an unordered parent is a rank; ``best_rank`` receives the ranks of its levels.

    x (d, N) CODE | rows (n,) INDEX | parents (p,) INDEX | n_codes, ordered (d,) INDEX
    best_rank (≥ any n_codes,) INDEX
    trees: path_start, path_slot, slot_up, inner, column_start, tables_of INDEX and logs REAL, see ``grow_tree``
    work: three CODE and two INDEX arrays of at least n, three COUNT arrays of the widest code tree
    """
    path_start, path_slot, slot_up, inner, column_start, tables_of, logs = trees
    y, codes, values = work[0][: rows.size], work[1][: rows.size], work[2][: rows.size]
    rank_of_row, order = work[3][: rows.size], work[4][: rows.size]
    whole, slots_left, moved = work[5], work[6], work[7]
    ends = np.empty(best_rank.size, INDEX)
    ranks = np.empty(best_rank.size, INDEX)
    start = np.empty(best_rank.size + 1, INDEX)
    gains = np.empty(best_rank.size, REAL)
    n = rows.size
    pure = True
    for i in range(n):
        y[i] = x[target, rows[i]]
        pure = pure and y[i] == y[0]
    best_score, best_parent, best_cut = 0.0, -1, -1
    if pure and lambda_unsup == 0.0:
        return best_score, best_parent, best_cut
    n_tried = 0
    counted = -1  # the column whose rows ``whole`` counts
    for which in range(parents.size):
        j = parents[which]
        constant = True
        for i in range(n):
            codes[i] = x[j, rows[i]]
            constant = constant and codes[i] == codes[0]
        if constant:
            continue
        rank = rank_levels(codes, y, n_codes[j], n_codes[target], ordered[target]) if not ordered[j] else best_rank
        for i in range(n):
            rank_of_row[i] = codes[i] if ordered[j] else rank[codes[i]]
        n_groups = sort_by_rank(rank_of_row, n_codes[j], order, ends, ranks, start)
        gains[:n_groups] = 0.0
        for term in range(-1, parents.size if lambda_unsup > 0.0 else 0):
            v = target if term < 0 else parents[term]
            for i in range(n):
                values[i] = y[order[i]] if term < 0 else x[v, rows[order[i]]]
            paths = path_start[column_start[v, 0] : column_start[v + 1, 0]]
            steps = path_slot[column_start[v, 1] : column_start[v + 1, 1]]
            first, last = column_start[v, 2], column_start[v + 1, 2]
            if counted != v:
                count_slots(values, paths, steps, slot_up[first:last], whole)
                counted = v
            add_sweep_gains(
                values, ends[:n_groups], 1.0 if term < 0 else lambda_unsup, paths, steps, slot_up[first:last],
                inner[first:last], logs[tables_of[v, 0]], logs[tables_of[v, 1]], whole, slots_left, moved, gains,
            )  # fmt: skip
            if term < 0 and lambda_div > 0.0:
                add_sweep_divergence(values, ends[:n_groups], lambda_div, n_codes[target], gains)
        for g in range(n_groups - 1):
            if ends[g] >= min_leaf and n - ends[g] >= min_leaf:
                n_tried += 1
                if gains[g] > best_score:
                    best_score, best_parent, best_cut = gains[g], j, ranks[g]
                    if not ordered[j]:
                        best_rank[: n_codes[j]] = rank
    if best_parent >= 0 and best_score <= price * np.log(n_tried):
        return 0.0, -1, -1
    return best_score, best_parent, best_cut


@njit(cache=True, nogil=True)
def choose_left_levels(codes, rank, cut, out):
    """Mark the levels that go left: those up to the cut; a level without rows here follows the majority.

    codes (n,) CODE | rank (≥ K,) INDEX | out (K,) uint8
    """
    seen = np.zeros(out.size, np.uint8)
    n_left = 0
    for i in range(codes.size):
        seen[codes[i]] = 1
        n_left += 1 if rank[codes[i]] <= cut else 0
    for level in range(out.size):
        goes = rank[level] <= cut if seen[level] else 2 * n_left >= codes.size
        out[level] = 1 if goes else 0


@njit(cache=True, nogil=True)
def part_rows(rows, codes, cut, levels, spare):
    """Bring the rows that go left to the front, keeping their order; returns how many they are.

    rows, spare (n,) INDEX | codes (n,) CODE | levels (K,) uint8: which levels go left; empty for an ordered column
    """
    at, late = 0, 0
    for i in range(rows.size):
        goes_left = levels[codes[i]] == 1 if levels.size > 0 else codes[i] <= cut
        if goes_left:
            rows[at] = rows[i]
            at += 1
        else:
            spare[late] = rows[i]
            late += 1
    rows[at:] = spare[:late]
    return at


@njit(cache=True, nogil=True)
def grow_tree(x, rows, target, parents, n_codes, ordered, trees, lambda_unsup, lambda_div, price, min_leaf, max_leaves):
    """Grow a tree for ``target`` given ``parents`` on the given rows; a node splits where the score is positive.

    A large node seeks its split on every k-th row, at least SCOUT_ROWS of them, and on all rows only if those find
    none.

    x (d, N) CODE | rows (n,) INDEX | parents (p,) INDEX | n_codes, ordered (d,) INDEX
    trees: the code trees of all columns, one after the other, as
      path_start, path_slot, slot_up, inner INDEX,
      column_start (d+1, 3) INDEX: where each column's part of path_start, path_slot and slot_up begins,
      tables_of (d, 2) INDEX: which tables a column uses for the parts and for the whole of a split,
      logs (t, 2, n+2) REAL: log and lgamma of every count plus a prior mass
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
    left_levels = np.zeros(64, np.uint8)
    n_levels_kept = 0

    column_start = trees[4]
    n_slots = 1
    for j in range(n_codes.size):
        n_slots = max(n_slots, column_start[j + 1, 2] - column_start[j, 2])
    work = (
        np.empty(n, x.dtype), np.empty(n, x.dtype), np.empty(n, x.dtype), np.empty(n, INDEX), np.empty(n, INDEX),
        np.zeros(n_slots, COUNT), np.zeros(n_slots, COUNT), np.zeros(n_slots, COUNT),
    )  # fmt: skip
    best_rank = np.empty(n_codes.max(), INDEX)
    rows = rows.copy()
    spare = np.empty(n, INDEX)
    codes = np.empty(n, x.dtype)

    begin = np.zeros(most, INDEX)
    end = np.zeros(most, INDEX)
    end[0] = n
    n_nodes = 1
    node = 0
    while node < n_nodes:  # breadth first: children are appended, so a parent always comes before them
        here = rows[begin[node] : end[node]]
        best_score, j, best_cut = 0.0, -1, -1
        if here.size >= 2 * min_leaf and n_nodes + 2 <= most:
            every = here.size // SCOUT_ROWS
            if every > 1:
                best_score, j, best_cut = best_split(
                    x, here[::every].copy(), target, parents, n_codes, ordered, trees, lambda_unsup, lambda_div,
                    price, min_leaf, work, best_rank,
                )  # fmt: skip
            if j < 0:
                best_score, j, best_cut = best_split(
                    x, here, target, parents, n_codes, ordered, trees, lambda_unsup, lambda_div,
                    price, min_leaf, work, best_rank,
                )  # fmt: skip
        if j >= 0:
            here_codes = codes[: here.size]
            for i in range(here.size):
                here_codes[i] = x[j, here[i]]
            feature[node], score[node] = j, best_score
            levels = left_levels[:0]
            if ordered[j]:
                cut[node] = best_cut
            else:
                if n_levels_kept + n_codes[j] > left_levels.size:
                    wider = np.zeros(2 * (n_levels_kept + n_codes[j]), np.uint8)
                    wider[:n_levels_kept] = left_levels[:n_levels_kept]
                    left_levels = wider
                set_start[node] = n_levels_kept
                levels = left_levels[n_levels_kept : n_levels_kept + n_codes[j]]
                choose_left_levels(here_codes, best_rank, best_cut, levels)
                n_levels_kept += n_codes[j]
            middle = begin[node] + part_rows(here, here_codes, cut[node], levels, spare)
            left[node], right[node] = n_nodes, n_nodes + 1
            begin[n_nodes], end[n_nodes] = begin[node], middle
            begin[n_nodes + 1], end[n_nodes + 1] = middle, end[node]
            n_nodes += 2
        node += 1
    return (
        feature[:n_nodes], cut[:n_nodes], left[:n_nodes], right[:n_nodes], set_start[:n_nodes],
        left_levels[:n_levels_kept], score[:n_nodes],
    )  # fmt: skip
