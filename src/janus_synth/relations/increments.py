"""A table in; numeric columns whose values are multiples of a step out, such as a limit in steps of 500.

Chance is judged by distinct values, not by rows: of whole numbers drawn at random, a share of 1 / step are multiples.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.relations.chance import is_credible, log_tail
from janus_synth.relations.details import Increment
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, or_null, rows_that_hold
from janus_synth.relations.view import View
from janus_synth.rules.language.notation import format_name, plain_number

MAX_EXCEPTIONS = 0.001
"""Share of rows that may break it."""
LEAST_STEP = 1e-6
"""Size of a step relative to the largest value, at least: smaller ones say how numbers were computed."""
COMMON_STEPS = (2, 5, 10, 20, 25, 50, 100, 125, 200, 250, 500)
"""Steps, in units of the last decimal and times powers of ten, that are tried where some rows break them."""


def find_increments(view: View, known: Collection[str] = ()) -> list[Relation]:
    """Columns with a step that is not just a decimal place; those in ``known`` are determined by others."""
    names = [c.name for c in view.columns if c.kind == "numeric" and view.unit(c.name) == "number"]
    names = [name for name in names if name not in known]
    found = [_find(view, name, math.log(len(names) * 100)) for name in names]
    return [relation for relation in found if relation is not None]


def _find(view: View, name: str, tried: float) -> Relation | None:
    decimals = view.decimals[name]
    if decimals is None:
        return None
    values, found = view.numbers[name], list[Relation]()
    scaled = np.rint(values[~np.isnan(values)] * 10.0**decimals)
    distinct = np.unique(np.abs(scaled[scaled != 0]))
    for multiple in _steps(scaled):
        step = plain_number(round(multiple * 10.0**-decimals, decimals))
        if _is_decimal_place(step) or step < LEAST_STEP * np.nanmax(np.abs(values)):
            continue
        broken = int((distinct % multiple != 0).sum())
        if is_credible(log_tail(len(distinct), broken, 1.0 / multiple), tried):
            relation = _verify(view, name, step)
            if relation is not None:
                found.append(relation)
    return min(found, key=_rank, default=None)


def _rank(relation: Relation) -> tuple[bool, float]:
    """Exact steps first, then the largest."""
    assert isinstance(relation.detail, Increment)
    return relation.exceptions > 0, -relation.detail.step


def _steps(scaled: Floats) -> list[int]:
    """Largest common step that all but a few rows keep, and greatest common divisor."""
    small = np.abs(scaled) < 2.0**53
    if not len(scaled) or not small.all():
        return []
    divisor = int(np.gcd.reduce(scaled.astype(np.int64)))
    powers = [step * 10**k for k in range(6) for step in COMMON_STEPS]
    kept = [step for step in sorted(set(powers), reverse=True) if (scaled % step != 0).mean() <= MAX_EXCEPTIONS]
    return list(dict.fromkeys([*kept[:1], *([divisor] if divisor > 1 else [])]))


def _is_decimal_place(step: float) -> bool:
    """Whether a step only says how many decimals there are."""
    return step <= 1 and math.isclose(math.log10(step), round(math.log10(step)), abs_tol=1e-9)


def _verify(view: View, name: str, step: float) -> Relation | None:
    text = f"increments({format_name(name)}, {step})"
    rule = or_null(text, (name,), view.table.schema)
    holding = rows_that_hold(rule, view.table)
    complete = view.complete((name,))
    support = int(complete.sum())
    if holding is None or (~holding).sum() > MAX_EXCEPTIONS * support:
        return None
    example = view.row_values(first_true(complete & holding & (view.table[name] != 0)), (name,))
    written = f"{step:,}" if step >= 1 else f"{step:.12f}".rstrip("0")
    shown = f"{format_name(name)} is a multiple of {written}"
    return Relation("increment", (name,), rule, support, int((~holding).sum()), example, Increment(name, step), shown)
