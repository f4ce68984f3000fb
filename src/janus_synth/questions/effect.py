"""Average treatment effects of a model: a treatment and its values in; means and differences with intervals out.

Units are drawn from the model, the treatment is set, and the columns between treatment and outcome are redrawn. The
intervals cover simulation error, finite-sample uncertainty and smoothing bias. The same effect is computed with models
drawn from the posterior, one tree per column, on bootstrap samples of the units, and their standard deviation σ gives
the width. Trees that are grown again on rows of the model estimate the smoothing bias b (`smoothing_bias`): the
interval lies around the answer minus b, and its variance is σ² + b² plus the variance of b, because a bootstrap tells
the size of such a bias better than its exact value. Effects that are estimated from rows, without this bias, are in
`effect_from_rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import NotIdentifiedError, RuleError
from janus_synth.model import Model
from janus_synth.questions.adjustment import Pairs, adjustment_set, causal_columns, check_effect
from janus_synth.questions.doubly_robust import Overlap
from janus_synth.questions.intervention import assigned_values, can_produce, learnt_column
from janus_synth.questions.interventional_means import InterventionalMeans, mediating_columns, read_outcome
from janus_synth.questions.smoothing_bias import N_REFITS, refit_answers
from janus_synth.rules import Where, as_rules, bind
from janus_synth.rules.language import split_keys
from janus_synth.sampling import Estimate, plan_for, probability, sample_conditional
from janus_synth.sampling.forward import sample_rows
from janus_synth.sampling.intervals import half_width
from janus_synth.streams import Stream, generator, seed_sequence
from janus_synth.table import Column, Table, plain_frame, shown_value
from janus_synth.threads import worker_count
from janus_synth.trees import Bag, GrowthSettings
from janus_synth.trees.posterior import draw_bag

N_POSTERIOR_DRAWS = 24
"""Models drawn from the posterior."""
MIN_UNITS, MAX_UNITS = 50, 4_000
"""Bounds on the bootstrap sample of units for each of them; in between it is the number of training rows."""
N_ANSWERS = N_POSTERIOR_DRAWS + N_REFITS
"""Models that are asked besides the fitted one."""
USUAL_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Quantiles of a numeric treatment that are compared if no values are given."""
MAX_USUAL_LEVELS = 12
FROM_MODEL = "simulation from the model"
"""Name of the estimator that needs no rows."""


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
    estimator : str
        How the numbers were found.
    adjusted_for : tuple of str
        Columns that make rows with different treatments comparable, if rows were given.
    n_rows : int
        Rows that were used; 0 if none were given.
    overlap : Overlap, optional
        How well the rows support the comparison; None if none were given.
    structural : tuple of float
        In a model with a set of graphs, the share of each effect's variance that lies between graphs; otherwise empty.
    null_share : float
        Share of the rows whose treatment or outcome is null.
    """

    treatment: str
    outcome: str
    values: tuple[Any, ...]
    means: tuple[Estimate, ...]
    effects: tuple[Estimate, ...]
    level: float
    estimator: str = FROM_MODEL
    adjusted_for: tuple[str, ...] = ()
    n_rows: int = 0
    overlap: Overlap | None = None
    structural: tuple[float, ...] = ()
    null_share: float = 0.0

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per value of the treatment."""
        columns: dict[str, Any] = {self.treatment: np.array([_shown(v) for v in self.values], object)}
        for name, estimates in (("mean", self.means), ("effect", self.effects)):
            columns[name] = np.array([one.value for one in estimates])
            columns[f"{name}_low"] = np.array([one.low for one in estimates])
            columns[f"{name}_high"] = np.array([one.high for one in estimates])
        return plain_frame(columns, kind)

    @property
    def basis(self) -> tuple[str, ...]:
        """Sentences on how the numbers were found, on nulls, and on weak overlap."""
        return describe_basis(self.estimator, self.adjusted_for, self.n_rows, self.overlap, self.null_share)

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

    def __str__(self) -> str:
        lines = [f"mean of {self.outcome} ({self.level:.0%} interval)"]
        for value, mean, effect in zip(self.values, self.means, self.effects, strict=True):
            lines.append(f"  {self.treatment} = {_shown(value)}: {mean}, effect {effect}")
        return "\n".join([*lines, *self.basis])


