"""What would happen if: a model and columns to set in; the model of the world where they are set out.

A column that is set loses its parents. Set to a value, a range or a list, it follows its own marginal there, whatever
the other columns are; set to an expression of other columns, it is what they say. Everything else works on the new
model as on any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from janus_synth.arrays import Array
from janus_synth.encoding import Codec, OrderedCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.encoding.ordered import N_KNOTS
from janus_synth.errors import CycleError, DataError, InfeasibleError, RuleError, StructureError, UnknownColumnError
from janus_synth.graph import Dag
from janus_synth.kernels.dtypes import COUNT
from janus_synth.model import Model
from janus_synth.rules import Rule, bind, col, judge, parse_sum
from janus_synth.rules.feasibility.check import check_feasible, require_feasible
from janus_synth.rules.feasibility.domains import domain_of, grid_of
from janus_synth.rules.language import Expression, Linear, all_of
from janus_synth.sampling import plan_for, sample_conditional
from janus_synth.table import Column, Schema, Table, physical_value, plain_frame, read_table
from janus_synth.trees import Bag, HistogramLeaves
from janus_synth.trees.splits import single_leaf

EVEN_ROWS = 1 << 30
"""Rows' worth of an even distribution, which nothing is to lean on."""


def intervene(model: Model, do: Mapping[str, Any]) -> Model:
    """The model of the world where columns are set.

    A rule that can no longer hold is an ``InfeasibleError`` that names it.
    """
    _check_do(do)
    for name, value in do.items():
        model = _with_column_set(model, name, value)
    bound = [bind(rule, model.schema) for rule in model.all_rules]
    found = check_feasible(bound, model.schema, model.codec)
    if not found.feasible:
        raise InfeasibleError(f"no row is left in that world: {found.reason}", conflict=map(str, found.conflict))
    return model


def _check_do(do: object) -> None:
    if not isinstance(do, Mapping) or not do:
        raise RuleError(f"do takes columns and what to set them to, such as {{'age': 30}}, not {do!r}.")


def _with_column_set(model: Model, name: str, value: Any) -> Model:
    column, i = learnt_column(model, name), model.codec.names.index(name)
    expression = read_expression(column, value)
    parents: tuple[str, ...] = ()
    if expression is None:
        rule, codec, bag = assignment_rule(column, value), model.codec.columns[name], marginal_bag(model.bags[i])
    else:
        rule, parents = _expression_rule(model, name, expression), expression.columns
        codec, bag = _even(model, name, expression)
    bags = (*model.bags[:i], bag, *model.bags[i + 1 :])
    codecs = Codec({**model.codec.columns, name: codec})
    dag = _rewired(model.dag, name, parents)
    return replace(model, codec=codecs, dag=dag, bags=bags, interventions={**model.interventions, name: rule})


def without_parents(model: Model, names: Iterable[str]) -> Model:
    """The model where columns have lost their parents and follow their own marginals; rules are left aside."""
    bags, names = list(model.bags), tuple(names)
    for name in names:
        i = model.codec.names.index(name)
        bags[i] = marginal_bag(model.bags[i])
    dag = model.dag.without_edges_into(*names)
    return replace(model, dag=dag, bags=tuple(bags), rules=(), interventions={})


def assigned_values(model: Model, table: Table, do: Mapping[str, Any], *, seed: int) -> dict[str, Array]:
    """Physical values that rows get where columns are set, row by row.

    An array has a value for each row. An expression is taken at the row's own values. A row that already is where a
    range or a list puts it stays there; the others are drawn from the column's marginal.
    """
    _check_do(do)
    return {name: _setting(model, table, learnt_column(model, name), value, seed) for name, value in do.items()}


def _setting(model: Model, table: Table, column: Column, value: Any, seed: int) -> Array:
    name, old = column.name, table[column.name]
    if is_per_row(value):
        return _listed_values(column, value, table.n_rows)
    expression = read_expression(column, value)
    if expression is not None:
        return _evaluated(model, table, column, expression)
    rule = bind(assignment_rule(column, value), model.schema)
    require_feasible([rule], model.schema, model.codec)
    if not isinstance(value, tuple | list | set | frozenset):
        physical = (-1 if column.is_discrete else np.nan) if value is None else physical_value(column, _plain(value))
        return np.full(table.n_rows, physical).astype(old.dtype)
    plan = plan_for(without_parents(model, [name]), rule.source)
    drawn = sample_conditional(plan, table.n_rows, seed=seed)[name]
    return np.where(judge(rule, table), old, drawn).astype(old.dtype)


