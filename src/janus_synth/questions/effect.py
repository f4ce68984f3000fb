"""How much an outcome moves when a treatment is set: units in, means under each setting with intervals out.

Units are drawn from the model, their treatment set, and what lies between treatment and outcome drawn anew. The
interval covers the computation and the want of rows: the same question is put to models drawn from the posterior, one
tree per column, and the spread of their answers counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from janus_synth.arrays import Array, Floats, LongInts
from janus_synth.errors import RuleError
from janus_synth.model import Model
from janus_synth.questions.intervention import learnt_column, settings_of
from janus_synth.rules import BoundRule, Rule, bind, judge
from janus_synth.sampling import Estimate, Where, conditions, plan_for, probability, sample_conditional
from janus_synth.sampling.forward import Physical
from janus_synth.streams import Stream, generator, seed_sequence
from janus_synth.table import Table, plain_frame
from janus_synth.threads import worker_count
from janus_synth.trees import Bag
from janus_synth.trees.posterior import draw_bag

DRAWS = 24
"""Models drawn from the posterior."""
MOST_UNITS = 4_000
"""Units that such a model is asked about, if so many were learnt from."""
FEWEST_UNITS = 50


@dataclass(frozen=True, slots=True)
class Effect:
    """Means of an outcome under settings of a treatment, and how they differ from the first.

    Attributes
    ----------
    treatment, outcome : str
        What was set, and what was watched.
    values : tuple
        Settings of the treatment.
    means : tuple of Estimate
        Mean outcome, or share of rows for a condition, under each setting.
    effects : tuple of Estimate
        Each mean less the first one, with an interval of its own.
    level : float
        How often the intervals are to hold the truth.
    """

    treatment: str
    outcome: str
    values: tuple[Any, ...]
    means: tuple[Estimate, ...]
    effects: tuple[Estimate, ...]
    level: float

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per setting."""
        columns: dict[str, Any] = {self.treatment: np.array([_shown(v) for v in self.values], object)}
        for name, estimates in (("mean", self.means), ("effect", self.effects)):
            columns[name] = np.array([one.value for one in estimates])
            columns[f"{name}_low"] = np.array([one.low for one in estimates])
            columns[f"{name}_high"] = np.array([one.high for one in estimates])
        return plain_frame(columns, kind)

    def __str__(self) -> str:
        lines = [f"mean of {self.outcome} ({self.level:.0%} interval)"]
        for value, mean, effect in zip(self.values, self.means, self.effects, strict=True):
            lines.append(f"  {self.treatment} = {_shown(value)}: {mean}, effect {effect}")
        return "\n".join(lines)


def _shown(value: Any) -> Any:
    return f"{value[0]} to {value[1]}" if isinstance(value, tuple) else value


def average_effect(
    model: Model,
    treatment: str,
    outcome: str,
    values: Sequence[Any],
    where: Where = None,
    *,
    n: int,
    level: float,
    seed: int,
    n_jobs: int | None = None,
    on_draw: Callable[[int], None] | None = None,
) -> Effect:
    """Mean outcome with the treatment set to each of some values, among units that meet conditions."""
    learnt_column(model, treatment)
    watched = _outcome(model, outcome)
    units, share = _units(model, treatment, where, n, seed)
    n_learnt = int(np.clip(share * model.n_rows, FEWEST_UNITS, MOST_UNITS))
    settings = [settings_of(model, units, {treatment: value}, seed=seed)[treatment] for value in values]
    changing = between(model, treatment, watched.columns)
    question = Question(model, treatment, watched, settings, changing)
    rng = generator(seed, Stream.EFFECT_UNITS)
    best = question.means(model.bags, units, rng)
    streams = seed_sequence(seed, Stream.EFFECT_DRAWS).spawn(DRAWS)

    def one(stream: np.random.SeedSequence) -> Floats:
        drawn = np.random.default_rng(stream)
        some = drawn.integers(units.n_rows, size=n_learnt)  # other units might have been learnt from
        bags = tuple(draw_bag(bag, drawn) if i in changing else bag for i, bag in enumerate(model.bags))
        return question.means(bags, units, drawn, some)

    answers = []
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        for answer in pool.map(one, streams):
            answers.append(answer)
            if on_draw is not None:
                on_draw(1)
    spread = np.array(answers)
    means = [_estimate(value, spread[:, i], level) for i, value in enumerate(best)]
    effects = [_estimate(value - best[0], spread[:, i] - spread[:, 0], level) for i, value in enumerate(best)]
    return Effect(treatment, outcome, tuple(values), tuple(means), tuple(effects), level)


