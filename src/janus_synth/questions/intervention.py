"""Interventions: a model and an assignment of columns in, the model of the intervened world out.

An assigned column loses its parents (graph mutilation). Assigned a value, a range or a list, it follows its own
marginal restricted to these values; assigned an expression of other columns, those become its parents. Constants need
no solver: a value is admissible if the column's codec can produce it. Only other assignments, and columns that rules
mention, are checked for feasibility.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.arrays import Array, Floats
from janus_synth.coordinates import states_definition
from janus_synth.coordinates.inverses import inverse_links
from janus_synth.encoding import Codec, ColumnCodec, LevelCodec, OrderedCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.encoding.ordered import N_KNOTS
from janus_synth.errors import CycleError, DataError, InfeasibleError, RuleError, StructureError, UnknownColumnError
from janus_synth.graph import Dag
from janus_synth.kernels.dtypes import COUNT
from janus_synth.model import Model
from janus_synth.rules import Rule, bind, col, judge, parse_sum
from janus_synth.rules.feasibility import check_feasible, column_domain, column_grid, require_feasible
from janus_synth.rules.language import Expression, Linear, all_of
from janus_synth.sampling import plan_for, sample_conditional
from janus_synth.sampling.plan import with_links
from janus_synth.table import Column, Schema, Table, physical_value, plain_frame, read_table
from janus_synth.trees import Bag, HistogramLeaves
from janus_synth.trees.splits import single_leaf

UNIFORM_ROWS = 1 << 30
"""Pseudo-rows of a uniform distribution: so many that the effect of priors is negligible."""


def intervene(model: Model, do: Mapping[str, Any]) -> Model:
    """Return the model of the world in which columns are assigned; ``InfeasibleError`` if no row is left in it."""
    _check_do(do)
    for name, value in do.items():
        model = _assign_column(model, name, value)
    bound = [bind(rule, model.schema) for rule in model.all_rules]
    if not all(_is_free_constant(model, name, value) for name, value in do.items()):
        found = check_feasible(with_links(model, bound), model.schema, model.codec)
        if not found.feasible:
            raise InfeasibleError(f"no row is left in that world: {found.reason}", conflict=map(str, found.conflict))
    return model


def _is_free_constant(model: Model, name: str, value: Any) -> bool:
    """Whether a column is set to an admissible constant and no other rule mentions it.

    Such an assignment cannot contradict the rules, so that feasibility need not be decided again.
    """
    column = model.schema[name]
    others = (*model.rules, *(rule for other, rule in model.interventions.items() if other != name))
    return (
        not any(name in rule.columns for rule in others)
        and is_constant(column, value)
        and can_produce(model.codec.columns[name], _physical_constant(column, value))
    )


def is_constant(column: Column, value: Any) -> bool:
    """Whether an assignment gives all rows one value or null: no range, list, array or expression."""
    several = isinstance(value, tuple | list | set | frozenset) or is_per_row(value)
    return not several and read_expression(column, value) is None


def can_produce(codec: ColumnCodec, physical: float) -> bool:
    """Whether a column's codec can decode to a physical value: its code is allowed, and has mass at the value."""
    values = np.array([physical])
    if isinstance(codec, LevelCodec):
        values = values.astype(np.int32)
    elif _is_off_lattice(codec, values):
        return False  # densities tolerate the rounding of 32-bit storage, an assignment does not
    codes = codec.encode(values)
    return bool(codec.allowed[codes[0]] and np.isfinite(codec.log_density(values, codes)[0]))


def _is_off_lattice(codec: ColumnCodec, values: Floats) -> bool:
    """Whether a value, if not null, lies between the values of the column's lattice."""
    if not isinstance(codec, OrderedCodec) or codec.lattice is None or np.isnan(values[0]):
        return False
    return bool(codec.lattice.snap(values)[0] != values[0])


def _physical_constant(column: Column, value: Any) -> float:
    if value is None:
        return -1.0 if column.is_discrete else np.nan
    return physical_value(column, _plain(value))


def _check_do(do: object) -> None:
    if not isinstance(do, Mapping) or not do:
        raise RuleError(f"do takes a mapping from columns to values, such as {{'age': 30}}, not {do!r}.")


