"""Shares of rows as users write them in; axes of disjoint categories with a share each out.

Three ways to write shares, all as one mapping:

    {"churn": {"Yes": 0.3}}                          levels, numbers, null (None) or bands of one column
    {("churn", "sex"): {("Yes", "F"): 0.2}}          joint shares of several columns
    {"age < 30 and churn == 'Yes'": 0.1}             the share of rows that meet a condition

A band is a comparison (``"< 30"``) or a whole condition (``"30 <= age < 40"``), as text or built with ``col``.
Joint shares may also be a frame with a column per name and a column ``share``. Every axis ends with a category for the
rest of the rows, which keeps the model's proportions.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.errors import InfeasibleError, RuleError, UnknownColumnError
from janus_synth.model import Model
from janus_synth.rules import BoundRule, Rule, as_rule, bind, judge, parse_rule
from janus_synth.rules.language import Compare, Implies, IsIn, IsNull, Linear, Term, all_of, any_of, leaves
from janus_synth.rules.language.notation import format_name
from janus_synth.rules.language.units import is_span
from janus_synth.table import Column, Schema, Table, physical_value
from janus_synth.table.datetimes import format_datetime, zone_of

SHARE = "share"
"""Column of a frame of joint shares that holds the shares."""
ROUNDING = 1e-9
"""Amount by which shares may miss 1."""
COMPARISON = re.compile(r"\s*(<=|>=|<|>|==|!=|in\b|not in\b|is\b)")


@dataclass(frozen=True, slots=True)
class Category:
    """Rows that meet a condition, and the share of them that is asked for."""

    test: BoundRule
    share: float
    label: str = ""
    """How messages name it; by default as its condition is written."""

    def __str__(self) -> str:
        return self.label or str(self.test)


@dataclass(frozen=True, slots=True)
class Axis:
    """Disjoint categories of all rows; the last one holds the rest, whose proportions are the model's."""

    categories: tuple[Category, ...]
    balanced: bool = False
    """Whether all categories but the rest have equal shares."""

    def keep_balanced(self, kept: Sequence[Category]) -> Axis:
        """Only some of the categories, with equal shares; rows of the others join the rest, which has none."""
        if len(kept) == len(self.categories) - 1:
            return self
        if not kept:
            raise InfeasibleError(f"no level of {', '.join(map(repr, self.columns))} is possible under the conditions.")
        return Axis((*(replace(category, share=1 / len(kept)) for category in kept), self.categories[-1]), True)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each category."""
        return tuple(category.share for category in self.categories)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that the categories name."""
        return tuple(dict.fromkeys(name for category in self.categories for name in category.test.columns))

    def classify(self, table: Table) -> LongInts:
        """Category of each row; raise ``RuleError`` if a row belongs to two."""
        found = np.full(table.n_rows, len(self.categories) - 1)
        for number, category in enumerate(self.categories[:-1]):
            held = judge(category.test, table)
            if (found[held] < len(self.categories) - 1).any():
                other = self.categories[int(found[held].min())]
                raise RuleError(
                    f"a row can meet both '{other}' and '{category}', so their shares are not those of parts. Give "
                    "conditions that exclude one another, or ask for the shares separately."
                )
            found[held] = number
        return found


def read_axes(shares: Any, balance: Any, model: Model) -> tuple[Axis, ...]:
    """Read shares and columns to balance.

    Parameters
    ----------
    shares : mapping, frame, or list of them
        As described at the top of this module.
    balance : str, or list of str and tuples of str
        Columns whose levels have equal shares; a tuple of columns means all combinations of their levels.
    model : Model
        Its columns, and their levels.

    Returns
    -------
    tuple of Axis
        One for each set of shares.
    """
    parts = shares if isinstance(shares, list | tuple) else [] if shares is None else [shares]
    axes = [axis for part in parts for axis in _read_shares(part, model.schema)]
    columns = balance if isinstance(balance, list) else [] if balance is None else [balance]
    axes += [_balanced(part, model) for part in columns]
    for axis in axes:
        _check_possible(axis, model)
    return tuple(axes)