def is_per_row(value: Any) -> bool:
    """Whether a value is an array or a series: something for each row."""
    return hasattr(value, "__array__") and np.ndim(value) == 1


def _listed_values(column: Column, value: Any, n_rows: int) -> Array:
    if len(value) != n_rows:
        raise DataError(f"column {column.name!r} is set to {len(value):,} values, but there are {n_rows:,} rows.")
    listed = read_table(plain_frame({column.name: value}), Schema((column,)))
    if unknown := listed.schema[column.name].levels[len(column.levels) :]:
        physical_value(column, unknown[0])  # says which levels there are
    return listed[column.name]


def _evaluated(model: Model, table: Table, column: Column, expression: Linear) -> Array:
    """An expression at each row's own values, on the column's lattice; a row where it is null stays as it is."""
    if column.is_discrete:
        raise RuleError(f"column {column.name!r} is {column.kind}; only numbers and times can be set to a sum.")
    if expression.text is not None:
        raise RuleError(
            f"'{expression}' holds the text {expression.text!r}; add a duration to a column of times instead."
        )
    total = np.full(table.n_rows, float(expression.constant + expression.span))
    for term in expression.terms:
        other = learnt_column(model, term.column)
        if other.kind == "categorical":
            raise RuleError(f"'{expression}' counts with {term.column!r}, which is categorical.")
        values = table[term.column].astype(float)
        total += term.coefficient * np.where(table.missing(term.column), np.nan, values)
    codec = model.codec.columns[column.name]
    if isinstance(codec, OrderedCodec) and codec.lattice is not None:
        total = codec.lattice.snap(total)
    return np.where(np.isnan(total), table[column.name], total)


def learnt_column(model: Model, name: str) -> Column:
    """A column that the model knows how to draw."""
    if name in model.schema.names and name not in model.codec.names:
        raise RuleError(f"column {name!r} is an identifier: it is not learnt, and nothing depends on it.")
    if name not in model.codec.names:
        raise UnknownColumnError(name, model.codec.names, where="the model")
    return model.schema[name]


def read_expression(column: Column, value: Any) -> Linear | None:
    """The expression of other columns that a value is, if it is one."""
    if isinstance(value, Expression):
        return value.linear
    if not isinstance(value, str) or column.is_discrete:
        return None
    if column.kind == "datetime":
        try:
            physical_value(column, value)
        except ValueError:
            pass
        else:
            return None
    try:
        found = parse_sum(value)
    except RuleError as error:
        raise RuleError(
            f"column {column.name!r} cannot be set to this: {error.problem} Give a number, or a sum of other columns "
            "such as '2 * price + 10'.",
            rule=value,
            position=error.position,
        ) from error
    if not found.columns:
        raise RuleError(f"column {column.name!r} is set to the text {value!r}, which names no column. Give a number.")
    return found


def assignment_rule(column: Column, value: Any) -> Rule:
    """The rule that a column is what it was set to: a value, a range (low, high), a list, or null (None)."""
    its = col(column.name)
    if value is None:
        return its.is_null()
    if isinstance(value, tuple):
        if len(value) != 2:
            raise RuleError(
                f"column {column.name!r} is set to {value!r}; a range is (low, high), a choice of values a list."
            )
        return its.between(*(_plain(end) for end in value))
    if isinstance(value, list | set | frozenset | np.ndarray):
        return its.isin([_plain(one) for one in value])
    if column.kind == "boolean" and not isinstance(value, bool | np.bool_):
        physical_value(column, value)  # says what is wrong
    rule: Rule = its == _plain(value)
    return rule


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _expression_rule(model: Model, name: str, expression: Linear) -> Rule:
    """The rule that a column equals an expression, or on a lattice is the value nearest to it."""
    for other in expression.columns:
        learnt_column(model, other)
    if name in expression.columns:
        raise RuleError(
            f"column {name!r} cannot be set by itself: its natural value is gone once it is set. "
            "For each row's own value plus something, ask counterfactual(rows, do=...)."
        )
    its, there = col(name), Expression(expression)
    codec = model.codec.columns[name]
    lattice = codec.lattice if isinstance(codec, OrderedCodec) else None
    if lattice is None or _lands_on(model, lattice, expression):
        return its == there
    half = lattice.step / 2
    return all_of([its - there <= half, its - there > -half])


