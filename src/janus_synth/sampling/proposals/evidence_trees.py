"""Evidence trees: a pilot of unconstrained rows in, a lookahead grown on their probabilities of acceptance out.

For each pilot row and condition the trees learn the exact probability of meeting it under the model, not whether the
row happens to meet it. So they also learn from conditions that no pilot row meets.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.deadlines import under_same_limit
from janus_synth.kernels.dtypes import INDEX, UNKNOWN
from janus_synth.sampling.computing import settled_rules_hold
from janus_synth.sampling.particles import Particles, concatenate, score_column
from janus_synth.sampling.proposals.lookahead import Lookahead, ValueTree
from janus_synth.sampling.request import Request, join_groups
from janus_synth.threads import worker_count
from janus_synth.trees.compiled import CompiledTrees, compile_value_tree

Groups = tuple[tuple[int, ...], ...]
"""Constrained columns, each in one group, in the order in which they are drawn."""

MOST_LEAVES = 64
LEAST_ROWS = 40
MOST_PREDICTORS = 16
"""Columns that a value tree may split on; in wide tables those that gain most by one split."""
STRENGTH = 2.0
"""Shrinkage of a node's value towards its parent, as a number of rows."""
FEW_TREES = 2
"""Trees of a bag that the probability of one pilot row is averaged over; they rotate from row to row.

A narrow leaf of one tree can hold most of a rare event: with the same two trees for all rows the effective sample
size of a request of probability 6e-5 was 0.8 % of the particles, with rotating ones 18 %.
"""
CHUNK = 4096


def evidence_trees(request: Request, pilot: Particles, groups: Groups, *, rare: RareRows | None = None) -> Lookahead:
    """Grow, for every group of constrained columns, value trees of the probability that its conditions will be met.

    A group is settled when the last of its columns is drawn. Columns that rules tie together predict one another: as
    one group their probabilities are multiplied row by row and then averaged. As groups of their own the averages are
    multiplied, which is sharper where they are independent and counts evidence twice where they are not.

    Rows of the rare region, if there are some, join the pilot with weights by the balance heuristic. Means remain those
    of unconstrained rows; the rare rows add resolution in the rare region.
    """
    rows = pilot if rare is None else concatenate([pilot, rare.rows])
    probability = dict(_probabilities_by_column(request, rows))
    weight = np.ones(rows.n)
    if rare is not None:
        with np.errstate(divide="ignore"):
            log_ratio = np.sum([np.log(its) for its in probability.values()], axis=0) - rare.log_mass
        free = pilot.n / rows.n
        weight = 1.0 / (free + (1.0 - free) * np.exp(np.minimum(log_ratio, 700.0)))
    initial: dict[int, float] = {}
    value_trees: dict[int, tuple[ValueTree, ...]] = {}

    def grow(group: tuple[int, ...]) -> tuple[list[tuple[int, CompiledTrees]], float]:
        predictors = _predictors(request, rows, group, probability[group[-1]], weight)
        return _grow_backward(request, rows, probability[group[-1]], predictors, weight, group)

    able = [group for group in groups if np.prod([probability[column] for column in group], axis=0).any()]
    with ThreadPoolExecutor(worker_count(None)) as threads:
        for group, (trees, mean) in zip(able, threads.map(under_same_limit(grow), able), strict=True):
            if mean > 0:
                initial[group[-1]] = mean
                for at, tree in trees:
                    value_trees[at] = (*value_trees.get(at, ()), ValueTree(group[-1], tree))
    return Lookahead(request, initial, value_trees)


def single_groups(request: Request) -> Groups:
    """Every constrained column as a group of its own."""
    return tuple((column,) for column in request.order if column in request.constrained)


def tied_groups(request: Request) -> Groups:
    """Constrained columns, grouped where rules tie them together."""
    return join_groups([{column, *request.partners.get(column, ())} for column in request.constrained], request.order)


def _grow_backward(
    request: Request,
    rows: Particles,
    probability: Floats,
    predictors: list[int],
    weight: Floats,
    group: tuple[int, ...],
) -> tuple[list[tuple[int, CompiledTrees]], float]:
    """Grow a value tree for each predictor of a group, over the columns up to it, latest first (backward induction).

    The tree of an earlier column is grown on the expectation of the later one: its mean over the column's distribution
    given its parents, restricted to what the conditions allow, rather than its value at the code that the row happens
    to have. Returns the mean probability before anything is drawn, too.
    """
    found = []
    x = _up_to(request, rows.x, group[-1])
    for number in range(len(predictors), 0, -1):
        at = predictors[number - 1]
        tree = _grow_value_tree(request, rows, probability, weight, predictors[:number])
        if at in group or at in tree.columns_of_first_tree():
            found.append((at, tree))
            x = _up_to(request, x, at)
            probability = _expected_value(request, replace(rows, x=x), tree, at, constrained=at in group)
    return found, float(weight @ probability / weight.sum())


