"""Average treatment effects: a model, a treatment and its values in; mean outcomes and differences with intervals out.

Units are drawn from the model, the treatment is set, and the columns between treatment and outcome are redrawn. The
intervals cover simulation error and finite-sample uncertainty: the same effect is computed with models drawn from the
posterior, one tree per column, on bootstrap samples of the units, and their standard deviation gives the width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats, LongInts
from janus_synth.errors import RuleError
from janus_synth.model import Model
from janus_synth.questions.intervention import assigned_values, learnt_column
from janus_synth.rules import BoundRule, Rule, Where, as_rules, bind, judge
from janus_synth.sampling import Estimate, plan_for, probability, sample_conditional
from janus_synth.sampling.forward import compute_cells
from janus_synth.streams import Stream, generator, seed_sequence
from janus_synth.table import Table, plain_frame
from janus_synth.threads import worker_count
from janus_synth.trees import Bag
from janus_synth.trees.posterior import draw_bag

N_POSTERIOR_DRAWS = 24
"""Models drawn from the posterior."""
MIN_UNITS, MAX_UNITS = 50, 4_000
"""Bounds on the bootstrap sample of units for each of them; in between it is the number of training rows."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Average treatment effects: mean outcomes under interventions, and their differences from the first.

    Attributes
    ----------
    treatment, outcome : str
        Column that was set, and column or condition that was measured.
    values : tuple
        What the treatment was set to.
    means : tuple of Estimate
        Mean outcome, or probability of a condition, under each value.
    effects : tuple of Estimate
        Each mean minus the first one, with an interval of its own.
    level : float
        Coverage of the intervals.
    """

    treatment: str
    outcome: str
    values: tuple[Any, ...]
    means: tuple[Estimate, ...]
    effects: tuple[Estimate, ...]
    level: float

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per value of the treatment."""
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

    def _repr_html_(self) -> str:
        """Render as a table for notebooks."""
        from janus_synth.pages import render  # Jinja is slow to import

        rows = [
            (_shown(value), *(f"{number:.4g}" for number in (*mean, *effect)))
            for value, mean, effect in zip(self.values, self.means, self.effects, strict=True)
        ]
        return render(
            "table.html.j2",
            caption=f"Mean of {self.outcome} as {self.treatment} is set, with {self.level:.0%} intervals",
            headings=(self.treatment, "mean", "low", "high", "effect", "low", "high"),
            rows=rows,
            first_number=1,
        )


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
    """Estimate mean outcomes with the treatment set to each value, among units that satisfy conditions."""
    learnt_column(model, treatment)
    measured = _read_outcome(model, outcome)
    units, share = _draw_units(model, treatment, where, n, seed)
    n_bootstrap = int(np.clip(share * model.n_rows, MIN_UNITS, MAX_UNITS))
    settings = [assigned_values(model, units, {treatment: value}, seed=seed)[treatment] for value in values]
    changing = mediating_columns(model, treatment, measured.columns)
    question = InterventionalMeans(model, treatment, measured, settings, changing)
    rng = generator(seed, Stream.EFFECT_UNITS)
    best = question.means(model.bags, units, rng)
    streams = seed_sequence(seed, Stream.EFFECT_DRAWS).spawn(N_POSTERIOR_DRAWS)

    def one(stream: np.random.SeedSequence) -> Floats:
        drawn = np.random.default_rng(stream)
        some = drawn.integers(units.n_rows, size=n_bootstrap)
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
    from scipy import stats

    half = float(stats.t.ppf(0.5 + level / 2, len(draws) - 1) * draws.std(ddof=1))
    return Estimate(float(value), float(value - half), float(value + half))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is measured: a column's values, or whether a condition holds."""

    columns: tuple[str, ...]
    rule: BoundRule | None

    def measure(self, table: Table) -> Floats:
        """Return a number per row; NaN for null."""
        if self.rule is not None:
            return judge(self.rule, table).astype(float)
        values = table[self.columns[0]]
        return np.where(values < 0, np.nan, values) if values.dtype.kind == "i" else values


def _read_outcome(model: Model, outcome: str | Rule) -> Outcome:
    """Read the name of a numeric or boolean column, or a condition."""
    if isinstance(outcome, str) and outcome in model.codec.names:
        column = model.schema[outcome]
        if column.kind == "categorical":
            level = column.levels[0] if column.levels else "…"
            raise RuleError(
                f"column {outcome!r} is categorical and has no mean. Give a condition instead, such as "
                f"'{outcome} == {level!r}'."
            )
        return Outcome((outcome,), None)
    rule = bind(outcome, model.schema)
    return Outcome(tuple(dict.fromkeys(rule.columns)), rule)


def _draw_units(model: Model, treatment: str, where: Where, n: int, seed: int) -> tuple[Table, float]:
    """Draw units that satisfy pre-treatment conditions; also return the probability of the conditions."""
    after = {treatment, *model.dag.descendants(treatment)}
    for rule in (bind(rule, model.schema) for rule in as_rules(where)):
        if late := [name for name in rule.columns if name in after]:
            raise RuleError(
                f"'{rule}' mentions {', '.join(map(repr, late))}, which is the treatment or comes after it. Only "
                f"pre-treatment columns can select units; for rows after treatment use do({{{treatment!r}: …}})"
                ".sample(where=…)."
            )
    before = [rule for rule in model.all_rules if not after & set(rule.columns)]
    plan = plan_for(replace(model, rules=(), interventions={}), [*before, *as_rules(where)])
    share = probability(plan, level=0.95, seed=seed).value
    return sample_conditional(plan, n, seed=seed), share


def mediating_columns(model: Model, treatment: str, outcome: tuple[str, ...]) -> frozenset[int]:
    """Columns on a directed path from the treatment to the outcome, the outcome included."""
    after = model.dag.descendants(treatment)
    before = model.dag.ancestors(*outcome) | set(outcome)
    return frozenset(i for i, name in enumerate(model.codec.names) if name in after & before)


@dataclass(frozen=True, slots=True)
class InterventionalMeans:
    """Mean outcomes E[outcome | do(treatment = setting)] for several settings, computed with any bags."""

    model: Model
    treatment: str
    outcome: Outcome
    settings: Sequence[Array]
    changing: frozenset[int]

    def means(
        self, bags: Sequence[Bag], units: Table, rng: np.random.Generator, some: LongInts | None = None
    ) -> Floats:
        """Mean outcome of all units, or of some, under each setting, with common random numbers."""
        names, codec = self.model.codec.names, self.model.codec
        chosen = np.arange(units.n_rows) if some is None else some
        units = units.take(chosen)
        x = codec.encode(units)
        uniforms = {i: rng.random(units.n_rows) for i in sorted(self.changing)}
        found = []
        for values in self.settings:
            setting = values[chosen]
            x[names.index(self.treatment)] = codec.columns[self.treatment].encode(setting)
            columns = {self.treatment: setting}
            for name in self.model.dag.order:
                i = names.index(name)
                if i in self.changing and name in self.model.computed:
                    columns[name] = compute_cells(self.model, self.model.computed[name], {**units.columns, **columns})
                    x[i] = codec.columns[name].encode(columns[name])
                elif i in self.changing:
                    u = uniforms[i].copy()
                    bags[i].draw(x, u)
                    columns[name] = codec.columns[name].decode(x[i], u)
            found.append(np.nanmean(self.outcome.measure(units.with_columns(columns))))
        return np.array(found)
