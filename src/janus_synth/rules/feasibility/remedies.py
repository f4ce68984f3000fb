"""Rules that no row satisfies in, sentences out that say which column's domain is too narrow and how to widen it.

A domain is too narrow if some row satisfies the rules once it is wider: with more levels, with nulls, beyond its ends,
or between its values. A computed column takes what its inputs give, so that the advice is about those.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from janus_synth.rules.feasibility.clauses import Space
from janus_synth.rules.feasibility.decide import Verdict, decide
from janus_synth.rules.feasibility.definitions import definitions, hidden_names
from janus_synth.rules.feasibility.domains import Domain, Grid, merge_intervals
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.rules.language.bind import BoundRule
from janus_synth.rules.language.nodes import Compare, FixedCombinations, Increments, IsIn, Rule, leaves
from janus_synth.rules.language.notation import format_span
from janus_synth.table import Column, shown_value

MAX_SHOWN = 8
"""Most values of a column that a message lists."""
SECONDS = 1.0
"""Time limit of each trial with a wider domain."""
MAX_REACH = 1e300
"""Farthest that a trial extends a domain."""
MAX_BISECTIONS = 20
"""Most steps to find the nearest bound that is enough."""

NOTHING: Mapping[str, str] = MappingProxyType({})
Trial = Callable[[Sequence[BoundRule], Space, int], str | None]
"""Rules, a space and a column in; a sentence if a wider domain of the column would help, else None."""


def suggest_remedies(
    rules: Sequence[BoundRule],
    space: Space,
    links: Sequence[BoundRule] = (),
    computed: Mapping[str, str] = NOTHING,
) -> list[str]:
    """One sentence per column that would help if wider; one about all columns if only wider ones together would.

    ``links`` are definitions of computed columns that the rules involve, directly or through each other; ``computed``
    says how columns are computed that the rule language has no definition for.
    """
    named = {name for rule in rules for name in rule.columns} - hidden_names(rules)  # a schema cannot widen those
    texts = {**computed, **{definition.column: definition.text for definition in definitions(links)}}
    if named & set(texts):
        return _widen_inputs(rules, space, links, texts)
    columns = [i for i, column in enumerate(space.columns) if column.name in named]
    alone = [sentence for i in columns if (sentence := _suggest_remedy(rules, space, i)) is not None]
    if alone:
        return alone
    everything = space
    for i in columns:
        everything = _with_any_value(rules, everything, i)
    if not _decide_with(rules, everything).feasible:
        return []
    return [join_words([_describe_domain(space, i) for i in columns]) + "."]


def _widen_inputs(
    rules: Sequence[BoundRule], space: Space, links: Sequence[BoundRule], texts: Mapping[str, str]
) -> list[str]:
    """Say what limits the computed columns among some rules: wider inputs help, or they must not be computed."""
    named = {name for rule in rules for name in rule.columns}
    facts = [
        f"{_describe_domain(space, i)} ({texts[column.name]})"
        for i, column in enumerate(space.columns)
        if column.name in named and column.name in texts
    ]
    every, free = [*rules, *links], space
    for definition in definitions(links):
        free = _with_free_ends(every, free, space.index(definition.column))
    hidden = hidden_names(links) | set(texts)
    inputs = [i for i, column in enumerate(space.columns) if column.name not in hidden]
    found = [sentence for i in inputs if (sentence := _suggest_remedy(every, free, i)) is not None]
    if found:
        return [f"{join_words(facts)}, and {found[0]}", *found[1:]]
    return [f"{join_words(facts)}. For other values, its inputs need wider domains; or fit with links='off'."]


def _with_free_ends(rules: Sequence[BoundRule], space: Space, i: int) -> Space:
    """Return a space in which a computed column takes whatever its inputs give, on its own lattice."""
    if space.columns[i].is_discrete or not len(space.domains[i].intervals):
        return _with_any_value(rules, space, i)
    return space.with_domain(i, space.grids[i], _extend_domain(rules, space, i))


def _suggest_remedy(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    """Say why a column's domain is too narrow; None if a wider one would not help."""
    trials: list[Trial] = [_try_null, *([_try_levels] if space.columns[i].is_discrete else [_try_range, _try_gaps])]
    return next((sentence for trial in trials if (sentence := trial(rules, space, i)) is not None), None)


