"""Grow one tree: rows of codes in, flat arrays of splits out.

A split is scored by what it gains in marginal likelihood, see `gaining`.
"""

import cython
import numpy as np
from cython.cimports.janus_synth.kernels.evidence import Evidence
from cython.cimports.janus_synth.kernels.gaining import (
    Divergence,
    add_divergence,
    add_gains,
    add_gains_of_levels,
    count_rows,
    fill_table,
)
from cython.cimports.janus_synth.kernels.ordering import (
    Ranking,
    copy_profiles,
    rank_by_score,
    rank_into,
    score_by_axis,
    score_by_mean,
)
from cython.cimports.janus_synth.kernels.parting import choose_left_levels, gather, part_rows, sort_ranks
from cython.cimports.janus_synth.kernels.sorting import argsort
from cython.cimports.libc.math import INFINITY, log

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
    sides: cython.ulonglong[::1]
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
        self.whole, self.sides = np.zeros(n_slots, COUNT), np.zeros(n_slots, np.uint64)
        self.moved = np.zeros(n_slots, COUNT)
        self.levels = np.empty(n_codes, INDEX)
        self.slots, self.table = np.empty(n, CODE), np.empty((2, min(2 * n, TABLE_CELLS)), COUNT)
        self.ranking = Ranking(n_levels, n_targets)
        self.divergence = Divergence(n_targets)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def evidence_of(trees: CodeTrees, column: cython.Py_ssize_t, work: Work) -> Evidence:
    """The code tree of a column, with the work space for its counts."""
    tree = cython.declare(Evidence)
    first: cython.Py_ssize_t = trees.column_start[column, 2]
    tree.path_start = cython.address(trees.path_start[trees.column_start[column, 0]])
    tree.path_slot = cython.address(trees.path_slot[trees.column_start[column, 1]])
    tree.slot_up, tree.inner = cython.address(trees.slot_up[first]), cython.address(trees.inner[first])
    tree.n_slots = trees.column_start[column + 1, 2] - first
    tree.part = cython.address(trees.logs[trees.tables_of[column, 0], 0, 0])
    tree.part_values = cython.address(trees.logs[trees.tables_of[column, 0], 1, 0])
    tree.node_values = cython.address(trees.logs[trees.tables_of[column, 1], 1, 0])
    tree.both = cython.address(trees.logs[trees.tables_of[column, 2], 0, 0])
    tree.both_values = cython.address(trees.logs[trees.tables_of[column, 2], 1, 0])
    tree.whole, tree.sides = cython.address(work.whole[0]), cython.address(work.sides[0])
    tree.moved = cython.address(work.moved[0])
    return tree


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rank_table(
    codes: cython.pointer[cython.const[cython.ushort]],
    y: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
    n_levels: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
    ordered: cython.bint,
    y_ordered: cython.bint,
    ranking: Ranking,
    work: Work,
) -> cython.Py_ssize_t:
    """Write the levels of a table that have rows, in order of their rank, and ``work.rank``; returns their number."""
    table: cython.p_int = cython.address(work.table[0, 0])
    levels: cython.p_int = cython.address(work.levels[0])
    level: cython.Py_ssize_t
    s: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t
    n_present: cython.Py_ssize_t = 0
    if ordered:
        for level in range(n_levels):
            for s in range(level * n_slots, (level + 1) * n_slots):
                if table[s] > 0:
                    levels[n_present] = cython.cast(cython.int, level)
                    n_present += 1
                    break
        return n_present
    for level in range(n_levels):
        ranking.size[level], ranking.score[level] = 0.0, 0.0
    if y_ordered:
        score_by_mean(codes, y, n, n_levels, ranking)
    else:
        n_classes = copy_profiles(table, cython.address(work.whole[0]), n_slots, n_levels, ranking)
        score_by_axis(n, n_levels, n_classes, ranking)
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
    y: cython.pointer[cython.ushort] = cython.address(work.y[0])
    codes: cython.pointer[cython.ushort] = cython.address(work.codes[0])
    values: cython.pointer[cython.ushort] = cython.address(work.values[0])
    slots: cython.pointer[cython.ushort] = cython.address(work.slots[0])
    row_at: cython.p_const_int = cython.address(rows[0])
    order: cython.p_int = cython.address(work.order[0])
    ends: cython.p_int = cython.address(work.ends[0])
    ranks: cython.p_int = cython.address(work.ranks[0])
    table: cython.p_int = cython.address(work.table[0, 0])
    gains: cython.p_double = cython.address(work.gains[0])
    of_term: cython.pointer[cython.const[cython.ushort]]
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
    pure: cython.bint = gather(cython.address(x[target, 0]), row_at, n, y)
    best_score: cython.double = 0.0
    best_parent: cython.int = -1
    best_cut: cython.int = -1
    if pure and lambda_unsup == 0.0:
        return best_score, best_parent, best_cut
    n_asked: cython.Py_ssize_t = 0
    tabled: cython.bint = lambda_unsup == 0.0 and lambda_div == 0.0
    tree: Evidence = evidence_of(trees, target, work)
    most_cells: cython.Py_ssize_t = min(2 * n, TABLE_CELLS)
    if tabled:
        for i in range(n):
            slots[i] = cython.cast(cython.ushort, tree.path_slot[tree.path_start[y[i] + 1] - 1])
        count_rows(y, n, cython.address(tree))
        counted = target
    for which in range(candidates.shape[0]):
        if which >= always and (which + turn) % turns != 0:
            continue
        n_asked += 1
        j, worth[which] = candidates[which], -INFINITY
        if gather(cython.address(x[j, 0]), row_at, n, codes):
            continue
        if tabled and n_codes[j] * tree.n_slots <= most_cells:
            fill_table(codes, slots, n, n_codes[j], tree.n_slots, table, cython.address(work.table[1, 0]))
            n_groups = rank_table(
                codes, y, n, n_codes[j], tree.n_slots, ordered[j] != 0, ordered[target] != 0, work.ranking, work
            )
            for g in range(n_groups):
                gains[g], ranks[g] = 0.0, work.levels[g] if ordered[j] else cython.cast(cython.int, g)
            add_gains_of_levels(table, cython.address(work.levels[0]), n_groups, cython.address(tree), ends, gains)
        else:
            if not ordered[j]:
                rank_into(codes, y, n, n_codes[j], n_codes[target], ordered[target] != 0, work.ranking, work.rank)
                for i in range(n):
                    codes[i] = cython.cast(cython.ushort, work.rank[codes[i]])
            n_groups = sort_ranks(
                codes, n, n_codes[j], order, ends, ranks, cython.address(work.start[0]), cython.address(work.stop[0]),
                cython.address(work.seen[0]),
            )  # fmt: skip
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
                    of_term = cython.address(x[v, 0])
                    for i in range(n):
                        values[i] = of_term[row_at[order[i]]]
                if counted != v:
                    tree = evidence_of(trees, v, work)
                    count_rows(values, n, cython.address(tree))
                    counted = v
                add_gains(values, ends, n_groups, 1.0 if term < 0 else lambda_unsup, cython.address(tree), gains)
                if term < 0 and lambda_div > 0.0:
                    add_divergence(
                        work.values[:n], work.ends[:n_groups], lambda_div, n_codes[target], work.gains, work.divergence
                    )
        for g in range(n_groups - 1):
            if ends[g] >= min_leaf and n - ends[g] >= min_leaf:
                n_tried += 1
                worth[which] = max(worth[which], gains[g])
                if gains[g] > best_score:
                    best_score, best_parent, best_cut = gains[g], j, ranks[g]
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
                gather(cython.address(x[j, 0]), cython.address(here[0]), size, cython.address(codes[0]))
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