def _assign_column(model: Model, name: str, value: Any) -> Model:
    """Return the model with one column assigned: its parents replaced, its bag and codec made to fit."""
    column, i = learnt_column(model, name), model.codec.names.index(name)
    model = without_definition(model, name)
    expression = read_expression(column, value)
    parents: tuple[str, ...] = ()
    if expression is None:
        rule, codec, bag = assignment_rule(column, value), model.codec.columns[name], marginal_bag(model.bags[i])
    else:
        rule, parents = _expression_rule(model, name, expression), expression.columns
        codec, bag = _uniform_column(model, name, expression)
    bags = (*model.bags[:i], bag, *model.bags[i + 1 :])
    codecs = Codec({**model.codec.columns, name: codec})
    dag = _replace_parents(model.dag, name, parents)
    interventions = {**model.interventions, name: rule}
    return replace(model, codec=codecs, dag=dag, bags=bags, interventions=interventions, graphs=None)


def without_definition(model: Model, name: str) -> Model:
    """Return the model in which a column is not computed, without the rules that only state how it was."""
    link = model.computed.get(name)
    if link is None:
        return model
    kept = [rule for rule in model.rules if not states_definition(bind(rule, model.schema), link, model.schema)]
    return replace(unlink_column(model, name), rules=tuple(kept))


def unlink_column(model: Model, name: str) -> Model:
    """Return the model in which a column is not computed, and its gap, or date and time of day, is computed from it.

    Where the graph says that these cause an input of the link, they keep their own distribution.
    """
    link = model.computed.get(name)
    if link is None:
        return model
    bare = replace(model.without_links(name), dag=model.dag.without_edges_into(name))
    inverses, bags = inverse_links(link), list(model.bags)
    try:
        dag = Dag({**bare.dag.parents, **{inverse.column: inverse.inputs for inverse in inverses}})
    except CycleError:
        return bare
    for inverse in inverses:
        i = model.codec.names.index(inverse.column)
        bags[i] = marginal_bag(bags[i])
    return replace(bare, dag=dag, bags=tuple(bags), links=(*bare.links, *inverses), graphs=None)


def without_parents(model: Model, names: Iterable[str]) -> Model:
    """Return the mutilated model: some columns lose their parents and follow their marginals. Rules are dropped."""
    names = tuple(names)
    for name in names:
        model = unlink_column(model, name)
    bags = list(model.bags)
    for name in names:
        i = model.codec.names.index(name)
        bags[i] = marginal_bag(model.bags[i])
    dag = model.dag.without_edges_into(*names)
    return replace(model, dag=dag, bags=tuple(bags), rules=(), interventions={}, graphs=None)


def assigned_values(model: Model, table: Table, do: Mapping[str, Any], *, seed: int) -> dict[str, Array]:
    """Return the physical values that each row gets in the assigned columns.

    An array holds a value for each row. An expression is evaluated at the row's own values. A row that already lies in
    a range or a list keeps its value; the others are drawn from the column's marginal restricted to it.
    """
    _check_do(do)
    return {name: _values_for(model, table, learnt_column(model, name), value, seed) for name, value in do.items()}


def _values_for(model: Model, table: Table, column: Column, value: Any, seed: int) -> Array:
    name, old = column.name, table[column.name]
    if is_per_row(value):
        return _read_per_row(column, value, table.n_rows)
    expression = read_expression(column, value)
    if expression is not None:
        return _evaluate(model, table, column, expression)
    rule = bind(assignment_rule(column, value), model.schema)
    if not isinstance(value, tuple | list | set | frozenset):
        physical = _physical_constant(column, value)
        if not can_produce(model.codec.columns[name], physical):
            require_feasible([rule], model.schema, model.codec)  # explains what the column can take
        return np.full(table.n_rows, physical).astype(old.dtype)
    require_feasible([rule], model.schema, model.codec)
    plan = plan_for(without_parents(model, [name]), rule.source)
    drawn = sample_conditional(plan, table.n_rows, seed=seed)[name]
    return np.where(judge(rule, table), old, drawn).astype(old.dtype)


def is_per_row(value: Any) -> bool:
    """Whether a value is an array or a series, with an entry for each row."""
    return hasattr(value, "__array__") and np.ndim(value) == 1


