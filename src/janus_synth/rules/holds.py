"""A rule and a table in, true or false per row out: the definition that samplers and feasibility are tested against.

Numbers are compared with a tolerance of a few units in the last place, so that 0.1 + 0.2 equals 0.3. Where all terms
are whole numbers (counts, microseconds) the comparison is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats, LongInts
from janus_synth.errors import UnknownColumnError
from janus_synth.rules.language.bind import BoundRule, bind
from janus_synth.rules.language.dates import InCalendar
from janus_synth.rules.language.keys import Unique
from janus_synth.rules.language.linear import Linear
from janus_synth.rules.language.nodes import (
    And,
    Compare,
    FixedCombinations,
    Increments,
    IsIn,
    IsNull,
    Not,
    Or,
    Rule,
)
from janus_synth.rules.language.parse import as_rule
from janus_synth.rules.language.products import CompareProducts
from janus_synth.table import Column, Schema, Table, read_table
from janus_synth.table.calendar import calendar_part, in_ranges
from janus_synth.table.frames import column_names, read_column, unwrap

ULPS = 4.0
"""Tolerance of comparisons in units in the last place: rounding of a sum and of the decimals in it."""
DOUBLE, SINGLE = 2.0**-52, 2.0**-23
"""Relative rounding of values stored in double and in single precision."""
_SINGLE_DTYPES = ("float32", "float[pyarrow]", "float", "halffloat", "float16")


def holds(rule: object, frame: Any, schema: Schema | None = None) -> Bools:
    """Evaluate a rule on each row of a table.

    A comparison with a null does not hold, and neither does its negation: ``not (x > 3)`` means ``x <= 3``.
    ``implies(a, b)`` holds where ``a`` does not, so a null in ``a`` satisfies it.

    Parameters
    ----------
    rule : str or Rule
        The rule.
    frame : DataFrame or Table
        pandas, polars, pyarrow or a JANUS table; only the rule's columns are read.
    schema : Schema, optional
        How to read the frame, and which levels there are: a level that it lacks is an error. Without a schema, kinds
        are detected, and a rule may name levels that no row has.

    Returns
    -------
    array of bool
        Whether the rule holds, one entry per row.

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
    table = _read_columns(frame, source.columns, schema)
    return judge(bind(source, table.schema, strict=schema is not None), table)


def _read_columns(frame: Any, names: tuple[str, ...], schema: Schema | None) -> Table:
    """Read some columns; those that would be detected as identifiers are read by their dtype."""
    if schema is not None:
        return read_table(frame, schema, columns=names)
    table = read_table(frame, columns=names)
    kind, native = unwrap(frame)
    identifiers = [column.name for column in table.schema if not column.is_learnt]
    if not identifiers:
        return table
    return read_table(
        frame, {name: {"kind": read_column(kind, native, name).kind} for name in identifiers}, columns=names
    )


def judge(rule: BoundRule, table: Table) -> Bools:
    """Evaluate a bound rule on each row of a table, whose levels must begin with those the rule was bound to."""
    if isinstance(rule.source, Unique):
        return is_first_of_key(table, rule.source.names)
    with np.errstate(over="ignore", invalid="ignore"):
        return _evaluate(rule.test, table)


def is_first_of_key(table: Table, names: Sequence[str]) -> Bools:
    """Mask of the rows whose cells in some columns no earlier row has; null is a value. Identifiers never repeat."""
    if any(not table.schema[name].is_learnt for name in names):
        return np.ones(table.n_rows, dtype=bool)
    cells = np.stack([np.where(table.missing(name), -np.inf, table[name].astype(np.float64)) for name in names], axis=1)
    found = np.zeros(table.n_rows, dtype=bool)
    if table.n_rows:
        found[np.unique(cells, axis=0, return_index=True)[1]] = True
    return found


def _evaluate(test: Rule, table: Table) -> Bools:
    match test:
        case And(parts):
            return reduce(np.logical_and, [_evaluate(part, table) for part in parts])
        case Or(parts):
            return reduce(np.logical_or, [_evaluate(part, table) for part in parts])
        case IsNull(column, negated):
            return ~table.missing(column) if negated else table.missing(column)
        case IsIn(column, values, negated):
            found = _is_in(table, column, values)
            return (~found if negated else found) & ~table.missing(column)
        case Compare(left, op, right):
            return _compare_sum(table, left, op, right.constant)
        case CompareProducts():
            return _compare_products(table, test)
        case InCalendar(column, part, ranges, zone):
            return in_ranges(calendar_part(table[column], part, zone), ranges) & ~table.missing(column)
        case Increments(column, step):
            return _is_multiple(table, column, step)
        case FixedCombinations():
            return _is_combination(table, test)
        case Not(Increments(column, step)):
            return ~_is_multiple(table, column, step) & ~table.missing(column)
        case Not(FixedCombinations() as part):
            return ~_is_combination(table, part)
    raise TypeError(f"{test!r} is not a bound rule.")


def _compare_sum(table: Table, left: Linear, op: str, bound: float) -> Bools:
    """Compare a weighted sum with a number, within the rounding of its terms; a null makes it false."""
    gap = np.full(table.n_rows, -float(bound))
    slack = np.full(table.n_rows, DOUBLE * abs(bound))
    whole = np.full(table.n_rows, float(bound).is_integer())
    missing = np.zeros(table.n_rows, dtype=bool)
    for column, coefficient, _ in left.terms:
        product = coefficient * table[column].astype(np.float64)
        missing |= table.missing(column)
        gap += product
        slack += precision_of(table.schema[column]) * np.abs(product)
        whole &= product == np.rint(product)
    return _compare_gap(gap, op, np.where(whole, 0.0, ULPS * slack)) & ~missing


