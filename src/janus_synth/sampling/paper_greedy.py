"""The paper's Algorithm 1 as printed, for comparison: a model and conditions in, rows out.

Its rows satisfy conditions on single columns, but do not follow the conditional distribution.

Comments give the lines of the printed algorithm. Where it leaves a choice open, the simplest interpretation is used:

- Line 5, P(X_i): the leaves' shares weighted by their rows, times the share of each bin that the conditions leave.
- Line 10, "predicts": the leaf has training rows with the value. A row picks one leaf of one tree of the bag, at
  random.
- Line 11, w_l: the share of the leaf's rows with the value, so that Σ_l w_l H_l counts the parents of that value.
  The parents of one leaf are drawn "jointly"; a parent with further children, or with a condition of its own, is
  drawn from the product of its children's sums, cut to the condition (the paper's domain intersection).
- Line 11 does not add the parents it draws to "sampled", but the next lines make sense only if it does.
- Rules of several columns are dynamic bounds: the values of the next column that the cells drawn so far allow.
- "Generation fails" where a product is empty; here the row falls back to the masked marginal, and where a dynamic
  bound leaves nothing, to the column's own conditions. Such a row may break the rule: nothing is repaired or rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Bools, Codes, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import CODE, INDEX, UNKNOWN
from janus_synth.rules.compilation import EVERYTHING, Sets
from janus_synth.sampling.computing import compute_column, decoded_values
from janus_synth.sampling.forward import Columns, empty_columns, in_blocks, prepare_bags
from janus_synth.sampling.particles import Particles, draw_remaining, new_particles
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.request import Request
from janus_synth.streams import Stream
from janus_synth.table import Table
from janus_synth.trees import Bag

ANYTHING = Sets(np.array([0, 1]), EVERYTHING, np.ones(1, np.uint8))


def sample_greedy(
    plan: Plan,
    n: int,
    *,
    seed: int,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Table:
    """Draw ``n`` rows by reverse topological back-filling, without weights, repairs or rejection."""
    request = plan.request
    out = empty_columns(request.model, n)
    evidence = {column: _evidence(request, column) for column in request.order}
    prepare_bags(request.model)

    def draw(part: slice, rng: np.random.Generator) -> None:
        rows = _reverse_pass(request, evidence, part.stop - part.start, rng)
        for name, values in _forward_pass(request, rows, rng).items():
            out[name][part] = values

    in_blocks(n, draw, seed=seed, stream=Stream.PAPER_GREEDY, first_block=first_block, n_jobs=n_jobs, on_rows=on_rows)
    return Table(request.model.schema, out, n)


def _reverse_pass(request: Request, evidence: Mapping[int, Evidence], n: int, rng: np.random.Generator) -> Particles:
    """Phase 1: conditioned columns first, then their ancestors."""
    rows = new_particles(request, n)  # line 1: an unknown code is a cell not sampled
    leaves: dict[int, Ints] = {}
    for column in reversed(request.order):  # line 3
        own = evidence[column]
        said, heard = _joined(request, evidence, leaves, rows.x, column)
        if column in request.constrained:  # lines 4–6
            said[~heard] = own.marginal
            heard[:] = True
        _draw_masked(request, rows, column, said, own.marginal, at=np.flatnonzero(heard), rng=rng)
        leaves[column] = own.pick_leaves(rows.x[column], rng.random(n))  # lines 8–10
    return rows


def _forward_pass(request: Request, rows: Particles, rng: np.random.Generator) -> Columns:
    """Phase 2: all other cells given their parents; by now every cell that line 17 could mask is sampled."""
    for column in request.order:  # line 15
        if column in request.links:  # not in the paper: a computed column follows from its inputs
            compute_column(request, rows, column)
            continue
        unsampled = rows.x[column] == UNKNOWN  # line 16
        if unsampled.any():
            kept, u = rows.x[column].copy(), rng.random(rows.n)
            request.model.bags[column].draw(rows.x, u)  # line 17
            rows.x[column] = np.where(unsampled, rows.x[column], kept)
        if column in request.valued:
            values = decoded_values(request, column, rows.x[column], rng.random(rows.n))
            rows.values[column] = np.where(np.isnan(rows.values[column]), values, rows.values[column])
    return draw_remaining(request, rows, rng)  # lines 15–17 for columns that no condition depends on, and line 20


# Evidence of children about their parents


@dataclass(frozen=True, slots=True)
class Evidence:
    """A column's leaves, read from its codes to its parents."""

    marginal: Floats
    """(codes,) P(X_i)."""
    seen: Any
    """csr_array (codes × leaves): rows with each code in each leaf."""
    by_leaf: Mapping[int, Any]
    """For parents drawn with their leaf, csr_array (leaves + 1 × parent's codes): H_l, empty in the last row."""
    by_code: Mapping[int, Floats]
    """For other parents, (codes + 1, parent's codes): Σ_l w_l H_l of each code, empty in the last row."""

    def pick_leaves(self, codes: Codes, u: Floats) -> Ints:
        """Draw a leaf in proportion to its rows with the code; the number of leaves where none has any."""
        n_codes, n_leaves = self.seen.shape
        rows_before = np.concatenate([[0], np.cumsum(self.seen.data, dtype=np.int64)])
        code = np.minimum(codes, n_codes - 1)
        first, stop = self.seen.indptr[code], self.seen.indptr[code + 1]
        target = rows_before[first] + u * (rows_before[stop] - rows_before[first])
        at = np.minimum(np.searchsorted(rows_before[1:], target, side="right"), stop - 1)
        some = (codes < n_codes) & (rows_before[stop] > rows_before[first])
        leaves = np.full(len(codes), n_leaves, INDEX)
        leaves[some] = self.seen.indices[at[some]]
        return leaves

    def histograms(self, parent: int, codes: Codes, leaves: Ints) -> Floats:
        """(rows, parent's codes) evidence of each row's cell about a parent; zeros where there is none."""
        if parent in self.by_leaf:
            return np.asarray(self.by_leaf[parent][leaves].toarray(), float)
        table = self.by_code[parent]
        return table[np.minimum(codes, len(table) - 1)]