def _read_per_row(column: Column, value: Any, n_rows: int) -> Array:
    if len(value) != n_rows:
        raise DataError(f"column {column.name!r} is set to {len(value):,} values, but there are {n_rows:,} rows.")
    listed = read_table(plain_frame({column.name: value}), Schema((column,)))
    if unknown := listed.schema[column.name].levels[len(column.levels) :]:
        physical_value(column, unknown[0])  # raises, and lists the known levels
    return listed[column.name]


def _evaluate(model: Model, table: Table, column: Column, expression: Linear) -> Array:
    """Evaluate an expression in each row, rounded to the column's lattice; rows where it is null keep their value."""
    if column.is_discrete:
        raise RuleError(f"column {column.name!r} is {column.kind}; only numbers and times can be set to an expression.")
    if expression.text is not None:
        raise RuleError(
            f"'{expression}' contains the text {expression.text!r}; add a duration to a datetime column instead."
        )
    total = np.full(table.n_rows, float(expression.constant + expression.span))
    for term in expression.terms:
        other = learnt_column(model, term.column)
        if other.kind == "categorical":
            raise RuleError(f"'{expression}' uses {term.column!r}, which is categorical and has no numeric value.")
        values = table[term.column].astype(float)
        total += term.coefficient * np.where(table.missing(term.column), np.nan, values)
    codec = model.codec.columns[column.name]
    if isinstance(codec, OrderedCodec) and codec.lattice is not None:
        total = codec.lattice.snap(total)
    return np.where(np.isnan(total), table[column.name], total)


def learnt_column(model: Model, name: str) -> Column:
    """Return a column of the model; raise for identifiers and unknown names."""
    if name in model.schema.names and name not in model.codec.names:
        raise RuleError(f"column {name!r} is {model.schema[name].what}: it is not learnt, and nothing depends on it.")
    if name not in model.codec.names:
        raise UnknownColumnError(name, model.codec.names, where="the model")
    return model.schema[name]


def read_expression(column: Column, value: Any) -> Linear | None:
    """Read a value as a linear expression of other columns; None if it is a constant, a range or a list."""
    if isinstance(value, Expression):
        if not isinstance(value.linear, Linear) or value.linear.products:
            raise RuleError(f"'{value}' is not a sum: products, abs, max and min belong to rules. Write a sum.")
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
            f"column {column.name!r} cannot be set to this: {error.problem} Give a number, or a linear expression of "
            "other columns such as '2 * price + 10'.",
            rule=value,
            position=error.position,
        ) from error
    if not found.columns:
        raise RuleError(f"column {column.name!r} is set to the text {value!r}, which names no column. Give a number.")
    return found


def assignment_rule(column: Column, value: Any) -> Rule:
    """Return the rule that a column has its assigned value: a constant, a range (low, high), a list, or null (None)."""
    its = col(column.name)
    if value is None:
        return its.is_null()
    if isinstance(value, tuple):
        if len(value) != 2:
            raise RuleError(
                f"column {column.name!r} is set to {value!r}; a range is (low, high), alternatives are a list."
            )
        low, high = (_plain(end) for end in value)
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            raise RuleError(f"column {column.name!r} is set to {value!r}, which runs backwards: write {(high, low)!r}.")
        return its.between(low, high)
    if isinstance(value, list | set | frozenset | np.ndarray):
        return its.isin([_plain(one) for one in value])
    if column.kind == "boolean" and not isinstance(value, bool | np.bool_):
        physical_value(column, value)  # raises, and says what is wrong
    rule: Rule = its == _plain(value)
    return rule


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _expression_rule(model: Model, name: str, expression: Linear) -> Rule:
    """Return the rule that a column equals an expression, rounded to the column's lattice if it has one."""
    for other in expression.columns:
        learnt_column(model, other)
    if name in expression.columns:
        raise RuleError(
            f"column {name!r} cannot be set to an expression of itself: its natural value no longer exists once it is "
            "set. To change each row's own value, use counterfactual(rows, do=...)."
        )
    its, there = col(name), Expression(expression)
    codec = model.codec.columns[name]
    lattice = codec.lattice if isinstance(codec, OrderedCodec) else None
    if lattice is None or _stays_on_lattice(model, lattice, expression):
        return its == there
    half = lattice.step / 2
    return all_of([its - there <= half, its - there > -half])