def _compare_products(table: Table, test: CompareProducts) -> Bools:
    """Compare a sum of products with a number, within the rounding of its terms; false at nulls and divisions by 0."""
    gap = np.full(table.n_rows, -float(test.bound))
    slack = DOUBLE * np.abs(gap)
    whole = np.full(table.n_rows, float(test.bound).is_integer())
    undefined = np.zeros(table.n_rows, dtype=bool)
    for factors, coefficient in test.terms:
        above, below, precision = np.full(table.n_rows, float(coefficient)), np.ones(table.n_rows), 0.0
        for column, power in factors:
            values = table[column].astype(np.float64) ** abs(power)
            above, below = (above * values, below) if power > 0 else (above, below * values)
            undefined |= table.missing(column) | ((table[column] == 0) if power < 0 else False)
            precision += abs(power) * precision_of(table.schema[column])
        term = np.divide(above, below, out=np.zeros(table.n_rows), where=below != 0)
        gap += term
        slack += precision * np.abs(term)
        whole &= (term == np.rint(term)) & (above == np.rint(above)) & (below == np.rint(below))
    found: Bools = _compare_gap(gap, test.op, np.where(whole, 0.0, ULPS * slack)) & ~undefined & np.isfinite(gap)
    return found


def _compare_gap(gap: Floats, op: str, slack: Floats) -> Bools:
    """Compare numbers with 0, within a tolerance."""
    found: Bools
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
    return found


def precision_of(column: Column) -> float:
    """Relative rounding of a column's stored values."""
    return SINGLE if column.dtype.lower().split()[0] in _SINGLE_DTYPES else DOUBLE


def _is_in(table: Table, column: str, values: tuple[Any, ...]) -> Bools:
    cells = table[column]
    if table.schema[column].is_discrete:
        return np.isin(cells, values)
    if not values:
        return np.zeros(table.n_rows, dtype=bool)
    known = np.unique(np.array(values, dtype=np.float64))
    return _equal(cells, _nearest(known, cells), precision_of(table.schema[column]))


def _nearest(known: Floats, cells: Floats) -> Floats:
    """Return for each cell the nearest of some sorted values."""
    above = np.clip(np.searchsorted(known, cells), 0, len(known) - 1)
    below = np.maximum(above - 1, 0)
    nearer: Floats = np.where(np.abs(cells - known[below]) < np.abs(cells - known[above]), known[below], known[above])
    return nearer


def _equal(first: Floats, second: Floats, precision: float) -> Bools:
    """Compare values within rounding; whole numbers exactly."""
    whole = (first == np.rint(first)) & (second == np.rint(second))
    slack = np.where(whole, 0.0, ULPS * precision * (np.abs(first) + np.abs(second)))
    found: Bools = (np.abs(first - second) <= slack) & np.isfinite(slack) | (first == second)
    return found


def _is_multiple(table: Table, column: str, step: float) -> Bools:
    cells = table[column]
    return _equal(cells, step * np.rint(cells / step), precision_of(table.schema[column]))


def _is_combination(table: Table, test: FixedCombinations) -> Bools:
    """Number rows by the known combination they match so far, one column at a time; no match is a number of its own."""
    known = np.zeros(len(test.rows or ()), dtype=np.int64)
    found = np.zeros(table.n_rows, dtype=np.int64)
    for i, column in enumerate(test.combined):
        cells = np.where(table.missing(column), -np.inf, table[column].astype(np.float64))
        values = np.array([-np.inf if row[i] is None else row[i] for row in test.rows or ()], dtype=np.float64)
        n_levels, level_of_row, level_of_cell = _stored_levels(values, cells, precision_of(table.schema[column]))
        pairs, known = np.unique(known * (n_levels + 1) + level_of_row, return_inverse=True)
        key = found * (n_levels + 1) + level_of_cell
        at = np.minimum(np.searchsorted(pairs, key), max(len(pairs) - 1, 0))
        hit = (pairs[at] == key) if len(pairs) else np.zeros(table.n_rows, dtype=bool)
        found = np.where(hit, at, len(pairs))
    return np.isin(found, known)


def _stored_levels(values: Floats, cells: Floats, precision: float) -> tuple[int, LongInts, LongInts]:
    """Number distinct values and find them among cells; returns how many, and the numbers of both.

    Values that are stored as the same number, in single precision or but for rounding, are one. A cell that equals none
    of them has the number after the last.
    """
    if precision > DOUBLE:
        with np.errstate(over="ignore"):
            values, cells = (array.astype(np.float32).astype(np.float64) for array in (values, cells))
    levels, level_of_value = np.unique(values, return_inverse=True)
    if not len(levels):
        return 0, level_of_value, np.zeros(len(cells), dtype=np.int64)
    exact = DOUBLE if precision <= DOUBLE else 0.0
    group = np.append(0, np.cumsum(~_equal(levels[1:], levels[:-1], exact)))
    above = np.clip(np.searchsorted(levels, cells), 0, len(levels) - 1)
    near = np.where(_equal(cells, levels[above], exact), above, np.maximum(above - 1, 0))
    n_groups = int(group[-1]) + 1
    return n_groups, group[level_of_value], np.where(_equal(cells, levels[near], exact), group[near], n_groups)
