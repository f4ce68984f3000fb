"""Rules that no row satisfies in, sentences on the columns whose domains stand in the way out.

A domain stands in the way if the rules no longer clash once it is wider: with further levels, with nulls, beyond its
ends, or between its values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from janus_synth.rules.feasibility.clauses import Space
from janus_synth.rules.feasibility.decide import Verdict, decide
from janus_synth.rules.feasibility.domains import Domain, Grid, domain
from janus_synth.rules.feasibility.translate import compile_rules
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.nodes import Compare, FixedCombinations, Increments, IsIn, Rule, leaves
from janus_synth.rules.language.notation import format_span
from janus_synth.table import Column, shown_value

MOST_SHOWN = 8
SECONDS = 1.0
"""Time to find out whether a wider domain would help."""
FARTHEST = 1e300
MOST_HALVINGS = 20

Remedy = Callable[[Sequence[BoundRule], Space, int], str | None]


def remedies(rules: Sequence[BoundRule], space: Space) -> list[str]:
    """Sentences about the columns that stand in the way; about all of them if it takes more than one."""
    named = {name for rule in rules for name in rule.columns}
    columns = [i for i, column in enumerate(space.columns) if column.name in named]
    alone = [sentence for i in columns if (sentence := _remedy(rules, space, i)) is not None]
    if alone:
        return alone
    everything = space
    for i in columns:
        everything = _unbound(rules, everything, i)
    return [listing([_takes(space, i) for i in columns]) + "."] if _helps(rules, everything).feasible else []


def _remedy(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    """What is wrong with a column's domain, if a wider one would do."""
    trials: list[Remedy] = [_try_null, _try_levels] if space.columns[i].is_discrete else [_try_null, _try_range]
    if not space.columns[i].is_discrete:
        trials.append(_try_gaps)
    return next((sentence for trial in trials if (sentence := trial(rules, space, i)) is not None), None)


