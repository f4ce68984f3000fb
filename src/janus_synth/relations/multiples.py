"""A table in; columns that are a constant times another one after rounding out: hours of seconds, a tax of 1.45 %.

Sums without rounding are found by their null space, which also finds exact multiples. A rounded multiple needs no
regression: each row leaves an interval of factors, and these must have a simple number in common. Whole numbers may
also be rounded down, such as minutes of seconds. Where each of two columns is a multiple of the other, the finer one is
computed: not all of its values occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from janus_synth.relations.chance import MIN_ROWS
from janus_synth.relations.constants import FIRST_ROWS, MIN_DISTINCT, MIN_SPREAD, factor_range, simplest_constant
from janus_synth.relations.details import Sum
from janus_synth.relations.equations import Equation, verify
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import rounding_text
from janus_synth.relations.view import View
from janus_synth.rules.language.notation import DOWN, constant_text, format_name


def find_multiples(view: View, known: Sequence[Relation]) -> list[Relation]:
    """Rounded multiples; columns that an equation of two columns relates already are left out, and so are chains."""
    pairs = {frozenset(relation.columns) for relation in known if len(relation.columns) == 2}
    names = [
        name for name in view.numeric if view.unit(name) == "number" and int(view.codes[name].max()) >= MIN_DISTINCT
    ]
    summed = [set(relation.columns) for relation in known if isinstance(relation.detail, Sum)]
    steps = {name: view.relative_step(name) for name in names}
    found: dict[str, Relation] = {}
    for column in sorted(names, key=lambda name: steps[name]):
        for source in names if 0 < steps[column] <= 1 / MIN_SPREAD else ():
            pair = frozenset((column, source))
            if source == column or source in found or pair in pairs:
                continue
            down = not any(pair <= members for members in summed)  # hours of 100 * hour + minute follow from the sum
            relation = _relation(view, column, source, down=down)
            if relation is not None:
                found[column] = relation
                pairs.add(pair)
                break
    return list(found.values())


def _relation(view: View, column: str, source: str, *, down: bool) -> Relation | None:
    """The column as a multiple that is rounded to the nearest unit, or ``down`` to a whole number."""
    decimals = view.decimals[column]
    assert decimals is not None
    for constant in (0.0, DOWN) if down and decimals == 0 else (0.0,):
        factor = _factor(view, column, source, constant, 0.5 * 10.0**-decimals)
        if factor is not None:
            found = verify(view, Equation(column, ((source, factor),), constant, decimals))
            return None if found is None else replace(found, text=_text(column, source, factor, decimals, constant))
    return None


def _factor(view: View, column: str, source: str, constant: float, half: float) -> float | None:
    """Simplest factor that gives all rows of the sample their value, after the first rows have one."""
    y, x = view.numbers[column] - constant, view.numbers[source]
    ends: tuple[float, float] | None = None
    for rows in (slice(FIRST_ROWS), slice(None)):
        there = ~np.isnan(y[rows]) & ~np.isnan(x[rows])
        if rows.stop is None and there.sum() < MIN_ROWS:
            return None
        ends = factor_range(y[rows][there], x[rows][there], np.full(int(there.sum()), half * (1 + 1e-9)))
        if ends is None:
            return None
    return None if ends is None else simplest_constant(*ends)


def _text(column: str, source: str, factor: float, decimals: int, constant: float) -> str:
    before, after = constant_text(factor)
    rounded = rounding_text(decimals) if not constant else "rounded down"
    return f"{format_name(column)} == {before}{format_name(source)}{after}, {rounded}"
