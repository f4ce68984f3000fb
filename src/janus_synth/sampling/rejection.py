"""Rejection sampling: unconstrained rows of the model in, those that keep every rule out.

Accepted rows follow the model's conditional distribution by definition, independently of one another. It is the
cheapest method for a common request; a pilot estimates how common a request is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.deadlines import check_time
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.rules import BoundRule
from janus_synth.rules.compilation import columns_of, split_conjunction
from janus_synth.sampling.computing import compute_column, decoded_values, rows_that_hold, values_table
from janus_synth.sampling.forward import Columns
from janus_synth.sampling.particles import Particles, columns_to_decode, complete_rows, new_particles
from janus_synth.sampling.request import Request
from janus_synth.table import Table

LEAST_ROUND, MOST_ROUND = 256, 65_536
"""Unconstrained rows that are drawn at once; larger rounds are faster per row and cost more memory."""
ROUND_CELLS = 2**20
"""Cells of a round at most, unless it is one of a few thousand rows."""
WORTH_DROPPING = 0.9
"""Rejected rows are dropped while columns are drawn once this share or less is left; copying the others has a cost."""


class Acceptance(NamedTuple):
    """How many of some unconstrained rows keep every rule."""

    n_accepted: int
    n_drawn: int

    @property
    def share(self) -> float:
        """Share of the unconstrained rows that keep every rule."""
        return self.n_accepted / self.n_drawn


def draw_unconstrained(request: Request, n: int, rng: np.random.Generator) -> Particles:
    """Draw rows over the request's columns, with values where rules need them, rounded as the table stores them.

    Row k uses the k-th run of the generator's numbers, so that drawing in several calls gives the same rows.
    """
    rows = new_particles(request, n)
    uniforms = np.ascontiguousarray(rng.random((n, len(request.order))).T)
    for column, u in zip(request.order, uniforms, strict=True):
        _draw_free(request, rows, column, u)
    return rows


def constrained_table(request: Request, rows: Particles) -> Table:
    """The columns that rules name, as a table that rules can be evaluated on."""
    names = [name for i, name in enumerate(request.names) if i in request.constrained]
    return values_table(request, rows.values, names)


@dataclass(slots=True)
class Block:
    """Rows that are wanted from generators of their own, and those that are accepted so far."""

    n_wanted: int
    for_request: np.random.Generator
    for_rest: np.random.Generator
    share: float
    """Expected acceptance rate."""
    n_found: int = 0
    n_drawn: int = 0
    parts: list[Columns] = field(default_factory=list)

    @property
    def n_missing(self) -> int:
        """Rows that are wanted and not found yet."""
        return self.n_wanted - self.n_found

    def add(self, part: Columns, n: int, n_drawn: int) -> None:
        """Add the ``n`` accepted rows among some that were drawn."""
        self.parts.append(part)
        self.n_found, self.n_drawn = self.n_found + n, self.n_drawn + n_drawn
        self.share = max(self.n_found, 1) / self.n_drawn

    def rows(self) -> Columns:
        """All accepted rows."""
        if len(self.parts) == 1:
            return self.parts[0]
        return {name: np.concatenate([part[name] for part in self.parts]) for name in self.parts[0]}


def draw_accepted(
    request: Request, sizes: Sequence[int], rngs: Sequence[np.random.Generator], *, share: float, most_drawn: int
) -> list[Columns]:
    """Draw unconstrained rows for blocks of some sizes; return as many accepted rows for each, or fewer.

    A block gives up when ``most_drawn`` rows are drawn for it. ``share`` is the expected acceptance rate: it decides
    how many rows are drawn at a time, not which rows they are. The first m of n rows do not depend on n, and a block's
    rows do not depend on the blocks that are drawn together with it.
    """
    tests = group_tests(request)
    blocks = []
    for n, rng in zip(sizes, rngs, strict=True):
        for_request, for_rest = rng.spawn(2)
        blocks.append(Block(n, for_request, for_rest, share))
    while unfinished := [each for each in blocks if each.n_missing and each.n_drawn < most_drawn]:
        _draw_round(request, unfinished, tests)
    return [each.rows() for each in blocks]


def _draw_round(request: Request, blocks: Sequence[Block], tests: Mapping[int, tuple[BoundRule, ...]]) -> None:
    """Draw unconstrained rows for all blocks together, and add to each the accepted ones among its own."""
    n_columns, n_rest = len(request.order), len(columns_to_decode(request))
    n_free = [round_size(each.n_missing, each.share, n_columns) for each in blocks]
    drawn = [each.for_request.random((n, n_columns)) for each, n in zip(blocks, n_free, strict=True)]
    rows, kept = draw_kept(request, join_uniforms(drawn), tests)
    ends = np.searchsorted(kept, np.cumsum(n_free)).tolist()
    starts = [0, *ends[:-1]]
    stops = [min(end, start + each.n_missing) for start, end, each in zip(starts, ends, blocks, strict=True)]
    parts = list(zip(starts, stops, strict=True))
    if stops != ends:  # more than are missing
        rows = _take(rows, np.concatenate([np.arange(*part) for part in parts]), request.order, request.valued)
    n_kept = [stop - start for start, stop in parts]
    rest = [each.for_rest.random((n, n_rest)) for each, n in zip(blocks, n_kept, strict=True)]
    columns, at = complete_rows(request, rows, np.concatenate(rest)), 0
    for each, n, n_drawn in zip(blocks, n_kept, n_free, strict=True):
        each.add({name: values[at : at + n] for name, values in columns.items()}, n, n_drawn)
        at += n


def join_uniforms(parts: Sequence[Floats]) -> Floats:
    """Uniforms of several generators, (rows, columns) each, as one array of (columns, rows)."""
    out = np.empty((parts[0].shape[1], sum(map(len, parts))))
    at = 0
    for part in parts:
        out[:, at : at + len(part)] = part.T
        at += len(part)
    return out


def round_size(missing: int, share: float, n_columns: int) -> int:
    """Unconstrained rows to draw for the rows that are missing: with two standard deviations to spare, within bounds.

    Examples
    --------
    >>> round_size(4096, 1.0, 8), round_size(4096, 0.5, 8), round_size(4096, 0.01, 8), round_size(4096, 0.01, 100)
    (4096, 8374, 65536, 10485)
    """
    wanted = int(np.ceil((missing + 2 * np.sqrt(missing * (1 - share))) / share))
    return min(max(wanted, LEAST_ROUND), most_drawn_at_once(n_columns))


def most_drawn_at_once(n_columns: int) -> int:
    """Most unconstrained rows that are drawn together."""
    return min(max(ROUND_CELLS // max(n_columns, 1), 4096), MOST_ROUND)


def group_tests(request: Request) -> dict[int, tuple[BoundRule, ...]]:
    """The tests of all rules, by the last of their columns to be drawn."""
    found: dict[int, tuple[BoundRule, ...]] = {}
    for test in split_conjunction(rule.test for rule in request.rules):
        places = [request.order.index(request.index(name)) for name in columns_of(test)]
        last = request.order[max(places, default=-1)]
        found[last] = (*found.get(last, ()), BoundRule(test, test))
    return found


def draw_kept(
    request: Request, uniforms: Floats, tests: Mapping[int, tuple[BoundRule, ...]]
) -> tuple[Particles, LongInts]:
    """Draw unconstrained rows over the request's columns; return those that keep every rule, and their positions.

    They are the rows that `draw_unconstrained` draws from the same ``uniforms`` (columns of the request, rows), which
    are used up. A test is evaluated as soon as its columns are drawn, and columns after it are drawn for the remaining
    rows only. Columns outside of the request are not set.
    """
    d, n = len(request.names), uniforms.shape[1]
    rows = Particles(np.zeros((d, n), CODE), np.zeros((d, n)), np.zeros((d, 0), INDEX), np.zeros(n))
    position, alive = np.arange(n), np.ones(n, bool)
    for place, column in enumerate(request.order):
        _draw_free(request, rows, column, uniforms[place, : rows.n])
        if column not in tests:
            continue
        names = dict.fromkeys(name for rule in tests[column] for name in sorted(columns_of(rule.test)))
        alive &= rows_that_hold(tests[column], values_table(request, rows.values, names))
        if place + 1 < len(request.order) and alive.mean() > WORTH_DROPPING:
            continue
        kept = np.flatnonzero(alive)
        if len(kept) < rows.n:
            rows = _take(rows, kept, request.order[: place + 1], request.valued)
            uniforms[place + 1 :, : len(kept)] = np.take(uniforms[place + 1 :], kept, axis=1)
            position, alive = position[kept], np.ones(len(kept), bool)
    if not alive.all():
        kept = np.flatnonzero(alive)
        rows, position = _take(rows, kept, request.order, request.valued), position[kept]
    return rows, position


def _draw_free(request: Request, rows: Particles, column: int, u: Floats) -> None:
    """Draw one column from its parents, or compute it; ``u`` is used up."""
    check_time()
    if column in request.links:
        compute_column(request, rows, column)
        return
    rows.x[column] = 0
    request.model.bags[column].draw(rows.x, u)
    if column in request.valued:
        rows.values[column] = decoded_values(request, column, rows.x[column], u)


def _take(rows: Particles, kept: LongInts, drawn: Sequence[int], valued: frozenset[int]) -> Particles:
    """Some rows with the columns that are drawn; the others are neither read nor set."""
    d, n = len(rows.x), len(kept)
    out = Particles(np.zeros((d, n), CODE), np.zeros((d, n)), np.zeros((d, 0), INDEX), np.zeros(n))
    for column in drawn:
        rows.x[column].take(kept, out=out.x[column], mode="clip")  # unlike "raise", it writes without a copy
        if column in valued:
            rows.values[column].take(kept, out=out.values[column], mode="clip")
    return out
