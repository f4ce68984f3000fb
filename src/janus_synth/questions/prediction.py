"""Posterior predictive distribution of a column given all others: rows in, probabilities of its codes out.

P(code | rest of the row) ∝ P(code | parents) · Π over children P(child's code | its parents), averaged over the trees
of each bag.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Array, Codes, Floats
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import DataError
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.model import Model
from janus_synth.sampling.forward import in_blocks
from janus_synth.sampling.plan import bound_rules
from janus_synth.sampling.request import Request, make_request
from janus_synth.streams import Stream
from janus_synth.table import Column, Table, shown_value
from janus_synth.table.cells import as_floats
from janus_synth.trees.compiled import CompiledTrees


def predictor_columns(model: Model, target: str, present: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a table that a prediction uses.

    A column may be absent if all its descendants are absent, too: then it carries no information. Any other absent
    column would have to be marginalised and raises DataError.
    """
    given = set(present) - {target}
    for name in model.codec.names:
        if name != target and name not in given:
            needed_by = model.dag.descendants(name) & (given | {target})
            if needed_by:
                raise DataError(
                    f"column {name!r} is absent, but {', '.join(map(repr, sorted(needed_by)))} depends on it. Give all "
                    "columns, or impute the table with complete(rows) first."
                )
    return tuple(name for name in model.codec.names if name in given)


def code_probabilities(model: Model, table: Table, target: str, *, n_jobs: int | None = None) -> Floats:
    """(rows, codes) probability of each code of a column given the rest of each row and the rules."""
    request = make_request(model, bound_rules(model), also=range(len(model.bags)))
    column = request.index(target)
    known = [i for i, name in enumerate(model.codec.names) if name in table.columns and i != column]
    x = model.codec.encode(table)
    values = np.full(x.shape, np.nan)
    for i in known:
        values[i] = as_floats(table[model.codec.names[i]])
    out = np.empty((table.n_rows, request.codec(column).n_codes))

    def work(part: slice, rng: np.random.Generator) -> None:
        out[part] = _probabilities(request, column, known, x[:, part].copy(), values[:, part].copy())

    in_blocks(table.n_rows, work, seed=0, stream=Stream.PREDICTION, n_jobs=n_jobs)
    return out


def _probabilities(request: Request, column: int, known: list[int], x: Codes, values: Floats) -> Floats:
    x[column] = 0
    walker = request.trees(column)
    score = walker.shares(walker.leaves(x), x)
    given = {column, *known}
    if (partners := request.partners.get(column, frozenset())) <= given:
        sets = request.sets(column, x, values)
        if sets is not None:
            score = score * request.allowed_mass(column, sets)
    else:
        raise DataError(f"a rule ties the column to {', '.join(request.names[i] for i in partners - given)}.")
    for child in request.children(column):
        if child in known:
            score *= _child_likelihood(request, request.trees(child), column, child, x)
            score /= np.maximum(score.max(axis=1, keepdims=True), 1e-300)
    total = score.sum(axis=1, keepdims=True)
    if (total == 0).any():
        row = int(np.flatnonzero(total[:, 0] == 0)[0])
        raise DataError(f"the rules admit no value of the column in row {row}, given the other cells of the row.")
    return np.asarray(score / total)


def _child_likelihood(request: Request, walker: CompiledTrees, column: int, child: int, x: Codes) -> Floats:
    """(rows, codes) likelihood of the child's observed code for every code of the column, summed over its trees."""
    n = x.shape[1]
    own = np.ascontiguousarray(x[child], CODE)
    fixed = walker.shares_of(own, walker.leaves(x), x)
    total = np.zeros((n, request.codec(column).n_codes))
    for t in range(walker.n_trees):
        if not walker.trees.uses[t, column]:
            total += fixed[:, t : t + 1]
            continue
        score, log_scale = np.ones_like(total), np.zeros(n)
        tree = np.full(n, t, INDEX)
        walker.multiply(score, x, column, ordered=request.ordered(column), tree=tree, of=own, log_scale=log_scale)
        total += score * np.exp(log_scale)[:, None]
    return total


def labelled_probabilities(model: Model, target: str, by_code: Floats) -> dict[str, Floats]:
    """Name the probabilities of codes by level, value or range; null comes last, if the column can be null."""
    codec, column = model.codec.columns[target], model.schema[target]
    named: dict[str, Floats] = {}
    if isinstance(codec, LevelCodec):
        shared = codec.shared_weight
        of_shared = shared / shared.sum() if shared.sum() else shared
        for level in np.flatnonzero(codec.weight > 0):
            own = np.flatnonzero(codec.own == level)
            named[str(column.levels[level])] = (
                by_code[:, own[0]] if len(own) else by_code[:, len(codec.own)] * of_shared[level]
            )
    elif isinstance(codec, OrderedCodec):
        for k in range(codec.n_bins):
            named[_range_name(codec, column, k)] = by_code[:, k]
    if codec.allowed[-1]:
        named["null"] = by_code[:, -1]
    return named


def _range_name(codec: OrderedCodec, column: Column, k: int) -> str:
    low, high = (shown_value(column, end) for end in (codec.smallest(k), codec.largest(k)))
    shown = [f"{end:.6g}" if isinstance(end, float) else str(end) for end in (low, high)]
    return shown[0] if low == high else f"{shown[0]} to {shown[1]}"


def point_predictions(model: Model, target: str, by_code: Floats) -> Array:
    """Return the most probable level, or the median of an ordered column; null only where its probability exceeds ½."""
    codec = model.codec.columns[target]
    null = by_code[:, -1] > 0.5
    present = by_code[:, :-1] / np.maximum(1.0 - by_code[:, -1:], 1e-300)
    if not codec.ordered:
        codes, inside = np.argmax(present, axis=1), np.full(len(present), 0.5)
    else:
        below = np.cumsum(present, axis=1)
        codes = np.minimum((below < 0.5).sum(axis=1), present.shape[1] - 1)
        own = present[np.arange(len(codes)), codes]
        lower = below[np.arange(len(codes)), codes] - own
        inside = np.clip((0.5 - lower) / np.maximum(own, 1e-300), 0.0, 1.0)
    codes = np.where(null, by_code.shape[1] - 1, codes).astype(CODE)
    if isinstance(codec, LevelCodec) and not codec.ordered:
        return _likeliest_levels(codec, codes)
    values: Array = codec.decode(codes, inside)
    return values


def _likeliest_levels(codec: LevelCodec, codes: Codes) -> Array:
    """The level of each code; for the shared code of rare levels, the most frequent of them."""
    shared = int(np.argmax(codec.shared_weight)) if codec.shared_weight.any() else -1
    table = np.concatenate([codec.own, [shared, -1]]).astype(np.int32)
    return np.asarray(table[codes])