def _read_shares(shares: Any, schema: Schema) -> Iterable[Axis]:
    if hasattr(shares, "columns") or hasattr(shares, "column_names"):
        yield _read_frame(shares, schema)
        return
    if not isinstance(shares, Mapping) or not shares:
        raise ValueError(f"shares is {shares!r}; give a mapping such as {{'churn': {{'Yes': 0.3}}}}.")
    for key, value in shares.items():
        if not isinstance(value, Mapping):
            yield _make_axis([(as_rule(key), value)], schema)
        elif isinstance(key, tuple):
            yield _make_axis([(_joint_rule(key, cells, schema), share) for cells, share in value.items()], schema)
        else:
            yield _make_axis([(_cell_rule(key, cell, schema), share) for cell, share in value.items()], schema)


def _read_frame(frame: Any, schema: Schema) -> Axis:
    """Joint shares of a frame: a column for each name, and one for the shares."""
    import narwhals as nw

    rows = nw.from_native(frame, eager_only=True)
    names = tuple(name for name in rows.columns if name != SHARE)
    if SHARE not in rows.columns or not names:
        raise ValueError(f"a frame of shares needs a column {SHARE!r} and the columns whose shares it lists.")
    found = [
        (_joint_rule(names, tuple(row[n] for n in names), schema), row[SHARE]) for row in rows.iter_rows(named=True)
    ]
    return _make_axis(found, schema)


def _make_axis(parts: Sequence[tuple[Rule, Any]], schema: Schema) -> Axis:
    """Axis of rules with shares, completed by the rest."""
    categories = [Category(bind(rule, schema), _check_share(rule, share)) for rule, share in parts]
    total = sum(category.share for category in categories)
    names = dict.fromkeys(name for category in categories for name in category.test.columns)
    if total > 1 + ROUNDING:
        raise ValueError(f"the shares of {', '.join(map(repr, names))} add up to {total:g}; they must not exceed 1.")
    rest = _rest_of([category.test for category in categories], schema)
    label = f"the rest of {', '.join(names)}"
    return Axis((*categories, Category(rest, 0.0 if total > 1 - ROUNDING else 1 - total, label)))


def _check_share(rule: Rule, share: Any) -> float:
    is_number = isinstance(share, int | float | np.integer | np.floating) and not isinstance(share, bool)
    if not is_number or not 0 <= share <= 1:
        raise ValueError(f"the share of '{rule}' is {share!r}; give a number from 0 to 1.")
    return float(share)


def _rest_of(tests: Sequence[BoundRule], schema: Schema) -> BoundRule:
    """Condition that none of some others holds; rows with nulls meet it."""
    column = schema[tests[0].columns[0]]
    if column.is_discrete and all(_is_level(test.test, column.name) for test in tests):
        named = {int(value) for test in tests if isinstance(test.test, IsIn) for value in test.test.values}
        others = IsIn(column.name, tuple(level for i, level in enumerate(column.levels) if i not in named))
        null = column.nullable and not any(isinstance(test.test, IsNull) for test in tests)
        return bind(any_of((others, IsNull(column.name))) if null else others, schema)
    nothing = IsIn(column.name, ())  # no row: implies(a, nothing) holds exactly where a does not
    return bind(all_of([Implies(test.source, nothing) for test in tests]), schema)


def _is_level(rule: Rule, column: str) -> bool:
    return isinstance(rule, IsIn | IsNull) and rule.column == column and not rule.negated


def _joint_rule(names: Sequence[str], cells: Any, schema: Schema) -> Rule:
    """Condition that several columns have these cells."""
    if not isinstance(cells, tuple) or len(cells) != len(names):
        raise ValueError(f"joint shares of {names!r} need {len(names)} values each; {cells!r} is not that.")
    return all_of([_cell_rule(name, cell, schema) for name, cell in zip(names, cells, strict=True)])


def _cell_rule(name: Any, cell: Any, schema: Schema) -> Rule:
    """Condition that a column has a value, is null, or lies in a band."""
    if name not in schema:
        raise UnknownColumnError(name, schema.names, where="the schema")
    if isinstance(cell, Rule):
        return cell
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return IsNull(name)
    column = schema[name]
    if column.kind == "categorical" and isinstance(cell, str):
        return Compare(_alone(name), "==", Linear(text=cell))
    if column.is_discrete or not column.is_learnt:
        return IsIn(name, (cell,))
    if isinstance(cell, str) and (rule := _band_rule(column, cell)) is not None:
        return rule
    return Compare(_alone(name), "==", _constant(column, cell))


