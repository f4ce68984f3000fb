"""A column foretold from all others: by its parents, forward, and by what it causes, backward.

P(code | the rest of the row) ∝ P(code | parents) · Π over children P(child's code | its parents), each bag summed out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Array, Codes, Floats
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import DataError
from janus_synth.kernels.dtypes import CODE, INDEX
from janus_synth.model import Model
from janus_synth.sampling.cells import as_values
from janus_synth.sampling.forward import in_blocks
from janus_synth.sampling.request import Request, make_request
from janus_synth.sampling.requests import bound_rules
from janus_synth.streams import Stream
from janus_synth.table import Column, Table, shown_value
from janus_synth.trees.compiled import CompiledTrees


def columns_known(model: Model, target: str, present: Sequence[str]) -> tuple[str, ...]:
    """Columns to predict from, of those that a table has.

    A column may be absent if all that it causes is absent, too: then it says nothing. Any other absence would have to
    be averaged over.
    """
    here = set(present) - {target}
    for name in model.codec.names:
        if name != target and name not in here:
            speaks = model.dag.descendants(name) & (here | {target})
            if speaks:
                raise DataError(
                    f"column {name!r} is absent, but {', '.join(map(repr, sorted(speaks)))} depends on it. Give all "
                    "columns, or fill the table with complete(rows) first."
                )
    return tuple(name for name in model.codec.names if name in here)


def code_probabilities(model: Model, table: Table, target: str, *, n_jobs: int | None = None) -> Floats:
    """(rows, codes) probability of each code of a column given the rest of each row, rules kept."""
    request = make_request(model, bound_rules(model), also=range(len(model.bags)))
    column = request.footing.index(target)
    known = [i for i, name in enumerate(model.codec.names) if name in table.columns and i != column]
    x = model.codec.encode(table)
    values = np.full(x.shape, np.nan)
    for i in known:
        values[i] = as_values(request.codec(i), table[model.codec.names[i]])
    out = np.empty((table.n_rows, request.codec(column).n_codes))

    def work(part: slice, rng: np.random.Generator) -> None:
        out[part] = _probabilities(request, column, known, x[:, part].copy(), values[:, part].copy())

    in_blocks(table.n_rows, work, seed=0, stream=Stream.PREDICTION, n_jobs=n_jobs)
    return out


def _probabilities(request: Request, column: int, known: list[int], x: Codes, values: Floats) -> Floats:
    x[column] = 0
    walker = request.walker(column)
    score = walker.shares(walker.leaves(x), x)
    spoken = {column, *known}
    if (rules := request.partners.get(column, frozenset())) <= spoken:
        sets = request.sets(column, x, values)
        if sets is not None:
            score = score * request.weigh(column, sets)
    else:
        raise DataError(f"a rule ties the column to {', '.join(request.footing.names[i] for i in rules - spoken)}.")
    for child in request.children(column):
        if child in known:
            score *= _by_child(request, request.walker(child), column, child, x)
            score /= np.maximum(score.max(axis=1, keepdims=True), 1e-300)
    total = score.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise DataError(
            f"row {int(np.flatnonzero(total[:, 0] == 0)[0])} leaves no value of the column that the rules allow."
        )
    return np.asarray(score / total)


def _by_child(request: Request, walker: CompiledTrees, column: int, child: int, x: Codes) -> Floats:
    """(rows, codes) how likely the child's own code is, for every code of the column, in the mean over its trees."""
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
    """Probabilities under the names of levels, values or ranges; null last, where it can be."""
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


def best_values(model: Model, target: str, by_code: Floats) -> Array:
    """The likeliest level, or the median of an ordered column; null only where it is likelier than not."""
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
    """The level of each code, of a shared one the likeliest."""
    shared = int(np.argmax(codec.shared_weight)) if codec.shared_weight.any() else -1
    table = np.concatenate([codec.own, [shared, -1]]).astype(np.int32)
    return np.asarray(table[codes])
