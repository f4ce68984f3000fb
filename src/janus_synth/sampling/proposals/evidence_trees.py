"""Evidence trees: a pilot of free rows in, trees of the chance that conditions will be met out."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.kernels.dtypes import INDEX, UNKNOWN
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
"""Columns that foretell a condition, the best of them in wide tables."""
STRENGTH = 2.0
"""Rows' worth by which a node leans on the one above."""
FEW_TREES = 2
"""Trees of a bag that are enough for the chance of one pilot row; other ones from row to row, so that every tree of the
bag is heard: a narrow leaf of one tree can hold most of a rare event."""
CHUNK = 4096


def evidence_trees(request: Request, pilot: Particles, groups: Groups, *, rare: RareRows | None = None) -> Lookahead:
    """For every group of constrained columns, trees of the chance that its columns still to come meet what is asked.

    A group is settled when the last of its columns is drawn. Columns that rules tie together foretell one another:
    as one group their chances are multiplied row by row and then averaged. As groups of their own the averages are
    multiplied, which is sharper where they are independent and counts evidence twice where they are not.

    Rows of the rare region, if there are some, join the pilot. Balanced weights keep means what they are among
    free rows, so that the rare rows only add resolution where it counts.
    """
    rows = pilot if rare is None else concatenate([pilot, rare.rows])
    chance = dict(_chances_by_column(request, rows))
    weight = np.ones(rows.n)
    if rare is not None:
        with np.errstate(divide="ignore"):
            log_ratio = np.sum([np.log(its) for its in chance.values()], axis=0) - rare.log_mass
        free = pilot.n / rows.n
        weight = 1.0 / (free + (1.0 - free) * np.exp(np.minimum(log_ratio, 700.0)))
    first: dict[int, float] = {}
    looks: dict[int, tuple[ValueTree, ...]] = {}

    def grow(group: tuple[int, ...]) -> tuple[list[tuple[int, CompiledTrees]], float]:
        predictors = _predictors(request, rows, group, chance[group[-1]], weight)
        return _grow_backward(request, rows, chance[group[-1]], predictors, weight, group)

    able = [group for group in groups if np.prod([chance[column] for column in group], axis=0).any()]
    with ThreadPoolExecutor(worker_count(None)) as threads:
        for group, (walkers, mean) in zip(able, threads.map(grow, able), strict=True):
            if mean > 0:
                first[group[-1]] = mean
                for at, walker in walkers:
                    looks[at] = (*looks.get(at, ()), ValueTree(group[-1], walker))
    return Lookahead(request, first, looks)


def single_groups(request: Request) -> Groups:
    """Every constrained column by itself."""
    return tuple((column,) for column in request.order if column in request.constrained)


def tied_groups(request: Request) -> Groups:
    """Constrained columns, those together that rules tie to one another."""
    return join_groups([{column, *request.partners.get(column, ())} for column in request.constrained], request.order)


def _grow_backward(
    request: Request,
    rows: Particles,
    chance: Floats,
    predictors: list[int],
    weight: Floats,
    group: tuple[int, ...],
) -> tuple[list[tuple[int, CompiledTrees]], float]:
    """For each column that foretells a group's chance, a tree over what is known with that one drawn, latest first.

    The chance is passed back: what the column before is grown on is the mean of the tree over what the column may
    be, by the model and by what is asked of it, rather than the tree at the one value that the row happens to have.
    Returns the mean chance when nothing is known, too.
    """
    found = []
    x = _up_to(request, rows.x, group[-1])
    for number in range(len(predictors), 0, -1):
        at = predictors[number - 1]
        walker = _grow_value_tree(request, rows, chance, weight, predictors[:number])
        if at in group or at in walker.columns_of_first_tree():
            found.append((at, walker))
            x = _up_to(request, x, at)
            chance = _expected_value(request, replace(rows, x=x), walker, at, asked=at in group)
    return found, float(weight @ chance / weight.sum())


def _up_to(request: Request, x: Codes, column: int) -> Codes:
    """Codes of the columns before one, all others unknown."""
    place = request.order.index(column)
    known = x.copy()
    known[list(request.order[place:])] = UNKNOWN
    return known