def _estimate(value: float, draws: Floats, level: float) -> Estimate:
    half = float(stats.t.ppf(0.5 + level / 2, len(draws) - 1) * draws.std(ddof=1))
    return Estimate(float(value), float(value - half), float(value + half))


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched: a column's values, or whether a condition holds."""

    columns: tuple[str, ...]
    rule: BoundRule | None

    def of(self, table: Table) -> Floats:
        """A number per row; NaN for null."""
        if self.rule is not None:
            return judge(self.rule, table).astype(float)
        values = table[self.columns[0]]
        return np.where(values < 0, np.nan, values) if values.dtype.kind == "i" else values


def _outcome(model: Model, outcome: str | Rule) -> Watched:
    """A numeric or boolean column, or a condition."""
    if isinstance(outcome, str) and outcome in model.codec.names:
        column = model.schema[outcome]
        if column.kind == "categorical":
            level = column.levels[0] if column.levels else "…"
            raise RuleError(
                f"column {outcome!r} is categorical and has no mean. Watch a condition, such as "
                f"'{outcome} == {level!r}'."
            )
        return Watched((outcome,), None)
    rule = bind(outcome, model.schema)
    return Watched(tuple(dict.fromkeys(rule.columns)), rule)


def _units(model: Model, treatment: str, where: Where, n: int, seed: int) -> tuple[Table, float]:
    """Units that meet conditions known before the treatment, and the share of all that do."""
    after = {treatment, *model.dag.descendants(treatment)}
    asked = [bind(rule, model.schema) for rule in conditions(where)]
    for rule in asked:
        if late := [name for name in rule.columns if name in after]:
            raise RuleError(
                f"'{rule}' speaks of {', '.join(map(repr, late))}, which is the treatment or comes after it. Units are "
                f"chosen by what is known before; for rows after it ask do({{{treatment!r}: …}}).sample(where=…)."
            )
    before = [rule for rule in model.all_rules if not after & set(rule.columns)]
    plan = plan_for(replace(model, rules=(), interventions={}), [*before, *conditions(where)])
    share = probability(plan, level=0.95, seed=seed).value
    return Table(model.schema, sample_conditional(plan, n, seed=seed), n), share


def between(model: Model, treatment: str, outcome: tuple[str, ...]) -> frozenset[int]:
    """Columns that the treatment moves and that the outcome depends on."""
    moved = model.dag.descendants(treatment)
    needed = model.dag.ancestors(*outcome) | set(outcome)
    return frozenset(i for i, name in enumerate(model.codec.names) if name in moved & needed)


@dataclass(frozen=True, slots=True)
class Question:
    """A column set to some values, another watched: the question, put to whichever bags."""

    model: Model
    treatment: str
    watched: Watched
    settings: Sequence[Array]
    changing: frozenset[int]

    def means(
        self, bags: Sequence[Bag], units: Table, rng: np.random.Generator, some: LongInts | None = None
    ) -> Floats:
        """Mean outcome of all units, or of some, under each setting, with the same luck for all of them."""
        names, codec = self.model.codec.names, self.model.codec
        chosen = np.arange(units.n_rows) if some is None else some
        units = units.take(chosen)
        x = codec.encode(units)
        luck = {i: rng.random(units.n_rows) for i in sorted(self.changing)}
        found = []
        for whole in self.settings:
            setting = whole[chosen]
            x[names.index(self.treatment)] = codec.columns[self.treatment].encode(setting)
            columns: Physical = {name: units[name] for name in names}
            columns[self.treatment] = setting
            for name in self.model.dag.order:
                i = names.index(name)
                if i in self.changing:
                    u = luck[i].copy()
                    bags[i].draw(x, u)
                    columns[name] = codec.columns[name].decode(x[i], u)
            values = self.watched.of(Table(units.schema, columns, units.n_rows))
            found.append(np.nanmean(values))
        return np.array(found)