def _lands_on(model: Model, lattice: Lattice, expression: Linear) -> bool:
    """Whether an expression of columns on lattices always gives values on another one."""
    places = expression.constant + expression.span - lattice.base / lattice.scale
    steps = []
    for term in expression.terms:
        codec = model.codec.columns[term.column]
        if not isinstance(codec, OrderedCodec) or codec.lattice is None:
            return False
        places += term.coefficient * codec.lattice.base / codec.lattice.scale
        steps.append(term.coefficient * codec.lattice.step)
    return all(abs(part / lattice.step - round(part / lattice.step)) < 1e-9 for part in (places, *steps))


def _rewired(dag: Dag, name: str, parents: tuple[str, ...]) -> Dag:
    try:
        return Dag({**dag.parents, name: tuple(parents)})
    except CycleError as error:
        path = " → ".join([*error.loop, error.loop[0]])
        raise StructureError(
            f"column {name!r} cannot be set by what it causes itself ({path}). Set it by columns above it, or set the "
            "columns between them, too."
        ) from error


def marginal_bag(bag: Bag) -> Bag:
    """The column without parents: what all rows say of it."""
    counts = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() // bag.splits.n_trees
    return Bag(bag.target, single_leaf(), _lone(bag.leaves, counts))


def _lone(leaves: HistogramLeaves, counts: NDArray[np.integer]) -> HistogramLeaves:
    forward = csr_array(counts[None].astype(COUNT))
    backward = csr_array((1, leaves.backward.shape[1]), dtype=COUNT)
    return replace(leaves, forward=forward, backward=backward, drawn=None)


def _even(model: Model, name: str, expression: Linear) -> tuple[OrderedCodec, Bag]:
    """A column that is equally likely everywhere, as far as an expression reaches.

    An expression then holds by a rule, and since no value is likelier than another the rule selects no rows.
    """
    i, codec = model.codec.names.index(name), model.codec.columns[name]
    if not isinstance(codec, OrderedCodec) or not codec.n_bins:
        raise RuleError(f"column {name!r} is {model.schema[name].kind}; only numbers and times can be set to a sum.")
    low, high = _reach(model, expression)
    low, high = min(low, codec.smallest(0)), max(high, codec.largest(codec.n_bins - 1))
    half = 0.0 if codec.lattice is None else codec.lattice.step / 2
    edge = np.concatenate([[low - half], codec.upper, [high + half]])
    if codec.lattice is not None:
        edge[1:-1] = [codec.lattice.floor(bound) + half for bound in codec.upper]
    first, last = edge[:-1], np.maximum(edge[1:], edge[:-1])
    atom = (codec.knot[:, 0] == codec.knot[:, -1]) & (last - first <= 1e-12 * np.abs(last))
    even = np.linspace(0.0, 1.0, N_KNOTS)
    knot = np.where(atom[:, None], codec.knot, first[:, None] + even * (last - first)[:, None])
    # An atom weighs as much as a value beside it does per unit.
    width = np.where(atom, 1.0, last - first)
    share = width / width.sum()
    counts = np.append(np.ceil(share * EVEN_ROWS), 0)
    leaves = replace(model.bags[i].leaves, allowed=np.append(width > 0, False), prior_strength=1e-6, root_strength=1e-6)
    even_codec = replace(codec, knot=knot, level=np.tile(even, (codec.n_bins, 1)), nullable=False)
    bag = Bag(i, single_leaf(), _lone(leaves, counts))
    return even_codec, bag


def _reach(model: Model, expression: Linear) -> tuple[float, float]:
    """Least and largest value of an expression, whatever its columns are."""
    low = high = float(expression.constant + expression.span)
    for term in expression.terms:
        codec, column = model.codec.columns[term.column], model.schema[term.column]
        grid, domain = grid_of(column, codec), domain_of(codec)
        ends = sorted(term.coefficient * grid.value(place) for place in (domain.low, domain.high))
        low, high = low + ends[0], high + ends[1]
    return low, high