def _evidence(request: Request, column: int) -> Evidence:
    """Make a column's marginal, and its histograms of each parent."""
    from scipy.sparse import csr_array, diags_array, vstack

    bag = request.model.bags[column]
    forward, backward = bag.leaves.forward, bag.leaves.backward
    seen = csr_array(forward.T)
    rows = np.asarray(forward.sum(axis=1)).ravel()
    share_of_leaf = seen @ diags_array(1.0 / np.maximum(rows, 1))  # w_l of each code
    offsets = np.concatenate([[0], np.cumsum(request.model.codec.n_codes)])
    by_leaf, by_code = {}, {}
    for parent in request.parents[column]:
        h = backward[:, offsets[parent] : offsets[parent + 1]]
        nothing = csr_array((1, h.shape[1]), dtype=h.dtype)
        if parent in request.constrained or len(request.children(parent)) > 1:
            by_code[parent] = np.asarray(vstack([share_of_leaf @ h, nothing]).toarray(), float)
        else:
            by_leaf[parent] = vstack([h, nothing], format="csr")
    return Evidence(_marginal(bag, rows), seen, by_leaf, by_code)


def _marginal(bag: Bag, rows: NDArray[np.integer]) -> Floats:
    shares = rows.astype(float) @ bag.shares
    return np.asarray(shares / shares.sum())


def _joined(
    request: Request, evidence: Mapping[int, Evidence], leaves: Mapping[int, Ints], x: Codes, column: int
) -> tuple[Floats, Bools]:
    """Product of the children's evidence about a column (line 11), and the rows in which any child has some."""
    said = np.ones((x.shape[1], len(evidence[column].marginal)))
    heard = np.zeros(x.shape[1], bool)
    for child in request.children(column):
        h = evidence[child].histograms(column, x[child], leaves[child])
        speaks = h.any(axis=1)
        said[speaks] *= h[speaks]
        most = said.max(axis=1, keepdims=True)
        said /= np.where(most > 0, most, 1.0)  # long products would underflow
        heard |= speaks
    return said, heard


# Masked draws


def _draw_masked(
    request: Request,
    rows: Particles,
    column: int,
    said: Floats,
    marginal: Floats,
    *,
    at: LongInts,
    rng: np.random.Generator,
) -> None:
    """Draw a column of some rows in proportion to the evidence about it, restricted to values that the rules allow.

    Where no value remains, the marginal replaces the evidence; if none remains then, dynamic bounds are dropped and
    only the column's own conditions are kept.
    """
    from janus_synth.kernels.placing import draw_scored

    u, own = rng.random(rows.n), request.own_sets.get(column, ANYTHING)
    bounds = request.sets(column, rows.x, rows.values) or ANYTHING
    everyone = np.broadcast_to(marginal, said.shape)
    for sets, shares in product((bounds, own, ANYTHING), (said, everyone)):
        if not len(at):
            return
        weights = np.broadcast_to(request.allowed_mass(column, sets), said.shape)
        codes, left, totals = np.zeros(len(at), CODE), u[at], np.empty(len(at))
        draw_scored(shares[at] * weights[at], left, codes, totals)
        met = totals > 0
        placed = request.truncations[column].draw_within(codes[met], left[met], _taken(sets, at[met]))
        rows.x[column, at[met]], rows.values[column, at[met]] = codes[met], placed
        at = at[~met]


def _taken(sets: Sets, rows: LongInts) -> Sets:
    """Select the sets of some rows; a set that is common to all rows is returned as it is."""
    if len(sets.null) == 1:
        return sets
    length = np.diff(sets.start)[rows]
    start = np.concatenate([[0], np.cumsum(length)])
    which = np.arange(start[-1]) + np.repeat(sets.start[rows] - start[:-1], length)
    return Sets(start, sets.intervals[which], sets.null[rows])