def _try_null(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    if space.domains[i].null:
        return None
    pieces, whole, name = space.domains[i].pieces, space.grids[i].whole, space.columns[i].name
    if not _helps(rules, space.changed(i, space.grids[i], Domain(pieces, True, whole))).feasible:
        return None
    return f"column {name!r} is never missing. Allow it with schema={{{name!r}: {{'nullable': True}}}}."


def _try_levels(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    column = space.columns[i]
    verdict = _helps(rules, _unbound(rules, space, i))
    place = verdict.row.get(i)
    if not verdict.feasible or place is None:
        return None
    if not len(space.domains[i].pieces):
        return f"{_takes(space, i)}."
    level = column.levels[int(place)]
    return f"no training row has {level!r} in column {column.name!r}, so none can be made; {_takes(space, i)}."


def _try_range(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    if not len(space.domains[i].pieces):
        return None
    verdict = _helps(rules, space.changed(i, space.grids[i], _wider(rules, space, i)))
    return f"{_takes(space, i)}. {_widen(rules, space, i, verdict)}" if verdict.feasible else None


def _try_gaps(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    """Values that the column leaves out: between two of them, off its lattice, or off and beyond."""
    held, grid = space.domains[i], space.grids[i]
    loose = Grid(None, grid.precision)
    trials = [(loose, _unbound(rules, space, i).domains[i])]
    if len(held.pieces):
        ends = np.array([[held.low, held.high]])
        filled = Domain(ends, held.null, held.whole), Domain(grid.values(ends), held.null, False)
        trials = [(grid, filled[0]), (loose, filled[1]), *trials]
    for to, denser in trials:
        verdict = _helps(rules, space.changed(i, to, denser))
        if verdict.feasible:
            off = to is not grid and grid.lattice is not None and len(held.pieces)
            step = f" in steps of {_step_text(space.columns[i], grid)}" if off else ""
            return f"{_takes(space, i)}{step}{_nearest(space, i, verdict.domains[i], to)}."
    return None


def _nearest(space: Space, i: int, asked: Domain, of: Grid) -> str:
    """The column's values on both sides of what is asked, if that lies between two of them."""
    held, grid, column = space.domains[i], space.grids[i], space.columns[i]
    if not len(held.pieces) or not len(asked.pieces):
        return ""
    low, high = grid.place(of.value(asked.low)), grid.place(of.value(asked.high))
    if held.whole:
        low, high = float(math.ceil(low)), float(math.floor(high))
    if low <= high and len(held.clip(low, high, null=False).pieces):
        return ""
    below = held.clip(-math.inf, high, null=False).pieces[-1:, 1]
    above = held.clip(low, math.inf, null=False).pieces[:1, 0]
    near = [_shown(column, grid.value(place)) for place in (*below.tolist(), *above.tolist())]
    return f"; nearest to what is asked {'are' if len(near) > 1 else 'is'} {listing(near)}"


def _helps(rules: Sequence[BoundRule], space: Space) -> Verdict:
    return decide(compile_rules(rules, space), seconds=SECONDS)


def _unbound(rules: Sequence[BoundRule], space: Space, i: int) -> Space:
    """The same with every level, or any value in reach, and null."""
    column, held = space.columns[i], space.domains[i]
    if column.is_discrete:
        return space.changed(i, space.grids[i], domain(np.array([[0.0, len(column.levels) - 1.0]]), True, True))
    reach = _reach(rules, space, i)
    low, high = (space.grids[i].value(held.low), space.grids[i].value(held.high)) if len(held.pieces) else (0.0, 0.0)
    grid = Grid(None, space.grids[i].precision)
    return space.changed(i, grid, Domain(np.array([[low - reach, high + reach]]), True, False))


def _wider(rules: Sequence[BoundRule], space: Space, i: int) -> Domain:
    """A column's domain with all it could need beyond its ends."""
    held, grid = space.domains[i], space.grids[i]
    reach = _reach(rules, space, i)
    low, high = grid.place(grid.value(held.low) - reach), grid.place(grid.value(held.high) + reach)
    beyond = np.array([[low, held.low], [held.high, high]])
    return held.join(domain(np.rint(beyond) if held.whole else beyond, False, held.whole))


def _reach(rules: Sequence[BoundRule], space: Space, i: int) -> float:
    """How far beyond its domain a column might have to go: as far as any constant lies from what there is."""
    name, ends = space.columns[i].name, {}
    for j, (grid, held) in enumerate(zip(space.grids, space.domains, strict=True)):
        pair = (grid.value(held.low), grid.value(held.high)) if len(held.pieces) else (0.0, 0.0)
        ends[space.columns[j].name] = pair
    low, high = ends[name]
    lattice = space.grids[i].lattice
    step = 0.0 if lattice is None else lattice.step
    reach = 2 * (high - low) + 10 * step + 1e-6 * (abs(low) + abs(high)) + 1e-6
    for leaf in (leaf for rule in rules for leaf in leaves(rule.test) if name in leaf.columns):
        reach += max((abs(value - end) for value in _asked(leaf, name, ends) for end in (low, high)), default=0.0)
    return min(2 * float(reach), FARTHEST)


def _asked(leaf: Rule, name: str, ends: dict[str, tuple[float, float]]) -> list[float]:
    """Values that a condition may ask of a column."""
    match leaf:
        case IsIn(_, values):
            return [float(value) for value in values]
        case Increments(_, step):
            return [end + side * float(step) for end in ends[name] for side in (-1, 1)]
        case FixedCombinations(combined, rows):
            return [float(cell) for row in rows or () if (cell := row[combined.index(name)]) is not None]
        case Compare(left, _, right):
            own = next(float(term.coefficient) for term in left.terms if term.column == name)
            others = [[t.coefficient * end for end in ends[t.column]] for t in left.terms if t.column != name]
            sums = (sum(map(min, others)), sum(map(max, others)))
            return [(float(right.constant) - total) / own for total in sums]
    return []


def _takes(space: Space, i: int) -> str:
    """What a column can be, in the user's terms."""
    column, held, grid = space.columns[i], space.domains[i], space.grids[i]
    if not len(held.pieces):
        return f"column {column.name!r} is missing in every row"
    if column.is_discrete or (len(held.pieces) > 1 and held.size <= MOST_SHOWN):
        places = held.places()[: MOST_SHOWN + 1]
        shown = [_shown(column, grid.value(place)) for place in places[~np.isnan(places)].tolist()]
        few = listing(shown) if len(shown) <= MOST_SHOWN else ", ".join([*shown[:MOST_SHOWN], "…"])
        return f"column {column.name!r} takes only {few}"
    low, high = (_rough(column, grid, place) for place in (held.low, held.high))
    if held.low == held.high:
        return f"column {column.name!r} takes only the value {low}"
    return f"column {column.name!r} takes values from {low} to {high}"


def _widen(rules: Sequence[BoundRule], space: Space, i: int, verdict: Verdict) -> str:
    """How the schema would have to change for what a wider domain allowed."""
    column, held, grid = space.columns[i], space.domains[i], space.grids[i]
    left, place = verdict.domains[i], verdict.row[i]
    assert place is not None, "null would have been allowed before"
    if left.low > held.high:
        side, end = "high", left.low
    elif left.high < held.low:
        side, end = "low", left.high
    else:
        side, end = ("high" if place > held.high else "low"), _least(rules, space, i, place)
    value = grid.value(end) if held.whole else _rounded(end, up=side == "high")
    if column.kind == "datetime" and abs(value) >= 2**63:
        return "What is asked lies beyond all calendars."
    return f"Widen it with schema={{{column.name!r}: {{{side!r}: {_shown(column, value)}}}}}."


def _least(rules: Sequence[BoundRule], space: Space, i: int, far: float) -> float:
    """The place nearest to a column's domain, between it and one that is far enough, that will do."""
    held, grid = space.domains[i], space.grids[i]
    near = held.high if far > held.high else held.low
    for _ in range(MOST_HALVINGS):
        middle = math.floor((near + far) / 2) if held.whole else near / 2 + far / 2
        if middle in (near, far):
            break
        wider = held.join(domain(np.sort([[near, middle]]), False, held.whole))
        far, near = (middle, near) if _helps(rules, space.changed(i, grid, wider)).feasible else (far, middle)
    return float(far)


def _rounded(value: float, *, up: bool) -> float:
    """A number with few digits that is no nearer, and at most one per cent farther."""
    if not value:
        return value
    for digits in range(1, 17):
        unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
        near = unit * (math.ceil(value / unit) if up else math.floor(value / unit))
        if near != value and abs(near - value) <= 0.01 * abs(value):
            return float(f"{near:.15g}")
    return value


def _shown(column: Column, value: float) -> str:
    return repr(shown_value(column, value))


def _rough(column: Column, grid: Grid, place: float) -> str:
    """An end of a range; a continuous number needs no more than six digits."""
    smooth = grid.lattice is None and column.kind == "numeric"
    return f"{place:.6g}" if smooth else _shown(column, grid.value(place))


def _step_text(column: Column, grid: Grid) -> str:
    assert grid.lattice is not None
    return format_span(grid.lattice.step) if column.kind == "datetime" else f"{grid.lattice.step:g}"


def listing(texts: Sequence[str]) -> str:
    """Texts with commas and an *and*."""
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
