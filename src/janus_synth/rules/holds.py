"""A rule and a table in, one true or false per row out: the judge of everything the model emits.

Numbers are compared with a tolerance of a few units in the last place, so that 0.1 + 0.2 equals 0.3; where all terms
are whole numbers (counts, microseconds) the comparison is exact.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.errors import UnknownColumnError
from janus_synth.rules.language.bind import BoundRule, bind
from janus_synth.rules.language.nodes import (
    And,
    Compare,
    FixedCombinations,
    Increments,
    IsIn,
    IsNull,
    Linear,
    Not,
    Or,
    Rule,
)
from janus_synth.rules.language.parse import as_rule
from janus_synth.table import Column, Schema, Table, read_table
from janus_synth.table.frames import column_names, read_column, unwrap

ULPS = 4.0  # rounding of a sum and of the decimals in it
DOUBLE, SINGLE = 2.0**-52, 2.0**-23
_SINGLE_DTYPES = ("float32", "float[pyarrow]", "float", "halffloat", "float16")


def holds(rule: object, frame: Any, schema: Schema | None = None) -> Bools:
    """Judge each row of a table.

    A comparison that meets a null does not hold, and neither does its negation: ``not (x > 3)`` means ``x <= 3``.
    ``implies(a, b)`` holds where ``a`` does not, so a null in ``a`` satisfies it.

    Parameters
    ----------
    rule : str or Rule
        What to judge by.
    frame : DataFrame or Table
        pandas, polars, pyarrow or a JANUS table; only the rule's columns are read.
    schema : Schema, optional
        How to read the frame, and which levels there are: a level it does not know is refused. Without it, kinds
        are detected, and a level that no row takes is no error.

    Returns
    -------
    array of bool
        One per row.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [15, 40, None], "city": ["Rome", "Oslo", "Rome"]})
    >>> holds("age >= 18 and city in ['Oslo', 'Bonn']", people)
    array([False,  True, False])
    >>> holds("implies(age < 18, city == 'Rome')", people)
    array([ True,  True,  True])
    """
    source = as_rule(rule)
    if isinstance(frame, Table):
        return judge(bind(source, frame.schema, strict=schema is not None), frame)
    kind, native = unwrap(frame)
    names = column_names(kind, native)
    for name in source.columns:
        if name not in names:
            raise UnknownColumnError(name, map(str, names), where="the frame")
    if native.shape[0] == 0:
        if schema is not None:
            bind(source, schema)
        return np.zeros(0, dtype=bool)
    table = _read(frame, source.columns, schema)
    return judge(bind(source, table.schema, strict=schema is not None), table)


def _read(frame: Any, names: tuple[str, ...], schema: Schema | None) -> Table:
    """Read some columns; what detection would take for identifiers is read by its dtype."""
    if schema is not None:
        return read_table(frame, schema, columns=names)
    table = read_table(frame, columns=names)
    kind, native = unwrap(frame)
    spared = [column.name for column in table.schema if not column.is_learnt]
    if not spared:
        return table
    return read_table(
        frame, {name: {"kind": read_column(kind, native, name).natural} for name in spared}, columns=names
    )


def judge(rule: BoundRule, table: Table) -> Bools:
    """Judge each row of a table by a bound rule; the table's levels begin with those the rule was bound to."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _judged(rule.test, table)


def _judged(test: Rule, table: Table) -> Bools:
    match test:
        case And(parts):
            return reduce(np.logical_and, [_judged(part, table) for part in parts])
        case Or(parts):
            return reduce(np.logical_or, [_judged(part, table) for part in parts])
        case IsNull(column, negated):
            return ~table.missing(column) if negated else table.missing(column)
        case IsIn(column, values, negated):
            found = _is_in(table, column, values)
            return (~found if negated else found) & ~table.missing(column)
        case Compare(left, op, right):
            return _compared(table, left, op, right.constant)
        case Increments(column, step):
            return _is_multiple(table, column, step)
        case FixedCombinations():
            return _is_combination(table, test)
        case Not(Increments(column, step)):
            return ~_is_multiple(table, column, step) & ~table.missing(column)
        case Not(FixedCombinations() as part):
            return ~_is_combination(table, part)
    raise TypeError(f"{test!r} is no bound rule.")


