"""Whether rules distort what was learnt: a model and its training rows in, a warning out.

Rules condition the model. If the training rows keep the rules and rows under them still look different from the
training rows, the model did not know the rules: an equation of learnt columns is met more easily by small numbers.
"""

from __future__ import annotations

import warnings

import numpy as np

from janus_synth.arrays import Array
from janus_synth.deadlines import OutOfTime, time_limit
from janus_synth.model import Model
from janus_synth.rules import bind, judge
from janus_synth.rules.language import split_keys
from janus_synth.sampling.computing import rows_that_hold
from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.forward import sample_rows
from janus_synth.sampling.plan import Plan
from janus_synth.streams import PLAN_SEED
from janus_synth.table import Table, shown_value

ROWS = 2000
"""Rows drawn with and without the rules."""
MOST_KEPT = 0.98
"""Rules that more unconstrained rows keep hardly distort anything, and are not examined."""
LEAST_SHIFT = 0.1
"""Increase of a Kolmogorov–Smirnov distance from the training rows that is reported: its noise is about 0.03."""
MOST_SHOWN = 3
LEAST_KEPT = 50
"""Unconstrained rows that keep a rule, from which on their distribution says what the rule changes."""
MOST_SECONDS = 60.0
"""Time limit of the comparison."""


def warn_if_rules_distort(plan: Plan, table: Table, *, n_jobs: int | None = None) -> None:
    """Warn which rules move which columns away from the training rows that keep them, if they do."""
    model = plan.request.model
    table = table.take(rows_that_hold(tuple(bind(rule, model.schema) for rule in split_keys(model.rules)[0]), table))
    if not plan.request.rules or not table.n_rows or plan.acceptance.share >= MOST_KEPT:
        return
    try:
        with time_limit(MOST_SECONDS):
            free = sample_rows(model, ROWS, seed=PLAN_SEED, n_jobs=n_jobs)
            ruled = sample_conditional(plan, ROWS, seed=PLAN_SEED, n_jobs=n_jobs)
    except OutOfTime:
        warnings.warn(
            f"{ROWS:,} rows under the rules took longer than {MOST_SECONDS:.0f} s, so whether the rules change how the "
            "rows look was not examined. Simplify the rules, or leave one out.",
            stacklevel=3,
        )
        return
    moved = []
    for column in table.schema.learnt:
        name = column.name
        shift = distance(ruled[name], table[name]) - distance(free[name], table[name])
        if shift > LEAST_SHIFT:
            moved.append((shift, name))
    if not moved:
        return
    moved.sort(reverse=True)
    shown = [_describe(name, table, ruled) for _, name in moved[:MOST_SHOWN]]
    due = _describe_rules(model, free, table, moved[0][1])
    more = f" and {len(moved) - len(shown)} more columns" if len(moved) > len(shown) else ""
    warnings.warn(
        f"the rules change how the rows look: {'; '.join(shown)}{more}. {due} Let the model "
        "know what the rule states: declare the column that follows from the others as computed (links='auto'), leave "
        "it out and add it to the rows afterwards, or state the rule as a condition of single requests.",
        stacklevel=3,
    )


def distance(one: Array, other: Array) -> float:
    """Kolmogorov–Smirnov distance of numbers, total variation distance of levels; missing counts as a value."""
    values, inverse = np.unique(np.concatenate([one, other]), return_inverse=True, equal_nan=True)
    shares = [np.bincount(part, minlength=len(values)) / max(len(part), 1) for part in np.split(inverse, [len(one)])]
    difference = shares[0] - shares[1]
    if one.dtype.kind == "i":
        return float(np.abs(difference).sum() / 2)
    return float(np.abs(np.cumsum(difference)).max())


def _describe(name: str, real: Table, ruled: Table) -> str:
    column = real.schema[name]
    if column.is_discrete:
        n_levels = len(column.levels) + 1
        shares = [np.bincount(table[name] + 1, minlength=n_levels) / table.n_rows for table in (real, ruled)]
        most = int(np.argmax(np.abs(shares[0] - shares[1])))
        level = "null" if most == 0 else repr(column.levels[most - 1])
        return f"{name!r} is {level} in {shares[1][most]:.1%} of them instead of {shares[0][most]:.1%}"
    if column.kind == "datetime":
        before, after = (str(shown_value(column, _median(table[name]))) for table in (real, ruled))
        return f"the median of {name!r} is {after} instead of {before}"
    before, after = (f"{np.nanmean(table[name]):.4g}" for table in (real, ruled))
    return f"the mean of {name!r} is {after} instead of {before}"


def _median(values: Array) -> float:
    return float(np.nanquantile(values, 0.5, method="lower"))


def _describe_rules(model: Model, free: Table, table: Table, moved: str) -> str:
    """The rule to which a column's change is due, and how many unconstrained rows keep it.

    Of rules that few unconstrained rows keep it is the one that the fewest keep, otherwise the one whose rows differ
    most from the training rows in this column.
    """
    kept = {str(rule): judge(bind(rule, model.schema), free) for rule in split_keys(model.rules)[0]}
    hard = {text: int(rows.sum()) for text, rows in kept.items() if rows.sum() < LEAST_KEPT}
    away = {text: distance(free[moved][rows], table[moved]) for text, rows in kept.items()}
    due = min(hard, key=lambda text: hard[text]) if hard else max(away, key=lambda text: away[text])
    return f"Only {kept[due].mean():.1%} of unconstrained rows keep '{due}'."