def describe_basis(
    estimator: str, adjusted_for: Sequence[str], n_rows: int, overlap: Overlap | None, null_share: float = 0.0
) -> tuple[str, ...]:
    """Sentences on an estimator, its rows, their nulls and its overlap."""
    if overlap is None:
        return (f"by {estimator}, with its smoothing bias in the interval; give data=rows for an estimate from rows",)
    columns = ", ".join(adjusted_for) or "nothing"
    nulls = (
        f"treatment or outcome is null in {null_share:.1%} of these rows: taken to be at random given the "
        "treatment and the columns adjusted for",
    )
    return (
        f"by {estimator} on {n_rows:,} rows, adjusted for {columns}", *(nulls if null_share else ()), str(overlap)
    )  # fmt: skip


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
    growth: GrowthSettings | None = None,
    confounded: Pairs = (),
    allow_none: bool = False,
    n_jobs: int | None = None,
    on_draw: Callable[[int], None] | None = None,
) -> Effect:
    """Estimate mean outcomes with the treatment set to each value, among units that satisfy conditions.

    With ``allow_none`` a treatment may come after the outcome: its effect is then zero.
    """
    learnt_column(model, treatment)
    measured = read_outcome(model, outcome)
    if not (allow_none and set(measured.columns) & set(model.dag.ancestors(treatment))):
        check_model_effect(model, treatment, measured.columns, confounded)
    units, share = draw_units(model, treatment, where, n, seed)
    settings = [assigned_values(model, units, {treatment: value}, seed=seed)[treatment] for value in values]
    changing = mediating_columns(model, treatment, measured.columns)
    question = InterventionalMeans(model, treatment, measured, settings, changing)
    answers = ask_models(
        model, changing, question.means, units, int(np.clip(share * model.n_rows, MIN_UNITS, MAX_UNITS)),
        growth=growth or GrowthSettings(), seed=seed, n_jobs=n_jobs, on_draw=on_draw,
    )  # fmt: skip
    means = answers.estimates(np.eye(len(values)), level)
    effects = answers.estimates(np.eye(len(values)) - np.eye(len(values))[0], level)
    return Effect(treatment, outcome, tuple(values), means, effects, level)


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """Answers of a model, of models from its posterior, and of refits to its rows; a column per value."""

    best: Floats
    posterior: Floats
    refits: Floats

    def estimates(self, contrasts: Floats, level: float) -> tuple[Estimate, ...]:
        """Estimates of linear combinations of the values, a row of ``contrasts`` each."""
        return tuple(
            _estimate(self.best @ c, self.posterior @ c, self.refits @ c - self.best @ c, level) for c in contrasts
        )


def _estimate(value: float, draws: Floats, shifts: Floats, level: float) -> Estimate:
    """The interval around the answer without its smoothing bias; the answer itself always lies in it."""
    bias = float(shifts.mean())
    variance = draws.var(ddof=1) + bias**2 + shifts.var(ddof=1) / len(shifts)
    half = half_width(level, len(draws) - 1) * float(np.sqrt(variance))
    low, high = value - bias - half, value - bias + half
    return Estimate(float(value), float(min(low, value)), float(max(high, value)))