def _stays_on_lattice(model: Model, lattice: Lattice, expression: Linear) -> bool:
    """Whether an expression of columns on lattices always gives a value on the target's lattice."""
    places = expression.constant + expression.span - lattice.base / lattice.scale
    steps = []
    for term in expression.terms:
        codec = model.codec.columns[term.column]
        if not isinstance(codec, OrderedCodec) or codec.lattice is None:
            return False
        places += term.coefficient * codec.lattice.base / codec.lattice.scale
        steps.append(term.coefficient * codec.lattice.step)
    return all(abs(part / lattice.step - round(part / lattice.step)) < 1e-9 for part in (places, *steps))


def _replace_parents(dag: Dag, name: str, parents: tuple[str, ...]) -> Dag:
    try:
        return Dag({**dag.parents, name: tuple(parents)})
    except CycleError as error:
        path = " → ".join([*error.loop, error.loop[0]])
        raise StructureError(
            f"column {name!r} cannot be set to an expression of its own descendants ({path}). Use columns that it does "
            "not cause, or set the columns between them, too."
        ) from error


def marginal_bag(bag: Bag) -> Bag:
    """The bag of a column without parents: a single leaf with the marginal counts."""
    counts = np.asarray(bag.leaves.forward.sum(axis=0)).ravel() // bag.splits.n_trees
    return Bag(bag.target, single_leaf(), _single_leaf(bag.leaves, counts))


def _single_leaf(leaves: HistogramLeaves, counts: NDArray[np.integer]) -> HistogramLeaves:
    from scipy.sparse import csr_array

    forward = csr_array(counts[None].astype(np.int64))
    backward = csr_array((1, leaves.backward.shape[1]), dtype=COUNT)
    return replace(leaves, forward=forward, backward=backward, drawn=None)


def _uniform_column(model: Model, name: str, expression: Linear) -> tuple[OrderedCodec, Bag]:
    """Codec and bag of a column that is uniform over the range of an expression.

    The expression is then enforced by a rule. Since all values are equally likely, conditioning on the rule does not
    reweight the rows.
    """
    i, codec = model.codec.names.index(name), model.codec.columns[name]
    if not isinstance(codec, OrderedCodec) or not codec.n_bins:
        raise RuleError(
            f"column {name!r} is {model.schema[name].kind}; only numbers and times can be set to an expression."
        )
    low, high = _range_of(model, expression)
    low, high = min(low, codec.smallest(0)), max(high, codec.largest(codec.n_bins - 1))
    half = 0.0 if codec.lattice is None else codec.lattice.step / 2
    edge = np.concatenate([[low - half], codec.upper, [high + half]])
    if codec.lattice is not None:
        edge[1:-1] = [codec.lattice.floor(bound) + half for bound in codec.upper]
    first, last = edge[:-1], np.maximum(edge[1:], edge[:-1])
    atom = (codec.knot[:, 0] == codec.knot[:, -1]) & (last - first <= 1e-12 * np.abs(last))
    even = np.linspace(0.0, 1.0, N_KNOTS)
    knot = np.where(atom[:, None], codec.knot, first[:, None] + even * (last - first)[:, None])
    # An atom gets the mass of one unit, as the values around it.
    width = np.where(atom, 1.0, last - first)
    share = width / width.sum()
    counts = np.append(np.ceil(share * UNIFORM_ROWS), 0)
    leaves = replace(model.bags[i].leaves, allowed=np.append(width > 0, False), prior_strength=1e-6, root_strength=1e-6)
    uniform_codec = replace(codec, knot=knot, level=np.tile(even, (codec.n_bins, 1)), nullable=False)
    bag = Bag(i, single_leaf(), _single_leaf(leaves, counts))
    return uniform_codec, bag


def _range_of(model: Model, expression: Linear) -> tuple[float, float]:
    """Smallest and largest value of an expression over the domains of its columns."""
    low = high = float(expression.constant + expression.span)
    for term in expression.terms:
        codec, column = model.codec.columns[term.column], model.schema[term.column]
        grid, domain = column_grid(column, codec), column_domain(codec)
        ends = sorted(term.coefficient * grid.value(place) for place in (domain.low, domain.high))
        low, high = low + ends[0], high + ends[1]
    return low, high
