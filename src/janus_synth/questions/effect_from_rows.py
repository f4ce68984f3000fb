"""Effects estimated from rows: a model's graph, a treatment, an outcome and rows in; means and differences out.

The graph says which columns to adjust for (`adjustment`). A treatment with levels, or with few numbers, is compared by
augmented inverse probability weighting (`doubly_robust`), a numeric one by a regression of residuals on residuals
(`dose_response`). Neither uses the model's trees, so the intervals have no smoothing bias of leaves and bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Bools, Floats, LongInts
from janus_synth.errors import DataError, NotIdentifiedError, RuleError
from janus_synth.model import Model, read_rows
from janus_synth.questions.adjustment import Pairs, adjustment_set, causal_columns, check_effect
from janus_synth.questions.dose_response import curve_scores
from janus_synth.questions.doubly_robust import Scores, arm_scores
from janus_synth.questions.effect import Effect, check_where
from janus_synth.questions.intervention import assignment_rule, is_per_row, learnt_column, read_expression
from janus_synth.questions.interventional_means import Outcome, read_outcome
from janus_synth.questions.nuisance import read_covariates
from janus_synth.rules import Where, as_rules, bind, judge
from janus_synth.sampling import Estimate
from janus_synth.sampling.intervals import half_width
from janus_synth.streams import Stream, generator
from janus_synth.table import Column, Table, physical_value

WEIGHTING = "augmented inverse probability weighting"
PARTIALLING_OUT = "partialling out along a spline"
MAX_DOSES = 8
"""Numeric treatments with no more values than this are compared value by value."""
MIN_ARM_ROWS, MIN_ROWS = 10, 40
"""Fewer rows with a value, or in a subgroup, allow no regressions."""


@dataclass(frozen=True, slots=True)
class Study:
    """Rows of a causal question."""

    table: Table
    treatment: Column
    outcome: Floats
    among: Bools
    """Rows to average over."""
    adjusted_for: tuple[str, ...]

    @property
    def doses(self) -> Array:
        """The treatment of each row."""
        return self.table[self.treatment.name]

    @property
    def known(self) -> Bools:
        """Rows with an outcome and, if it is a number, a treatment; a null level is a level."""
        known = ~np.isnan(self.outcome)
        return known if self.treatment.is_discrete else known & ~np.isnan(self.doses.astype(float))

    def null_share(self, values: Sequence[Any]) -> float:
        """Share of the rows to average over whose outcome is null, or treatment if null is not asked about."""
        known = self.known
        if self.treatment.is_discrete and not any(value is None for value in values):
            known = known & (self.doses >= 0)
        return 1 - float(known[self.among].mean())


def effect_from_rows(
    model: Model,
    frame: Any,
    treatment: str,
    outcome: str,
    values: Sequence[Any],
    where: Where = None,
    *,
    level: float,
    seed: int,
    confounded: Pairs = (),
) -> Effect:
    """Estimate mean outcomes with the treatment set to each value from rows, adjusted as the graph requires."""
    study = read_study(model, frame, treatment, outcome, where, confounded=confounded)
    x = read_covariates(study.table, study.adjusted_for)
    settings = [members(model, study, value) for value in values]
    rng = generator(seed, Stream.EFFECT_FOLDS)
    if is_compared_by_value(study, values, settings):
        arms, mixtures = number_arms(study, values, settings)
        n_arms = max(max(mixture) for mixture in mixtures) + 1
        scores = arm_scores(x, arms, n_arms, study.outcome, study.among, mixtures, rng=rng)
        estimator = WEIGHTING
    else:
        asked = [_doses_of(study, value, rows) for value, rows in zip(values, settings, strict=True)]
        scores = curve_scores(x, study.doses, study.outcome, study.among, asked, rng=rng)
        estimator = PARTIALLING_OUT
    changes = bool(causal_columns(model.dag, treatment, read_outcome(model, outcome).columns))
    eye = np.eye(len(values))
    effects = interval_estimates(scores, (eye - eye[0]) * changes, level)
    return Effect(
        treatment, outcome, tuple(values), interval_estimates(scores, eye, level), effects, level, estimator,
        study.adjusted_for, int(study.among.sum()), scores.overlap, null_share=study.null_share(values),
    )  # fmt: skip


def interval_estimates(scores: Scores, contrasts: Floats, level: float) -> tuple[Estimate, ...]:
    """Estimates of linear combinations of means, a row of ``contrasts`` each."""
    quantile = half_width(level, scores.freedom)
    found = []
    for contrast in contrasts:
        value = float(contrast @ scores.values)
        half = quantile * float(np.sqrt(max(contrast @ scores.covariance @ contrast, 0.0)))
        found.append(Estimate(value, value - half, value + half))
    return tuple(found)


def read_study(
    model: Model, frame: Any, treatment: str, outcome: str, where: Where, *, also: Sequence[str] = (), confounded: Pairs
) -> Study:
    """Read the rows that a question needs; a numeric treatment that is null is NaN."""
    column, measured = learnt_column(model, treatment), read_outcome(model, outcome)
    _check_question(model, treatment, measured, where)
    rules = [bind(rule, model.schema) for rule in as_rules(where)]
    selecting = dict.fromkeys(name for rule in rules for name in rule.columns)
    columns = adjustment_set(model.dag, treatment, measured.columns, also=selecting, confounded=confounded)
    table = read_rows(model, frame, columns=tuple(dict.fromkeys((treatment, *measured.columns, *columns, *also))))
    values = measured.measure(table)
    among = np.ones(len(values), bool)
    for rule in rules:
        among &= judge(rule, table)
    study = Study(table, column, values, among, columns)
    if (n_known := int((among & study.known).sum())) < MIN_ROWS:
        told = " that satisfy the conditions" if rules else ""
        raise DataError(
            f"{n_known} rows{told} have both {treatment!r} and {outcome!r}; an estimate needs at least "
            f"{MIN_ROWS}. Give more rows, or ask the model without data."
        )
    return study


def _check_question(model: Model, treatment: str, outcome: Outcome, where: Where) -> None:
    if model.interventions:
        raise NotIdentifiedError(
            f"this model is a world in which {', '.join(map(repr, model.interventions))} is set, and rows come from "
            "the world as it was. Ask the model that was fitted to them.",
            columns=model.interventions,
        )
    check_effect(model.dag, treatment, outcome.columns)
    check_where(model, treatment, where)
    if treatment in model.computed:
        inputs = model.computed[treatment].visible_inputs
        raise NotIdentifiedError(
            f"{treatment!r} is computed from {', '.join(map(repr, inputs))}, so rows alike in these never differ in it."
            " Ask about one of these columns, or ask the model without data.",
            columns=(treatment, *inputs),
        )


def members(model: Model, study: Study, value: Any) -> Bools:
    """Rows whose treatment is as a setting says."""
    column = study.treatment
    if is_per_row(value) or read_expression(column, value) is not None:
        raise RuleError(
            f"{column.name!r} is to be set to {value!r}; from rows only the effects of values, ranges and lists of "
            "values can be estimated. Leave data out for others."
        )
    if value is None and not column.is_discrete:
        raise RuleError(f"{column.name!r} is to be set to null, which no row with a number is near. Give a number.")
    return judge(bind(assignment_rule(column, value), model.schema), study.table)


def is_compared_by_value(study: Study, values: Sequence[Any], settings: Sequence[Bools]) -> bool:
    """Whether the treatment has levels, or few numbers that all have rows."""
    if study.treatment.is_discrete:
        return True
    few = len(np.unique(study.doses[~np.isnan(study.doses)])) <= MAX_DOSES
    return few and all(int((rows & study.among).sum()) >= MIN_ARM_ROWS for rows in settings)


def number_arms(study: Study, values: Sequence[Any], settings: Sequence[Bools]) -> tuple[LongInts, list[list[int]]]:
    """The arm of each row and the arms of each setting; rows outside of all settings have the last number."""
    doses, known = study.doses, ~np.isnan(study.outcome)
    asked = np.unique(doses[np.any(settings, axis=0)])
    arms = np.full(len(doses), len(asked))
    for number, dose in enumerate(asked):
        arms[doses == dose] = number
        if (n_rows := int(np.sum(arms[study.among & known] == number))) < MIN_ARM_ROWS:
            raise DataError(
                f"{n_rows} rows have {study.treatment.name} = {_shown_dose(study.treatment, dose)!r}; an estimate "
                f"needs at least {MIN_ARM_ROWS}. Leave this value out, or ask the model without data."
            )
    mixtures = [[int(arm) for arm in np.unique(arms[rows])] for rows in settings]
    if not all(mixtures):
        absent = next(value for value, mixture in zip(values, mixtures, strict=True) if not mixture)
        raise DataError(
            f"no row has {study.treatment.name} = {absent!r}. Leave this value out, or ask the model without data."
        )
    return arms, mixtures


def _shown_dose(column: Column, dose: float) -> Any:
    if not column.is_discrete:
        return float(dose)
    return None if dose < 0 else column.levels[int(dose)]


def _doses_of(study: Study, value: Any, rows: Bools) -> Floats:
    """Doses that a setting averages over: a single one, or those of the rows in a range or a list."""
    name, doses = study.treatment.name, study.doses
    low, high = float(np.nanmin(doses)), float(np.nanmax(doses))
    if isinstance(value, tuple | list | set | frozenset):
        if not rows.any():
            raise DataError(f"no row has {name!r} in {value!r}. Ask about values that occur.")
        return doses[rows]
    dose = float(physical_value(study.treatment, value.item() if isinstance(value, np.generic) else value))
    if not low <= dose <= high:
        raise DataError(
            f"{name!r} = {value!r} lies outside of the rows, which range from {low:g} to {high:g}. Ask about a value "
            "in between."
        )
    return np.array([dose])