def ask_models(
    model: Model,
    changing: frozenset[int],
    answer: Callable[..., Floats],
    units: Table,
    n_bootstrap: int,
    *,
    growth: GrowthSettings,
    seed: int,
    n_jobs: int | None,
    on_draw: Callable[[int], None] | None,
) -> ModelAnswers:
    """Ask a model, models drawn from its posterior, and models refitted to its rows.

    ``answer(bags, units, rng, some=rows)`` returns the values.
    """
    best = answer(model.bags, units, generator(seed, Stream.EFFECT_UNITS))

    def one(stream: np.random.SeedSequence) -> Floats:
        drawn = np.random.default_rng(stream)
        some = drawn.integers(units.n_rows, size=n_bootstrap)
        bags = tuple(draw_bag(bag, drawn) if i in changing else bag for i, bag in enumerate(model.bags))
        return answer(bags, units, drawn, some=some)

    def refitted(bags: tuple[Bag, ...]) -> Floats:
        return answer(bags, units, generator(seed, Stream.EFFECT_UNITS))

    answers = []
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        for found in pool.map(one, seed_sequence(seed, Stream.EFFECT_DRAWS).spawn(N_POSTERIOR_DRAWS)):
            answers.append(found)
            if on_draw is not None:
                on_draw(1)
    refits = refit_answers(model, changing, refitted, growth, seed=seed, n_jobs=n_jobs, on_refit=on_draw)
    return ModelAnswers(best, np.array(answers), refits)


def usual_values(model: Model, treatment: str) -> list[Any]:
    """Values to compare if none are given: all levels, or quantiles of the model's marginal."""
    column = learnt_column(model, treatment)
    if column.kind == "boolean":
        return [False, True]
    drawn = sample_rows(replace(model, rules=(), interventions={}), 2_000, seed=0)[treatment]
    if column.is_discrete:
        counts = np.bincount(drawn[drawn >= 0], minlength=len(column.levels))
        kept = np.sort(np.argsort(-counts, kind="stable")[:MAX_USUAL_LEVELS])
        return [column.levels[i] for i in kept if counts[i]]
    known = drawn[~np.isnan(drawn)]
    found = np.unique(known)
    if len(found) > len(USUAL_SHARES):
        found = np.unique([_round(model, column, one) for one in np.quantile(known, USUAL_SHARES, method="nearest")])
    return [shown_value(column, float(value)) for value in found]


def _round(model: Model, column: Column, value: float) -> float:
    """A number with two significant digits, if the column can have it."""
    if column.kind != "numeric" or value == 0:
        return value
    short = float(f"{value:.2g}")
    return short if can_produce(model.codec.columns[column.name], short) else value


def check_model_effect(model: Model, treatment: str, outcome: Sequence[str], confounded: Pairs) -> None:
    """Raise ``NotIdentifiedError`` for what the graph does not identify, or only rows can tell."""
    check_effect(model.dag, treatment, outcome)
    adjustment_set(model.dag, treatment, outcome, confounded=confounded)
    on_path = causal_columns(model.dag, treatment, outcome)
    if touched := [pair for pair in confounded if set(pair) & set(on_path)]:
        raise NotIdentifiedError(
            f"{touched[0][0]!r} and {touched[0][1]!r} have an unobserved common cause, so the model's conditionals of "
            "columns after the treatment are not causal. Give data=rows: the effect can be estimated from rows.",
            columns=touched[0],
        )


def check_where(model: Model, treatment: str, where: Where) -> None:
    """Raise ``RuleError`` unless conditions mention pre-treatment columns only."""
    after = {treatment, *model.dag.descendants(treatment)}
    for rule in (bind(rule, model.schema) for rule in as_rules(where)):
        if late := [name for name in rule.columns if name in after]:
            raise RuleError(
                f"'{rule}' mentions {', '.join(map(repr, late))}, which is the treatment or comes after it. Only "
                f"pre-treatment columns can select units; for rows after treatment use do({{{treatment!r}: …}})"
                ".sample(where=…)."
            )


def draw_units(model: Model, treatment: str, where: Where, n: int, seed: int) -> tuple[Table, float]:
    """Draw units that satisfy pre-treatment conditions; also return the probability of the conditions."""
    check_where(model, treatment, where)
    after = {treatment, *model.dag.descendants(treatment)}
    before = [rule for rule in split_keys(model.all_rules)[0] if not after & set(rule.columns)]
    plan = plan_for(replace(model, rules=(), interventions={}), [*before, *as_rules(where)])
    share = probability(plan, level=0.95, seed=seed).value
    return sample_conditional(plan, n, seed=seed), share
