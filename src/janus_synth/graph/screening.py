"""Screening of parents in wide tables: codes in, for every column the few dozen others it depends on most out.

In a chain a column may use all earlier ones, so that the work of growing trees is quadratic in the number of columns.
Trees rarely use more than a few dozen. Here all pairs of columns are scored by their mutual information on coarse
groups of codes, which takes one matrix product, and only the best candidates are handed to the trees.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Codes, Floats, Ints
from janus_synth.graph.dag import Dag

N_GROUPS = 8
"""Groups of codes a column is cut into for screening: enough to see a curved dependence, few enough for 1,000 rows."""
MOST_ROWS = 8_192
"""Rows that associations are estimated on; enough to rank dependences that are strong enough for trees to use."""
BLOCK_COLUMNS = 64
"""Columns whose pairs with all others are counted at a time, which bounds memory."""
MOST_PARENTS = 64
"""Candidates that a column keeps; tables of up to this many columns are not screened at all.

Measured on ``communities_crime``, 128 columns: with 64 rows are detected as often as with all, with 40 and fewer more
often (docs/defaults.md).
"""


def screen_parents(dag: Dag, x: Codes, ordered: Sequence[bool], keep: Sequence[tuple[str, str]] = ()) -> Dag:
    """Leave each column its best ``MOST_PARENTS`` candidate parents, in the order they had.

    Parameters
    ----------
    dag : Dag
        Candidate parents of every column; its columns are in the order of the rows of ``x``.
    x : array of shape (columns, rows)
        Codes.
    ordered : sequence of bool
        Whether neighbouring codes of a column are neighbouring values.
    keep : sequence of (parent, child)
        Edges that are kept regardless of their score.
    """
    names = list(dag.parents)
    if max(map(len, dag.parents.values()), default=0) <= MOST_PARENTS:
        return dag
    score = mutual_information(x, ordered)
    index = {name: i for i, name in enumerate(names)}
    for parent, child in keep:
        score[index[parent], index[child]] = np.inf
    parents = {}
    for child, candidates in dag.parents.items():
        worth = score[[index[parent] for parent in candidates], index[child]]
        best = set(np.argsort(-worth, kind="stable")[:MOST_PARENTS])
        best |= set(np.flatnonzero(np.isinf(worth)))
        parents[child] = tuple(parent for place, parent in enumerate(candidates) if place in best)
    return Dag(parents)


def mutual_information(x: Codes, ordered: Sequence[bool]) -> Floats:
    """(columns, columns) mutual information of coarse groups of codes in nats, minus its bias under independence.

    The expected excess of the plug-in estimate is (a − 1)(b − 1) / 2n for a and b groups in n rows (Miller–Madow).
    """
    from scipy.special import xlogy

    step = -(-x.shape[1] // MOST_ROWS)
    some = x[:, ::step]
    groups = [coarse_groups(codes, ordered=is_ordered) for codes, is_ordered in zip(some, ordered, strict=True)]
    sizes = np.array([int(group.max(initial=0)) + 1 for group in groups])
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    n = some.shape[1]
    member = np.zeros((n, int(sizes.sum())), np.float32)
    for first, group in zip(start, groups, strict=True):
        member[np.arange(n), first + group] = 1.0
    score = np.empty((len(groups), len(groups)))
    by_group = xlogy(total := member.sum(axis=0, dtype=np.float64), total)
    entropy = np.log(n) - np.add.reduceat(by_group, start) / n
    for first in range(0, len(groups), BLOCK_COLUMNS):
        block = slice(first, first + BLOCK_COLUMNS)
        begin, end = start[block][0], start[block][-1] + sizes[block][-1]
        joint = (member[:, begin:end].T @ member).astype(np.float64)
        by_pair = np.add.reduceat(np.add.reduceat(xlogy(joint, joint), start, axis=1), start[block] - begin, axis=0)
        excess = np.outer(sizes[block] - 1, sizes - 1) / (2 * n)
        score[block] = entropy[block, None] + entropy - (np.log(n) - by_pair / n) - excess
    return score


def coarse_groups(codes: Codes, *, ordered: bool) -> Ints:
    """(rows,) group of each row's code: runs of equal mass if ordered, otherwise frequent levels and the rest."""
    count = np.bincount(codes)
    if np.count_nonzero(count) <= N_GROUPS:
        group = np.cumsum(count > 0) - 1
    elif ordered:
        before = np.concatenate([[0], np.cumsum(count)[:-1]])
        group = (N_GROUPS * (before + count / 2) / len(codes)).astype(int)
        group = np.unique(group, return_inverse=True)[1]
    else:
        group = np.full(len(count), N_GROUPS - 1)
        group[np.argsort(-count, kind="stable")[: N_GROUPS - 1]] = np.arange(N_GROUPS - 1)
    return np.asarray(group[codes], np.int32)
