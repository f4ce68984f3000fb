"""Evidence trees: a pilot of free rows in, for every constrained column a tree of its chance out."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from janus_synth.inference.cells import as_values
from janus_synth.inference.lookahead import Look, Lookahead
from janus_synth.inference.particles import Particles, new_particles, score_column
from janus_synth.inference.request import Request
from janus_synth.inference.walker import Walker, value_walker
from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.model import worker_count

Floats = NDArray[np.float64]

PILOT_ROWS = 20_000
MOST_LEAVES = 64
LEAST_ROWS = 40
MOST_TELLERS = 16
"""Columns that foretell a condition, the best of them in wide tables."""
STRENGTH = 2.0
"""Rows' worth by which a node leans on the one above."""
FEW_TREES = 2
"""Trees of a bag that are enough to look ahead by."""
CHUNK = 4096


def draw_pilot(request: Request, n: int, rng: np.random.Generator) -> Particles:
    """Free rows over the request's columns, with values where rules need them."""
    rows = new_particles(request, n)
    for column in request.order:
        bag = request.model.bags[column]
        u = rng.random(n)
        rows.x[column] = 0
        bag.draw(rows.x, u)
        if column in request.programs:
            codec = request.codec(column)
            rows.values[column] = as_values(codec, codec.decode(rows.x[column], u))
    return rows


def evidence_trees(request: Request, pilot: Particles, rare: Rare | None = None) -> Lookahead:
    """For every constrained column and every column that foretells it, a tree over what is known by then.

    Rows of the rare region, if there are some, join the pilot. Balanced weights keep means what they are among
    free rows, so that the rare rows only add resolution where it counts.
    """
    rows = pilot if rare is None else _together(pilot, rare.rows)
    chance = {column: its for column, its in _chances_by_column(request, rows) if its.any()}
    weight = np.ones(rows.n)
    if rare is not None:
        with np.errstate(divide="ignore"):
            log_ratio = np.sum([np.log(its) for its in chance.values()], axis=0) - rare.log_mass
        free = pilot.n / rows.n
        weight = 1.0 / (free + (1.0 - free) * np.exp(np.minimum(log_ratio, 700.0)))
    first = {column: float(weight @ its / weight.sum()) for column, its in chance.items()}
    looks: dict[int, tuple[Look, ...]] = {}

    def grow(column: int) -> list[tuple[int, Walker]]:
        tellers = _tellers(request, rows, column, chance[column], weight)
        return _walkers(request, rows, chance[column], tellers, weight)

    with ThreadPoolExecutor(worker_count(None)) as pool:
        for column, walkers in zip(chance, pool.map(grow, chance), strict=True):
            for at, walker in walkers:
                looks[at] = (*looks.get(at, ()), Look(column, walker))
    return Lookahead(request, first, looks)


def _walkers(
    request: Request, rows: Particles, chance: Floats, tellers: list[int], weight: Floats
) -> list[tuple[int, Walker]]:
    """For each column that foretells a chance, a tree over what is known with that one drawn, latest first.

    The chance is passed back: what the column before is grown on is the mean of the tree over what the column may
    be, by the model, rather than the tree at the one value that the row happens to have.
    """
    found = []
    for number in range(len(tellers), 0, -1):
        at = tellers[number - 1]
        walker = _grown(request, rows, chance, weight, tellers[:number])
        if at in walker.used_by_first():
            found.append((at, walker))
            if number > 1:
                chance = _expected(request, rows, walker, at)
    return found


def _expected(request: Request, rows: Particles, walker: Walker, column: int) -> Floats:
    """Mean of a value tree over what a column may be, given each row's columns before it."""
    out = np.empty(rows.n)
    for start in range(0, rows.n, CHUNK):
        x = np.ascontiguousarray(rows.x[:, start : start + CHUNK])
        own = request.walker(column)
        score = own.shares(own.leaves(x, most_trees=FEW_TREES), x)
        log_scale = np.zeros(x.shape[1])
        nothing, first = np.zeros(x.shape[1], CODE), np.zeros(x.shape[1], INDEX)
        walker.multiply(score, x, column, ordered=request.ordered(column), tree=first, of=nothing, log_scale=log_scale)
        out[start : start + CHUNK] = score.sum(axis=1) * np.exp(log_scale)
    return out


def _tellers(request: Request, rows: Particles, column: int, chance: Floats, weight: Floats) -> list[int]:
    """Columns before a constrained one that foretell it, in order; the best of them in wide tables."""
    known = request.ancestors(column) | request.partners.get(column, frozenset())
    earlier = [i for i in request.order[: request.order.index(column)] if i in known]
    if len(earlier) > MOST_TELLERS:
        gain = [_gain_alone(request, rows, chance, weight, i) for i in earlier]
        best = set(np.argsort(gain)[-MOST_TELLERS:])
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


class Rare(NamedTuple):
    """Rows that meet a request, and the log of its probability."""

    rows: Particles
    log_mass: float


def _together(one: Particles, other: Particles) -> Particles:
    x, values, tree = (
        np.concatenate([getattr(one, part), getattr(other, part)], axis=1) for part in ("x", "values", "tree")
    )
    return Particles(x, values, tree, np.zeros(x.shape[1]))


def _grown(request: Request, rows: Particles, chance: Floats, weight: Floats, features: list[int]) -> Walker:
    """Tree of a chance over some columns."""
    from janus_synth.kernels.valuing import grow_values
    from janus_synth.kernels.walking import share_of_left

    codec, its = request.model.codec, np.array(sorted(features), INDEX)
    feature, cut, left, right, start, levels, value, count = grow_values(
        rows.x, chance, weight, its, codec.n_codes.astype(INDEX), codec.ordered.astype(INDEX),
        MOST_LEAVES, LEAST_ROWS, STRENGTH,
    )  # fmt: skip
    return value_walker(
        feature, cut, left, right, start, levels, share_of_left(left, right, count), value, n_columns=len(codec.names)
    )


def _chances_by_column(request: Request, rows: Particles) -> Iterator[tuple[int, Floats]]:
    """Each constrained column and the rows' chances of meeting what is asked of it, given the columns before it."""
    x = rows.x.copy()
    for column in reversed(request.order):
        if column in request.constrained:
            yield column, chances(request, rows, x, column)
        x[column] = UNKNOWN


def chances(request: Request, pilot: Particles, x: NDArray[np.uint16], column: int) -> Floats:
    """Chance of each pilot row that the column meets what is asked, given the columns before it."""
    before = replace(pilot, x=x)
    parts = [np.arange(start, min(start + CHUNK, pilot.n)) for start in range(0, pilot.n, CHUNK)]
    return np.concatenate(
        [score_column(request, before.take(part), column, most_trees=FEW_TREES).score.sum(axis=1) for part in parts]
    )


def mean_weights(request: Request, pilot: Particles, column: int) -> Floats:
    """(codes,) shares that the conditions leave, averaged over what the other columns of its rules may be."""
    if column not in request.programs:
        return np.asarray(request.alone_weights[column][0])
    some = slice(0, min(pilot.n, 512))
    x, values = np.ascontiguousarray(pilot.x[:, some]), np.ascontiguousarray(pilot.values[:, some])
    sets = request.sets(column, x, values)
    assert sets is not None
    return np.asarray(request.weigh(column, sets).mean(axis=0))