def _band_rule(column: Column, text: str) -> Rule | None:
    """Condition of a text: a comparison without the column's name, or a whole condition; None for a single value."""
    if COMPARISON.match(text):
        return parse_rule(f"{format_name(column.name)} {text}")
    if column.kind == "datetime" and not any(sign in text for sign in "<>="):
        return None
    rule = parse_rule(text)
    if rule.columns != (column.name,):
        raise RuleError(f"{text!r} is not a band of column {column.name!r}. Write '< 30' or '30 <= x < 40'.")
    return rule


def value_rule(column: Column, cell: float) -> Rule:
    """Condition that a column has the value of a table's cell, which is not null."""
    if column.is_discrete:
        return _cell_rule(column.name, column.levels[int(cell)], Schema((column,)))
    if column.kind == "datetime":
        moment = Linear(text=format_datetime(float(cell), utc=zone_of(column.dtype) is not None))
        return Compare(_alone(column.name), "==", moment)
    constant = Linear(span=float(cell)) if is_span(column) else Linear(constant=float(cell))
    return Compare(_alone(column.name), "==", constant)


def _alone(name: str) -> Linear:
    return Linear((Term(name),))


def _constant(column: Column, value: Any) -> Linear:
    """A value of a column as a constant of a rule."""
    physical = physical_value(column, value)
    if column.kind == "datetime":
        in_utc = zone_of(column.dtype) is not None
        return Linear(text=value if isinstance(value, str) else format_datetime(physical, utc=in_utc))
    return Linear(span=physical) if is_span(column) else Linear(constant=physical)


# Columns to balance


def _balanced(part: Any, model: Model) -> Axis:
    """Axis with equal shares of all levels of a column, or of all combinations of several columns' levels."""
    names = (part,) if isinstance(part, str) else tuple(part)
    pools = [_levels_of(name, model) for name in names]
    combinations = list(itertools.product(*pools))
    rules = [_joint_rule(names, cells, model.schema) for cells in combinations]
    return replace(_make_axis([(rule, 1.0 / len(rules)) for rule in rules], model.schema), balanced=True)


def _levels_of(name: str, model: Model) -> list[Any]:
    """Values of a column with few values that training rows have; null is not one."""
    if name not in model.schema:
        raise UnknownColumnError(name, model.visible_schema.names, where="the schema")
    column, codec = model.schema[name], model.codec.columns.get(name)
    if isinstance(codec, LevelCodec):
        return [level for level, weight in zip(column.levels, codec.weight, strict=False) if weight > 0]
    if isinstance(codec, OrderedCodec) and column.kind == "numeric" and len(codec.atoms) == codec.n_bins > 0:
        return [float(value) for value in codec.atoms]
    raise ValueError(f"column {name!r} has no levels to balance. Give shares of bands: {{{name!r}: {{'< 30': 0.5}}}}.")


def _check_possible(axis: Axis, model: Model) -> None:
    """Raise ``InfeasibleError`` for a share of a level that no training row had, or of a rest that does not exist."""
    for category in axis.categories[:-1]:
        for leaf in _levels_in(category.test.test):
            codec = model.codec.columns[leaf.column]
            if category.share > 0 and isinstance(codec, LevelCodec) and not any(codec.weight[i] for i in leaf.values):
                raise InfeasibleError(
                    f"no row can have '{category}': no training row had it.", conflict=(str(category),)
                )
    rest = axis.categories[-1]
    if rest.share > 0 and isinstance(rest.test.test, IsIn) and not rest.test.test.values:
        raise InfeasibleError(
            f"the shares of {', '.join(map(repr, axis.columns))} add up to {1 - rest.share:g}, and no other level is "
            "left for the rest of the rows. Give shares that add up to 1.",
            conflict=tuple(map(str, axis.categories[:-1])),
        )


def _levels_in(test: Rule) -> list[Any]:
    return [leaf for leaf in leaves(test) if isinstance(leaf, IsIn) and not leaf.negated]
