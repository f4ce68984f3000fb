"""A bias bound to a model: its words checked, who is hit and what is favourable as rules."""

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
from janus_synth.questions.intervention import learnt_column, set_rule
from janus_synth.rules import BoundRule, Rule, bind, judge
from janus_synth.rules.feasibility.check import check_feasible
from janus_synth.rules.language.nodes import Compare, all_of, any_of
from janus_synth.table import Column, Table, shown_value


@dataclass(frozen=True, slots=True)
class Mechanism:
    """What a bias says about rows of a model."""

    bias: Bias
    privileged: BoundRule
    unprivileged: BoundRule
    hit: BoundRule
    """The unprivileged who are in the subgroup."""
    favourable: BoundRule
    unfavourable: BoundRule

    @property
    def source(self) -> BoundRule:
        """What the outcomes are that are to be turned."""
        return self.favourable if self.bias.magnitude >= 0 else self.unfavourable

    @property
    def target(self) -> BoundRule:
        """What they are turned into."""
        return self.unfavourable if self.bias.magnitude >= 0 else self.favourable

    def eligible(self, table: Table) -> Bools:
        """Rows whose outcome could be turned."""
        return judge(self.hit, table) & judge(self.source, table)

    def lost(self, before: Table, after: Table) -> LongInts:
        """1 where an outcome turned as the bias would have it, −1 where it turned the other way."""
        was, is_ = (judge(self.favourable, table).astype(np.int64) for table in (before, after))
        return was - is_ if self.bias.magnitude >= 0 else is_ - was

    def quota(self, table: Table) -> int:
        """How many outcomes to turn."""
        return round(abs(self.bias.magnitude) * int(self.eligible(table).sum()))


def bind_bias(bias: Bias, model: Model) -> Mechanism:
    """Check a bias against a model; what does not fit is a ``BiasError`` or names the closest column."""
    for name in (*bias.protected, bias.outcome, bias.bites):
        learnt_column(model, name)
    groups = [group_rule(model, name, spec) for name, spec in zip(bias.protected, bias.privileged, strict=True)]
    _check_lone_value(model, bias)
    favourable = _rule(model, model.schema[bias.outcome], bias.favourable, "favourable")
    _check_two_sides(model, favourable, "favourable", bias.favourable)
    privileged, unprivileged = any_of(groups), all_of([_negated(group) for group in groups])
    hit = unprivileged if bias.subgroup is None else all_of([unprivileged, _subgroup(bias, model)])
    _check_path(bias, model, hit.columns)
    rules = (privileged, unprivileged, hit, favourable, _negated(favourable))
    return Mechanism(bias, *(bind(rule, model.schema) for rule in rules))


def group_rule(model: Model, protected: str, privileged: Any) -> Rule:
    """The rule that a row is privileged."""
    rule = _rule(model, learnt_column(model, protected), privileged, "privileged")
    _check_two_sides(model, rule, "privileged", privileged)
    return rule


def _rule(model: Model, column: Column, spec: Any, what: str) -> Rule:
    """The rule that a column is what a user called privileged or favourable."""
    listed = spec if isinstance(spec, list | set | frozenset | np.ndarray) else [spec]
    if column.is_discrete and not isinstance(spec, tuple):
        for value in listed:
            if not any(_same(value, level) for level in column.levels):
                known = ", ".join(map(repr, column.levels[:8]))
                raise BiasError(
                    f"{what} is {value!r}, which column {column.name!r} does not know. Its values are {known}"
                    f"{' …' if len(column.levels) > 8 else ''}."
                )
    try:
        return bind(set_rule(column, spec), model.schema).source
    except JanusError as error:
        raise BiasError(f"{what} does not fit column {column.name!r}: {error}") from error


def _negated(rule: Rule) -> Rule:
    """The opposite, for values that are present; in the words people use."""
    if isinstance(rule, Compare) and rule.op == "==":
        return Compare(rule.left, "!=", rule.right)
    return ~rule


def _same(value: Any, level: Any) -> bool:
    """Whether a value is a level, a truth value being no number."""
    truths = [isinstance(one, bool | np.bool_) for one in (value, level)]
    return truths[0] == truths[1] and (value == level) is not pd.NA and bool(value == level)


def _check_lone_value(model: Model, bias: Bias) -> None:
    """Refuse a lone favourable value of many, or one that there is not."""
    column, spec = model.schema[bias.outcome], bias.favourable
    values = values_of(model, bias.outcome)
    lone = not isinstance(spec, tuple | list | set | frozenset | np.ndarray)
    if lone and (values is None or len(values) != 2):
        many = "values on a scale" if values is None else f"{len(values)} values"
        raise BiasError(
            f"column {bias.outcome!r} has {many}, and only {spec!r} is called favourable. List all that are, as "
            f"favourable=[…], or give a range (low, high); the rest is unfavourable."
        )
    if lone and not column.is_discrete and values is not None and not any(_same(spec, value) for value in values):
        known = " and ".join(map(repr, values))
        raise BiasError(f"favourable is {spec!r}, but the values of column {column.name!r} are {known}.")


def _check_two_sides(model: Model, rule: Rule, what: str, spec: Any) -> None:
    """Refuse groups and outcomes to which nothing, or everything, would belong."""
    for side, name in ((rule, what), (~rule, f"un{what}")):
        if not check_feasible([bind(side, model.schema)], model.schema, model.codec).feasible:
            raise BiasError(f"{what} is {spec!r}, and no value of column {rule.columns[0]!r} is {name} then.")


def values_of(model: Model, name: str) -> tuple[Any, ...] | None:
    """The distinct values of a column, if it is no scale."""
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
    """Refuse mediators on no path, and biases that would close a loop."""
    below, protected = model.dag.descendants, " and ".join(map(repr, bias.protected))
    advice = "Give the graph you believe in with structure=[(cause, effect), …], or tiers=[[…], […]], when you fit."
    if not bias.is_direct:
        if bias.path in (*bias.protected, bias.outcome):
            raise BiasError(f"the mediator {bias.path!r} is an end of its path; name a column between the two.")
        if bias.path not in below(*bias.protected):
            raise BiasError(f"no path leads from {protected} to the mediator {bias.path!r} in this graph. {advice}")
        if bias.outcome not in below(bias.path):
            raise BiasError(f"no path leads from {bias.path!r} to the outcome {bias.outcome!r} in this graph. {advice}")
    if late := [name for name in dict.fromkeys(asked) if name == bias.bites or name in below(bias.bites)]:
        raise BiasError(
            f"who is hit depends on {', '.join(map(repr, late))}, which comes after {bias.bites!r} in this graph or is "
            f"it: the bias would feed itself. {advice}"
        )
