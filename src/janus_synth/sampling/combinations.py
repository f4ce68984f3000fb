"""Combinations of discrete values that rules allow: a conjunction in, one conjunction for each combination out."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.encoding import OrderedCodec
from janus_synth.model import Model
from janus_synth.rules import BoundRule
from janus_synth.rules.compilation import Tests, columns_of
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.nodes import Compare, IsIn, IsNull, Rule
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.request import may_determine
from janus_synth.sampling.truncation import as_cells
from janus_synth.table import Schema, Table


def allowed_combinations(model: Model, tests: Tests, *, most: int, most_tried: int) -> list[Tests] | None:
    """Enumerate the values of columns that equations or fixed combinations tie together, if all are discrete.

    Returns one conjunction of tests on single columns for each allowed combination, with the tests on other columns;
    None if there are more than ``most`` combinations, if more than ``most_tried`` had to be tried, or if no rule ties
    columns.
    """
    tight = [test for test in tests if len(columns_of(test)) > 1 and may_determine(test)]
    names = sorted({name for test in tight for name in columns_of(test)})
    if not names:
        return None
    inside = [test for test in tests if columns_of(test) <= set(names)]
    outside = tuple(test for test in tests if not columns_of(test) <= set(names))
    pools: list[Floats] = []
    for name in names:
        values = _values(model, name, [test for test in inside if columns_of(test) == {name}])
        if values is None or len(values) * math.prod(map(len, pools)) > most_tried:
            return None
        pools.append(values)
    grid = np.stack(np.meshgrid(*pools, indexing="ij")).reshape(len(names), -1)
    kept = grid[:, _hold(model, names, grid, inside)]
    if not 0 < kept.shape[1] <= most:
        return None
    return [
        (*(_equals(model, name, value) for name, value in zip(names, row, strict=True)), *outside) for row in kept.T
    ]


def as_bound_rules(tests: Iterable[Rule]) -> tuple[BoundRule, ...]:
    """Bound tests as rules that can judge a table."""
    return tuple(BoundRule(test, test) for test in tests)


def _values(model: Model, name: str, tests: list[Rule]) -> Floats | None:
    """Values of a discrete column that its own tests allow, NaN for null; None for a continuous column."""
    codec = model.codec.columns[name]
    if isinstance(codec, OrderedCodec):
        if len(codec.atoms) < codec.n_bins:
            return None
        values = np.asarray(codec.atoms, float)
    else:
        values = np.arange(len(model.schema[name].levels), dtype=float)
    pool = np.append(values, np.nan) if model.schema[name].nullable else values
    return pool[_hold(model, [name], pool[None, :], tests)]


def _hold(model: Model, names: list[str], grid: Floats, tests: list[Rule]) -> Bools:
    """Mask of the combinations (columns, combinations) that keep all tests."""
    cells = {name: as_cells(model.codec.columns[name], values) for name, values in zip(names, grid, strict=True)}
    table = Table(Schema(tuple(model.schema[name] for name in names)), cells, grid.shape[1])
    return rows_that_hold(as_bound_rules(tests), table)


def _equals(model: Model, name: str, value: float) -> Rule:
    """Test that a column has one value."""
    if np.isnan(value):
        return IsNull(name)
    if isinstance(model.codec.columns[name], OrderedCodec):
        return Compare(Linear((Term(name),)), "==", Linear((), float(value)))
    return IsIn(name, (int(value),))