def _try_null(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    if space.domains[i].null:
        return None
    intervals, whole, name = space.domains[i].intervals, space.grids[i].whole, space.columns[i].name
    if not _decide_with(rules, space.with_domain(i, space.grids[i], Domain(intervals, True, whole))).feasible:
        return None
    return f"column {name!r} is never missing. Allow missing values with schema={{{name!r}: {{'nullable': True}}}}."


def _try_levels(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    column = space.columns[i]
    verdict = _decide_with(rules, _with_any_value(rules, space, i))
    position = verdict.row.get(i)
    if not verdict.feasible or position is None:
        return None
    if not len(space.domains[i].intervals):
        return f"{_describe_domain(space, i)}."
    level = column.levels[int(position)]
    unseen = f"no training row has {level!r} in column {column.name!r}, so none can be generated"
    return f"{unseen}; {_describe_domain(space, i)}."


def _try_range(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    if not len(space.domains[i].intervals):
        return None
    verdict = _decide_with(rules, space.with_domain(i, space.grids[i], _extend_domain(rules, space, i)))
    return f"{_describe_domain(space, i)}. {_suggest_bound(rules, space, i, verdict)}" if verdict.feasible else None


def _try_gaps(rules: Sequence[BoundRule], space: Space, i: int) -> str | None:
    """Try values outside the column's domain: between its intervals, off its lattice, then anywhere."""
    domain, grid = space.domains[i], space.grids[i]
    continuous = Grid(None, grid.precision)
    trials = [(continuous, _with_any_value(rules, space, i).domains[i])]
    if len(domain.intervals):
        ends = np.array([[domain.low, domain.high]])
        without_gaps = Domain(ends, domain.null, domain.whole), Domain(grid.values(ends), domain.null, False)
        trials = [(grid, without_gaps[0]), (continuous, without_gaps[1]), *trials]
    for new_grid, denser in trials:
        verdict = _decide_with(rules, space.with_domain(i, new_grid, denser))
        if verdict.feasible:
            off_lattice = new_grid is not grid and grid.lattice is not None and len(domain.intervals)
            step = f" in steps of {_format_step(space.columns[i], grid)}" if off_lattice else ""
            return f"{_describe_domain(space, i)}{step}{_describe_nearest(space, i, verdict.domains[i], new_grid)}."
    return None


def _describe_nearest(space: Space, i: int, required: Domain, of: Grid) -> str:
    """Name the column's values on both sides of the required ones, if those lie in a gap."""
    domain, grid, column = space.domains[i], space.grids[i], space.columns[i]
    if not len(domain.intervals) or not len(required.intervals):
        return ""
    low, high = grid.position(of.value(required.low)), grid.position(of.value(required.high))
    if domain.whole:
        low, high = float(math.ceil(low)), float(math.floor(high))
    if low <= high and len(domain.clip(low, high, null=False).intervals):
        return ""
    below = domain.clip(-math.inf, high, null=False).intervals[-1:, 1]
    above = domain.clip(low, math.inf, null=False).intervals[:1, 0]
    near = [_format_value(column, grid.value(position)) for position in (*below.tolist(), *above.tolist())]
    return f"; the nearest to what the rules require {'are' if len(near) > 1 else 'is'} {join_words(near)}"


def _decide_with(rules: Sequence[BoundRule], space: Space) -> Verdict:
    return decide(build_problem(rules, space), seconds=SECONDS)


def _with_any_value(rules: Sequence[BoundRule], space: Space, i: int) -> Space:
    """Return a space in which a column takes every level, or any value within reach, and null."""
    column = space.columns[i]
    if column.is_discrete:
        levels = merge_intervals(np.array([[0.0, len(column.levels) - 1.0]]), True, True)
        return space.with_domain(i, space.grids[i], levels)
    reach = _reach(rules, space, i)
    low, high = _ends(space, i)
    grid = Grid(None, space.grids[i].precision)
    return space.with_domain(i, grid, Domain(np.array([[low - reach, high + reach]]), True, False))


def _ends(space: Space, i: int) -> tuple[float, float]:
    """Smallest and largest value of a column, 0 if it has none."""
    domain, grid = space.domains[i], space.grids[i]
    return (grid.value(domain.low), grid.value(domain.high)) if len(domain.intervals) else (0.0, 0.0)


def _extend_domain(rules: Sequence[BoundRule], space: Space, i: int) -> Domain:
    """Return a column's domain extended beyond both ends as far as the rules could need."""
    domain, grid = space.domains[i], space.grids[i]
    reach = _reach(rules, space, i)
    low, high = grid.position(grid.value(domain.low) - reach), grid.position(grid.value(domain.high) + reach)
    beyond = np.array([[low, domain.low], [domain.high, high]])
    return domain.unite(merge_intervals(np.rint(beyond) if domain.whole else beyond, False, domain.whole))


def _reach(rules: Sequence[BoundRule], space: Space, i: int) -> float:
    """Return how far beyond its domain the rules could need a column to go, estimated from their constants."""
    name = space.columns[i].name
    ends = {column.name: _ends(space, j) for j, column in enumerate(space.columns)}
    low, high = ends[name]
    lattice = space.grids[i].lattice
    step = 0.0 if lattice is None else lattice.step
    reach = 2 * (high - low) + 10 * step + 1e-6 * (abs(low) + abs(high)) + 1e-6
    for leaf in (leaf for rule in rules for leaf in leaves(rule.test) if name in leaf.columns):
        values = _mentioned_values(leaf, name, ends)
        reach += max((abs(value - end) for value in values for end in (low, high)), default=0.0)
    return min(2 * float(reach), MAX_REACH)


def _mentioned_values(leaf: Rule, name: str, ends: dict[str, tuple[float, float]]) -> list[float]:
    """Values of a column that a literal mentions, or at which a comparison changes between true and false."""
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


def _describe_domain(space: Space, i: int) -> str:
    """Say which values a column takes."""
    column, domain, grid = space.columns[i], space.domains[i], space.grids[i]
    if not len(domain.intervals):
        return f"column {column.name!r} is missing in every row"
    if column.is_discrete or (len(domain.intervals) > 1 and domain.size <= MAX_SHOWN):
        positions = domain.positions()[: MAX_SHOWN + 1]
        shown = [_format_value(column, grid.value(position)) for position in positions[~np.isnan(positions)].tolist()]
        few = join_words(shown) if len(shown) <= MAX_SHOWN else ", ".join([*shown[:MAX_SHOWN], "…"])
        return f"column {column.name!r} takes only {few}"
    low, high = (_format_end(column, grid, position) for position in (domain.low, domain.high))
    if domain.low == domain.high:
        return f"column {column.name!r} takes only the value {low}"
    return f"column {column.name!r} takes values from {low} to {high}"


def _suggest_bound(rules: Sequence[BoundRule], space: Space, i: int, verdict: Verdict) -> str:
    """Say which bound to change in the schema, and to what value."""
    column, domain, grid = space.columns[i], space.domains[i], space.grids[i]
    needed, position = verdict.domains[i], verdict.row[i]
    assert position is not None, "_try_null comes first"
    if needed.low > domain.high:
        side, end = "high", needed.low
    elif needed.high < domain.low:
        side, end = "low", needed.high
    else:
        side, end = ("high" if position > domain.high else "low"), _nearest_sufficient(rules, space, i, position)
    value = grid.value(end) if domain.whole else _round_away(end, up=side == "high")
    if column.kind == "datetime" and abs(value) >= 2**63:
        return "The rules require a date beyond the range that can be stored."
    return f"Widen it with schema={{{column.name!r}: {{{side!r}: {_format_value(column, value)}}}}}."


def _nearest_sufficient(rules: Sequence[BoundRule], space: Space, i: int, far: float) -> float:
    """Bisect for the position nearest to a column's domain that is enough, given one that is."""
    domain, grid = space.domains[i], space.grids[i]
    near = domain.high if far > domain.high else domain.low
    for _ in range(MAX_BISECTIONS):
        middle = math.floor((near + far) / 2) if domain.whole else near / 2 + far / 2
        if middle in (near, far):
            break
        wider = domain.unite(merge_intervals(np.sort([[near, middle]]), False, domain.whole))
        far, near = (middle, near) if _decide_with(rules, space.with_domain(i, grid, wider)).feasible else (far, middle)
    return float(far)


def _round_away(value: float, *, up: bool) -> float:
    """Round a number up or down to few digits, by at most one per cent."""
    if not value:
        return value
    for digits in range(1, 17):
        unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
        near = unit * (math.ceil(value / unit) if up else math.floor(value / unit))
        if near != value and abs(near - value) <= 0.01 * abs(value):
            return float(f"{near:.15g}")
    return value


def _format_value(column: Column, value: float) -> str:
    return repr(shown_value(column, value))


def _format_end(column: Column, grid: Grid, position: float) -> str:
    """Format an end of a range; a continuous number with at most six digits."""
    smooth = grid.lattice is None and column.kind == "numeric"
    return f"{position:.6g}" if smooth else _format_value(column, grid.value(position))


def _format_step(column: Column, grid: Grid) -> str:
    assert grid.lattice is not None
    return format_span(grid.lattice.step) if column.kind == "datetime" else f"{grid.lattice.step:g}"


def join_words(texts: Sequence[str]) -> str:
    """Join texts with commas and a final "and"."""
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