def _compared(table: Table, left: Linear, op: str, bound: float) -> Bools:
    """Compare a weighted sum with a number, within the rounding of its terms."""
    gap = np.full(table.n_rows, -float(bound))
    slack = np.full(table.n_rows, DOUBLE * abs(bound))
    whole = np.full(table.n_rows, float(bound).is_integer())
    missing = np.zeros(table.n_rows, dtype=bool)
    for column, coefficient, _ in left.terms:
        product = coefficient * table[column].astype(np.float64)
        missing |= table.missing(column)
        gap += product
        slack += _precision(table, column) * np.abs(product)
        whole &= product == np.rint(product)
    slack = np.where(whole, 0.0, ULPS * slack)
    match op:
        case "<":
            found = gap < -slack
        case "<=":
            found = gap <= slack
        case ">":
            found = gap > slack
        case ">=":
            found = gap >= -slack
        case "==":
            found = np.abs(gap) <= slack
        case _:
            found = np.abs(gap) > slack
    return found & ~missing


def _precision(table: Table, column: str) -> float:
    return SINGLE if is_single(table.schema[column]) else DOUBLE


def is_single(column: Column) -> bool:
    """Whether values are stored in single precision or less."""
    return column.dtype.lower().split()[0] in _SINGLE_DTYPES


def _is_in(table: Table, column: str, values: tuple[Any, ...]) -> Bools:
    cells = table[column]
    if table.schema[column].is_discrete:
        return np.isin(cells, values)
    if not values:
        return np.zeros(table.n_rows, dtype=bool)
    known = np.unique(np.array(values, dtype=np.float64))
    return _equal(cells, _nearest(known, cells), _precision(table, column))


def _nearest(known: Floats, cells: Floats) -> Floats:
    """Nearest of some sorted values to each cell."""
    above = np.clip(np.searchsorted(known, cells), 0, len(known) - 1)
    below = np.maximum(above - 1, 0)
    nearer: Floats = np.where(np.abs(cells - known[below]) < np.abs(cells - known[above]), known[below], known[above])
    return nearer


def _equal(first: Floats, second: Floats, precision: float) -> Bools:
    whole = (first == np.rint(first)) & (second == np.rint(second))
    slack = np.where(whole, 0.0, ULPS * precision * (np.abs(first) + np.abs(second)))
    found: Bools = np.abs(first - second) <= slack
    return found


def _is_multiple(table: Table, column: str, step: float) -> Bools:
    cells = table[column]
    return _equal(cells, step * np.rint(cells / step), _precision(table, column))


def _is_combination(table: Table, test: FixedCombinations) -> Bools:
    """Number each column's cells by the known values, then the rows by the known combinations."""
    known = np.zeros(len(test.rows or ()), dtype=np.int64)
    found = np.zeros(table.n_rows, dtype=np.int64)
    for i, column in enumerate(test.combined):
        cells = np.where(table.missing(column), -np.inf, table[column].astype(np.float64))
        values = np.array([-np.inf if row[i] is None else row[i] for row in test.rows or ()], dtype=np.float64)
        levels, places = np.unique(values, return_inverse=True)
        pairs, known = np.unique(known * (len(levels) + 1) + places, return_inverse=True)
        near = np.searchsorted(levels, cells)
        near = np.where(levels[np.minimum(near, len(levels) - 1)] == cells, near, len(levels)) if len(levels) else near
        key = found * (len(levels) + 1) + near
        at = np.minimum(np.searchsorted(pairs, key), max(len(pairs) - 1, 0))
        hit = (pairs[at] == key) if len(pairs) else np.zeros(table.n_rows, dtype=bool)
        found = np.where(hit, at, len(pairs))
    return np.isin(found, known)
