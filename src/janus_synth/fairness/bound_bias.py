"""A bias bound to a model: a ``Bias`` in; its groups and outcomes as rules, checked against the graph, out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from janus_synth.arrays import Bools, LongInts
from janus_synth.encoding import OrderedCodec
from janus_synth.errors import BiasError, JanusError
from janus_synth.fairness.bias import Bias
from janus_synth.model import Model
from janus_synth.questions.intervention import assignment_rule, learnt_column
from janus_synth.rules import BoundRule, Rule, bind, judge
from janus_synth.rules.feasibility import check_feasible
from janus_synth.rules.language import Compare, all_of, any_of
from janus_synth.table import Column, Table, shown_value


@dataclass(frozen=True, slots=True)
class BoundBias:
    """A bias with its groups and outcomes as rules about rows of a model."""

    bias: Bias
    privileged: BoundRule
    unprivileged: BoundRule
    hit: BoundRule
    """Rows that the bias applies to: unprivileged and in the subgroup."""
    favourable: BoundRule
    unfavourable: BoundRule

    @property
    def source(self) -> BoundRule:
        """Rule of the outcomes to flip."""
        return self.favourable if self.bias.magnitude >= 0 else self.unfavourable

    @property
    def target(self) -> BoundRule:
        """Rule of the outcomes that they become."""
        return self.unfavourable if self.bias.magnitude >= 0 else self.favourable

    def eligible(self, table: Table) -> Bools:
        """Rows whose outcome can be flipped."""
        return judge(self.hit, table) & judge(self.source, table)

    def flips(self, before: Table, after: Table) -> LongInts:
        """1 where an outcome flipped in the direction of the bias, −1 where it flipped the other way."""
        was, is_ = (judge(self.favourable, table).astype(np.int64) for table in (before, after))
        return was - is_ if self.bias.magnitude >= 0 else is_ - was

    def quota(self, table: Table) -> int:
        """Number of outcomes to flip."""
        return round(abs(self.bias.magnitude) * int(self.eligible(table).sum()))


def bind_bias(bias: Bias, model: Model) -> BoundBias:
    """Check a bias against a model; raise ``BiasError`` or ``UnknownColumnError`` if it does not fit."""
    for name in (*bias.protected, bias.outcome, bias.bites):
        learnt_column(model, name)
    groups = [group_rule(model, name, spec) for name, spec in zip(bias.protected, bias.privileged, strict=True)]
    _check_single_value(model, bias)
    favourable = _rule(model, model.schema[bias.outcome], bias.favourable, "favourable")
    _check_two_sides(model, favourable, "favourable", bias.favourable)
    privileged, unprivileged = any_of(groups), all_of([_negate_rule(group) for group in groups])
    hit = unprivileged if bias.subgroup is None else all_of([unprivileged, _subgroup(bias, model)])
    _check_path(bias, model, hit.columns)
    rules = (privileged, unprivileged, hit, favourable, _negate_rule(favourable))
    return BoundBias(bias, *(bind(rule, model.schema) for rule in rules))


def group_rule(model: Model, protected: str, privileged: Any) -> Rule:
    """Return the rule that a row is privileged."""
    rule = _rule(model, learnt_column(model, protected), privileged, "privileged")
    _check_two_sides(model, rule, "privileged", privileged)
    return rule


def _rule(model: Model, column: Column, spec: Any, what: str) -> Rule:
    """Return the rule that a column has a value that the user called privileged or favourable."""
    listed = spec if isinstance(spec, list | set | frozenset | np.ndarray) else [spec]
    if column.is_discrete and not isinstance(spec, tuple):
        for value in listed:
            if not any(_same(value, level) for level in column.levels):
                known = ", ".join(map(repr, column.levels[:8]))
                raise BiasError(
                    f"{what} is {value!r}, which is not a value of column {column.name!r}. Its values are {known}"
                    f"{' …' if len(column.levels) > 8 else ''}."
                )
    try:
        return bind(assignment_rule(column, spec), model.schema).source
    except JanusError as error:
        raise BiasError(f"{what} does not fit column {column.name!r}: {error}") from error


def _negate_rule(rule: Rule) -> Rule:
    """Negate a rule for present values; ``==`` becomes ``!=``, which reads better than ``not``."""
    if isinstance(rule, Compare) and rule.op == "==":
        return Compare(rule.left, "!=", rule.right)
    return ~rule


def _same(value: Any, level: Any) -> bool:
    """Whether a value equals a level; True is not 1."""
    truths = [isinstance(one, bool | np.bool_) for one in (value, level)]
    return truths[0] == truths[1] and (value == level) is not pd.NA and bool(value == level)


def _check_single_value(model: Model, bias: Bias) -> None:
    """Raise if a single favourable value is given for a column without exactly two, or is not one of them."""
    column, spec = model.schema[bias.outcome], bias.favourable
    values = distinct_values(model, bias.outcome)
    single = not isinstance(spec, tuple | list | set | frozenset | np.ndarray)
    if single and (values is None or len(values) != 2):
        many = "continuous values" if values is None else f"{len(values)} values"
        raise BiasError(
            f"column {bias.outcome!r} has {many}, and only {spec!r} is called favourable. List all that are, as "
            f"favourable=[…], or give a range (low, high); the rest is unfavourable."
        )
    if single and not column.is_discrete and values is not None and not any(_same(spec, value) for value in values):
        known = " and ".join(map(repr, values))
        raise BiasError(f"favourable is {spec!r}, but the values of column {column.name!r} are {known}.")


def _check_two_sides(model: Model, rule: Rule, what: str, spec: Any) -> None:
    """Raise if nothing, or everything, would be privileged or favourable."""
    for side, name in ((rule, what), (~rule, f"un{what}")):
        if not check_feasible([bind(side, model.schema)], model.schema, model.codec).feasible:
            raise BiasError(f"{what} is {spec!r}, and no value of column {rule.columns[0]!r} is {name} then.")


def distinct_values(model: Model, name: str) -> tuple[Any, ...] | None:
    """Distinct values of a column; None if it is continuous."""
    codec, column = model.codec.columns[name], model.schema[name]
    if column.is_discrete:
        return column.levels
    if isinstance(codec, OrderedCodec) and (codec.knot[:, 0] == codec.knot[:, -1]).all():
        return tuple(shown_value(column, float(value)) for value in codec.knot[:, 0])
    return None


def _subgroup(bias: Bias, model: Model) -> Rule:
    assert isinstance(bias.subgroup, Rule)
    for name in bias.subgroup.columns:
        learnt_column(model, name)
    return bias.subgroup


def _check_path(bias: Bias, model: Model, asked: tuple[str, ...]) -> None:
    """Raise if a mediator is on no path to the outcome, or if the bias would close a loop in the graph."""
    below, protected = model.dag.descendants, " and ".join(map(repr, bias.protected))
    advice = "Give the graph you believe in with structure=[(cause, effect), …], or tiers=[[…], […]], when you fit."
    if not bias.is_direct:
        if bias.path in (*bias.protected, bias.outcome):
            raise BiasError(f"the mediator {bias.path!r} is protected or the outcome; name a column between the two.")
        if bias.path not in below(*bias.protected):
            raise BiasError(f"no path leads from {protected} to the mediator {bias.path!r} in this graph. {advice}")
        if bias.outcome not in below(bias.path):
            raise BiasError(f"no path leads from {bias.path!r} to the outcome {bias.outcome!r} in this graph. {advice}")
    if late := [name for name in dict.fromkeys(asked) if name == bias.bites or name in below(bias.bites)]:
        raise BiasError(
            f"the affected group depends on {', '.join(map(repr, late))}, which is {bias.bites!r} or its descendant in "
            f"this graph: the bias would depend on itself. {advice}"
        )