def _expected_value(request: Request, rows: Particles, walker: CompiledTrees, column: int, *, asked: bool) -> Floats:
    """Mean of a value tree over what a column may be, given each row's columns before it; zero where not as asked."""
    out = np.empty(rows.n)
    for start in range(0, rows.n, CHUNK):
        part = rows.take(np.arange(start, min(start + CHUNK, rows.n)))
        own = request.walker(column)
        if asked:
            score = score_column(request, part, column, most_trees=FEW_TREES).score
        else:
            score = own.shares(own.leaves(part.x, most_trees=FEW_TREES), part.x)
        look = ValueTree(column, walker)
        score = score * look.chances(part.x, column, score.shape[1], np.zeros(part.n), ordered=request.ordered(column))
        out[start : start + CHUNK] = score.sum(axis=1)
    return out


def _predictors(request: Request, rows: Particles, group: tuple[int, ...], chance: Floats, weight: Floats) -> list[int]:
    """Columns before a group's last one that foretell it, in order; the best of them in wide tables."""
    known = set(group).union(*(request.ancestors(column) for column in group))
    known |= request.partners.get(group[-1], frozenset())
    earlier = [i for i in request.order[: request.order.index(group[-1])] if i in known]
    if len(earlier) > MOST_PREDICTORS:
        gain = [np.inf if i in group else _gain_alone(request, rows, chance, weight, i) for i in earlier]
        best = set(np.argsort(gain, kind="stable")[-max(MOST_PREDICTORS, len(group) - 1) :])
        earlier = [i for place, i in enumerate(earlier) if place in best]
    return earlier


def _gain_alone(request: Request, rows: Particles, chance: Floats, weight: Floats, column: int) -> float:
    """How much better a single split on a column foretells a chance."""
    from janus_synth.kernels.valuing import best_split

    codec = request.model.codec
    n_codes, ordered = codec.n_codes.astype(INDEX), codec.ordered.astype(INDEX)
    everyone, side = np.arange(rows.n, dtype=INDEX), np.zeros(int(n_codes.max()), np.uint8)
    its = np.array([column], INDEX)
    gain, _, _ = best_split(rows.x, chance, weight, everyone, 0, rows.n, its, n_codes, ordered, LEAST_ROWS, side)
    return float(gain)


class RareRows(NamedTuple):
    """Rows that meet a request, and the log of its probability."""

    rows: Particles
    log_mass: float


def _grow_value_tree(
    request: Request, rows: Particles, chance: Floats, weight: Floats, features: list[int]
) -> CompiledTrees:
    """Tree of a chance over some columns."""
    from janus_synth.kernels.valuing import grow_values
    from janus_synth.kernels.walking import share_of_left

    codec, its = request.model.codec, np.array(sorted(features), INDEX)
    feature, cut, left, right, start, levels, value, count = grow_values(
        rows.x, chance, weight, its, codec.n_codes.astype(INDEX), codec.ordered.astype(INDEX),
        MOST_LEAVES, LEAST_ROWS, STRENGTH,
    )  # fmt: skip
    return compile_value_tree(
        feature, cut, left, right, start, levels, share_of_left(left, right, count), value, n_columns=len(codec.names)
    )


def _chances_by_column(request: Request, rows: Particles) -> Iterator[tuple[int, Floats]]:
    """Each constrained column and the rows' chances of meeting what is asked of it, given the columns before it."""
    x = rows.x.copy()
    for column in reversed(request.order):
        if column in request.constrained:
            yield column, chances(request, rows, x, column)
        x[column] = UNKNOWN


def chances(request: Request, pilot: Particles, x: Codes, column: int) -> Floats:
    """Chance of each pilot row that the column meets what is asked, given the columns before it."""
    before = replace(pilot, x=x)
    parts = [np.arange(start, min(start + CHUNK, pilot.n)) for start in range(0, pilot.n, CHUNK)]
    return np.concatenate(
        [score_column(request, before.take(part), column, most_trees=FEW_TREES).score.sum(axis=1) for part in parts]
    )


def mean_allowed_mass(request: Request, pilot: Particles, column: int) -> Floats:
    """(codes,) shares that the conditions leave, averaged over what the other columns of its rules may be."""
    if column not in request.programs:
        return np.asarray(request.alone_weights[column][0])
    some = slice(0, min(pilot.n, 512))
    x, values = np.ascontiguousarray(pilot.x[:, some]), np.ascontiguousarray(pilot.values[:, some])
    sets = request.sets(column, x, values)
    assert sets is not None
    return np.asarray(request.allowed_mass(column, sets).mean(axis=0))