def _up_to(request: Request, x: Codes, column: int) -> Codes:
    """Codes of the columns before one; all others unknown."""
    place = request.order.index(column)
    known = x.copy()
    known[list(request.order[place:])] = UNKNOWN
    return known


def _expected_value(
    request: Request, rows: Particles, tree: CompiledTrees, column: int, *, constrained: bool
) -> Floats:
    """Expectation of a value tree over a column given the earlier ones, restricted to its conditions if any."""
    out = np.empty(rows.n)
    for start in range(0, rows.n, CHUNK):
        part = rows.take(np.arange(start, min(start + CHUNK, rows.n)))
        own = request.trees(column)
        if constrained:
            score = score_column(request, part, column, most_trees=FEW_TREES).score
        else:
            score = own.shares(own.leaves(part.x, most_trees=FEW_TREES), part.x)
        value_tree = ValueTree(column, tree)
        score = score * value_tree.values(
            part.x, column, score.shape[1], np.zeros(part.n), ordered=request.ordered(column)
        )
        out[start : start + CHUNK] = score.sum(axis=1)
    return out


def _predictors(
    request: Request, rows: Particles, group: tuple[int, ...], probability: Floats, weight: Floats
) -> list[int]:
    """Columns before a group's last one that may predict it, in order; in wide tables the best of them.

    Computed columns are left out: their inputs hold the same information, and can be drawn accordingly.
    """
    known = set(group).union(*(request.ancestors(column) for column in group))
    known |= request.partners.get(group[-1], frozenset())
    before = request.order[: request.order.index(group[-1])]
    earlier = [i for i in before if i in known and i not in request.links]
    if len(earlier) > MOST_PREDICTORS:
        gain = [np.inf if i in group else _gain_alone(request, rows, probability, weight, i) for i in earlier]
        best = set(np.argsort(gain, kind="stable")[-max(MOST_PREDICTORS, len(group) - 1) :])
        earlier = [i for place, i in enumerate(earlier) if place in best]
    return earlier


def _gain_alone(request: Request, rows: Particles, probability: Floats, weight: Floats, column: int) -> float:
    """Gain of the best single split on a column."""
    from janus_synth.kernels.valuing import best_split

    codec = request.model.codec
    n_codes, ordered = codec.n_codes.astype(INDEX), codec.ordered.astype(INDEX)
    everyone, side = np.arange(rows.n, dtype=INDEX), np.zeros(int(n_codes.max()), np.uint8)
    its = np.array([column], INDEX)
    gain, _, _ = best_split(rows.x, probability, weight, everyone, 0, rows.n, its, n_codes, ordered, LEAST_ROWS, side)
    return float(gain)


class RareRows(NamedTuple):
    """Rows that meet a request, and the log of its probability."""

    rows: Particles
    log_mass: float


def _grow_value_tree(
    request: Request, rows: Particles, probability: Floats, weight: Floats, features: list[int]
) -> CompiledTrees:
    """Grow a regression tree of a probability over some columns."""
    from janus_synth.kernels.valuing import grow_values
    from janus_synth.kernels.walking import share_of_left

    codec, its = request.model.codec, np.array(sorted(features), INDEX)
    feature, cut, left, right, start, levels, value, count = grow_values(
        rows.x, probability, weight, its, codec.n_codes.astype(INDEX), codec.ordered.astype(INDEX),
        MOST_LEAVES, LEAST_ROWS, STRENGTH,
    )  # fmt: skip
    return compile_value_tree(
        feature, cut, left, right, start, levels, share_of_left(left, right, count), value, n_columns=len(codec.names)
    )


def _probabilities_by_column(request: Request, rows: Particles) -> Iterator[tuple[int, Floats]]:
    """Each constrained column, and every row's probability of meeting its conditions given the columns before it."""
    x = rows.x.copy()
    for column in reversed(request.order):
        if column in request.constrained:
            yield column, probabilities_of_condition(request, rows, x, column)
        x[column] = UNKNOWN


def probabilities_of_condition(request: Request, pilot: Particles, x: Codes, column: int) -> Floats:
    """Probability of each pilot row that the column meets its conditions, given the columns before it."""
    if column in request.links:
        return settled_rules_hold(request, pilot, column).astype(float)
    before = replace(pilot, x=x)
    parts = [np.arange(start, min(start + CHUNK, pilot.n)) for start in range(0, pilot.n, CHUNK)]
    return np.concatenate(
        [score_column(request, before.take(part), column, most_trees=FEW_TREES).score.sum(axis=1) for part in parts]
    )


def mean_allowed_mass(request: Request, pilot: Particles, column: int) -> Floats:
    """(codes,) mass that the conditions allow, averaged over the other columns of the rules."""
    if column not in request.programs:
        return np.asarray(request.own_masses[column][0])
    some = slice(0, min(pilot.n, 512))
    x, values = np.ascontiguousarray(pilot.x[:, some]), np.ascontiguousarray(pilot.values[:, some])
    sets = request.sets(column, x, values)
    assert sets is not None
    return np.asarray(request.allowed_mass(column, sets).mean(axis=0))
