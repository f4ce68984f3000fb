"""Relations found in a table, and rules that its rows keep, in; links that they suggest out.

Each candidate is checked on the table before it is offered: a link without hidden columns must give every row its
value, and a link for part of the rows must give it to enough of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.coordinates.approximations import MOST_COMBINED, find_approximate_products, spread_of
from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import DAY, Band, CalendarPart, Formula, Lookup, Product, Sum, calendar_part
from janus_synth.coordinates.links import Link, is_time, link_precision
from janus_synth.coordinates.local_time import LocalTime, to_local
from janus_synth.coordinates.pair_lookup import fit_pair_lookup
from janus_synth.coordinates.product_rules import decimals_of_half, defined_column
from janus_synth.coordinates.scaled import Scaled
from janus_synth.encoding.lattice import find_lattice
from janus_synth.relations import Relation, details
from janus_synth.relations.chance import MIN_ROWS
from janus_synth.relations.clock import clock_columns
from janus_synth.relations.discover import find_structural
from janus_synth.relations.view import MAX_ROWS, View
from janus_synth.rules import BoundRule
from janus_synth.rules.language import Compare, Rule, leaves
from janus_synth.table import Column, Table, physical_value
from janus_synth.table.cells import as_floats
from janus_synth.table.datetimes import MINUTES_OF_DAY, minutes_of_day, zone_of

Terms = tuple[tuple[str, float], ...]
"""Columns with their coefficients."""
LEAST_SHARE = 0.01
"""Least share of the rows that a link for part of the rows must explain if a rule suggests it,"""
LEAST_FOUND = 0.08
"""and if it was found: each adds two columns to learn (bills that repeat the one before in 5 % of the rows: 0.688
detected with links for them, 0.680 without)."""
LEAST_OF_RATIO = 0.9
"""Least share of the rows that a ratio gives their value: all others have a denominator of 0, or nulls."""
MOST_KEYS = 5000
"""Most distinct values of a key that is looked up."""
MICROSECONDS = 1e6
LEAST_DAYS = 4
"""Days that timestamps must cover before date and time of day are learnt apart."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link that a table suggests."""

    link: Link
    share: float
    """Share of the rows whose value is computed: 1 unless the link is for part of the rows."""
    rank: int
    """Candidates of a lower rank are considered first."""


def candidates_from_rows(table: Table) -> list[Candidate]:
    """Links that relations between the columns suggest; several of them may compute the same column."""
    relations = [relation.detail for relation in structural_relations(table)]
    found = [candidate for detail in relations for candidate in _from_detail(table, detail)]
    sums = [detail for detail in relations if isinstance(detail, details.Sum) and detail.decimals is None]
    for copy in relations:
        if isinstance(copy, details.Copy):
            found += [candidate for total in sums for candidate in _share_of_rest(table, copy, total)]
    return [*_clock_numbers(table), *found, *_clock_gaps(table), *_stable_gaps(table), *_product_gaps(table)]


def _clock_gaps(table: Table) -> Iterator[Candidate]:
    """Times of day such as 1405 that mostly lie some hours after another one, closest pairs first."""
    numbers = {c.name: as_floats(table[c.name]) for c in table.schema.learnt if c.kind == "numeric"}
    times = clock_columns(numbers)
    minutes = {name: minutes_of_day(numbers[name]) for name in times}
    found: list[tuple[float, Candidate]] = []
    for column, start in permutations(times, 2):
        midnight = 2400 if np.nanmax(numbers[column]) == 2400 else 0
        link = Link(column, Clock(start, midnight=midnight), gap=_fresh_name(table, f"{column} - {start}"))
        (gap,) = link.measure(numbers).values()
        both = min(spread_of(minutes[column]), spread_of(minutes[start]))
        present = not (np.isnan(numbers[start]) & ~np.isnan(numbers[column])).any()
        if present and spread_of(gap) < 0.5 * both and np.nanmedian(gap) < MINUTES_OF_DAY / 2:
            found.append((spread_of(gap), Candidate(link, 1.0, rank=2)))
    yield from (candidate for _, candidate in sorted(found, key=lambda pair: pair[0]))


def _product_gaps(table: Table) -> Iterator[Candidate]:
    """Columns that are close to the product of two others: the product plus a gap."""
    for column, (one, other), _ in find_approximate_products(table):
        absent = table.missing(one) | table.missing(other)
        if not (absent & ~table.missing(column)).any():
            formula = Product(one, other, decimals=decimals_of(table, column))
            gap = _fresh_name(table, f"{column} - {formula}")
            yield Candidate(Link(column, formula, gap, precision=_precision(table, column, formula)), 1.0, rank=2)


def _precision(table: Table, column: str, formula: Formula) -> float:
    return link_precision(table.schema, (column, *formula.inputs))


def _share_of_rest(table: Table, copy: details.Copy, total: details.Sum) -> Iterator[Candidate]:
    """A term of a total, where the total is a multiple of it in part of the rows: a share of the other terms.

    If 6 times the tip is the total, the tip is a fifth of all else that the total adds up.
    """
    terms = dict(total.terms)
    if copy.column == total.column and copy.source in terms:
        name, factor = copy.source, copy.factor
    elif copy.source == total.column and copy.column in terms:
        name, factor = copy.column, 1 / copy.factor
    else:
        return
    share = factor - terms.pop(name)
    if not terms or abs(share) < 1e-9 or any(table.schema[other].kind == "datetime" for other in terms):
        return
    scaled = tuple((other, _plain(weight / share)) for other, weight in terms.items())
    formula = Sum(scaled, total.constant / share, decimals_of(table, name))
    yield from _some(make_link(table, name, formula, partly=True, least=LEAST_FOUND))


def _stable_gaps(table: Table) -> Iterator[Candidate]:
    """Timestamps that lie close to another one: the later of two as the earlier plus a gap, closest pairs first."""
    stamps = [column.name for column in table.schema.learnt if column.kind == "datetime"]
    pairs = [(end, start) for end in stamps for start in stamps if end != start and _follows(table, end, start)]
    for end, start in sorted(pairs, key=lambda pair: spread_of(table[pair[0]] - table[pair[1]])):
        yield from _some(gap_link(table, end, ((start, 1.0),)))


def _follows(table: Table, end: str, start: str) -> bool:
    """Whether a timestamp mostly lies shortly after another."""
    gap = table[end] - table[start]
    known = gap[~np.isnan(gap)]
    return bool(len(known)) and varies_finely(table, end, ((start, 1.0),)) and bool(np.median(known) >= 0)


def structural_relations(table: Table) -> list[Relation]:
    """Relations that say how a column is computed from others."""
    view = View(table, MAX_ROWS, seed=0)
    if not view.columns:
        return []
    found = find_structural(view, most_combined=MOST_COMBINED, all_copies=True)
    return [*found.functions, *found.factors, *found.orderings, *found.partial, *found.copies]


def _clock_numbers(table: Table) -> list[Candidate]:
    """Whole numbers such as 1405 that are the hour and minute of a timestamp."""
    stamps = [column.name for column in table.schema.learnt if column.kind == "datetime"]
    found: list[Candidate] = []
    for column in table.schema.learnt:
        low, high = column.low, column.high
        if column.kind != "numeric" or low is None or high is None or low < 0 or not 59 < high < 2400:
            continue
        for name in stamps:
            zone = zone_of(table.schema[name].dtype)
            found += _some(make_link(table, column.name, CalendarPart(name, "hhmm", zone)))
    return found


def candidates_from_rules(table: Table, rules: Sequence[BoundRule]) -> list[Candidate]:
    """Links that equations and orderings in rules suggest, if the table's rows agree with them."""
    found: list[Candidate] = []
    for rule in rules:
        if isinstance(rule.test, Compare) and len(rule.test.left.terms) > 1:
            found += _from_comparison(table, rule.test)
            continue
        found += _from_products(table, rule.test)
        for leaf in leaves(rule.test):
            if isinstance(leaf, Compare) and leaf.op == "==" and len(leaf.left.terms) == 2:
                found += _copies(table, leaf)
    return found


def _from_products(table: Table, test: Rule) -> Iterator[Candidate]:
    """A column that a rule defines as a product or a ratio, exactly or after rounding."""
    defined = defined_column(test)
    if defined is not None:
        decimals = decimals_of_half(defined.half) if defined.half else decimals_of(table, defined.column)
        if not defined.half or decimals is not None:
            formula = replace(defined.formula, decimals=decimals)
            yield from _some(make_link(table, defined.column, formula))


def decimals_of(table: Table, name: str) -> int | None:
    """Decimals of a column's values; None if it is continuous."""
    column = table.schema[name]
    if column.is_discrete or column.kind == "datetime" or "int" in column.dtype.lower():
        return 0
    values = table[name][~np.isnan(table[name])]
    lattice = find_lattice(values, single_precision="float32" in column.dtype.lower()) if len(values) else None
    return None if lattice is None else round(np.log10(lattice.scale))


def values_of(table: Table, names: Iterable[str]) -> dict[str, Floats]:
    """Some columns as floats, NaN for missing."""
    return {name: as_floats(table[name]) for name in names}


def make_link(
    table: Table, column: str, formula: Formula, *, partly: bool = False, least: float = LEAST_SHARE
) -> Candidate | None:
    """Link of a column by a formula that all rows keep, or a share of them; None if they do not."""
    names = (column, *formula.inputs)
    if isinstance(formula, Sum) and formula.decimals is not None:
        formula = replace(formula, rounds=_rounds(formula, values_of(table, formula.inputs)))
    plain = Link(column, formula, precision=_precision(table, column, formula))
    share = float(np.mean(plain.agrees(values_of(table, names))))
    if share == 1.0:
        return Candidate(plain, 1.0, rank=int(isinstance(formula, Sum)))  # a sum can be solved for another column
    absent = _absent_elsewhere(table, plain)
    if absent is not None:
        return absent
    if not partly or share < least:
        return None
    source, own = _fresh_names(table, f"{column} (source)", f"{column} (own)")
    within = _domain(table.schema[column])
    return Candidate(replace(plain, source=source, own=own, within=within), share, rank=3)


def _absent_elsewhere(table: Table, plain: Link) -> Candidate | None:
    """The same link for a column that is null in part of the rows, though the formula has a value there."""
    values = values_of(table, (plain.column, *plain.formula.inputs))
    null = np.isnan(values[plain.column])
    if not (plain.agrees(values) | null).all() or (~null).sum() < MIN_ROWS:
        return None
    (source,) = _fresh_names(table, f"{plain.column} (source)")
    return Candidate(replace(plain, source=source), float(np.mean(~null)), rank=1)


def _rounds(formula: Sum, values: dict[str, Floats]) -> bool:
    """Whether rounding changes the sums of some rows by more than errors of floating point."""
    total = formula.unrounded(values)
    change = np.abs(formula.evaluate(values) - total)
    slack = 1e-6 * 10.0 ** -(formula.decimals or 0) + 1e-12 * np.abs(total)
    return bool((change > slack).any())


def gap_link(table: Table, column: str, terms: Terms) -> Candidate | None:
    """Link of a column as a sum plus a learnt gap; None if that could miss the column's lattice, or its nulls."""
    decimals = decimals_of(table, column)
    for name, _ in terms:
        finer = decimals_of(table, name)
        if decimals is not None and (finer is None or finer > decimals):
            return None  # a start in cents plus a gap is no whole number
        if (table.missing(name) & ~table.missing(column)).any():
            return None
    formula = Sum(terms, decimals=decimals)
    start = formula.inputs[0] if terms == ((formula.inputs[0], 1.0),) else f"({formula})"
    gap = _fresh_name(table, f"{column} - {start}")
    return Candidate(Link(column, formula, gap, precision=_precision(table, column, formula)), 1.0, rank=2)


def scaled_link(
    table: Table, column: str, source: str, factors: tuple[float, ...], decimals: int | None
) -> Candidate | None:
    """Link of a column as one of a few multiples of another; None if not all rows agree."""
    (factor,) = _fresh_names(table, f"{column} / {source}")
    precision = link_precision(table.schema, (column, source))
    plain = Link(column, Scaled(source, factor, factors, decimals), precision=precision, parts=(factor,))
    values = values_of(table, (column, source))
    if plain.contradicts(values).any():
        return None
    counts = np.bincount(plain.measure(values)[factor].clip(0).astype(int), minlength=len(factors))
    ordered = tuple(factors[i] for i in np.argsort(-counts, kind="stable"))
    return Candidate(replace(plain, formula=Scaled(source, factor, ordered, decimals)), 1.0, rank=2)


def _domain(column: Column) -> tuple[float, float] | None:
    return None if column.low is None or column.high is None else (column.low, column.high)


def clock_links(table: Table) -> Iterator[Link]:
    """Links of timestamps to their dates and times of day, where rows cover several days.

    With a limited number of bins over months, a bin holds hours; apart, dates and times of day are both fine.
    """
    for column in table.schema.learnt:
        if column.kind != "datetime":
            continue
        stamps, zone = table[column.name][~table.missing(column.name)], zone_of(column.dtype)
        local = stamps if zone in (None, "UTC") else to_local(stamps, zone)
        if len(stamps) and np.ptp(stamps) >= LEAST_DAYS * DAY and len(np.unique(np.mod(local, DAY))) > 1:
            date, time = _fresh_names(table, f"{column.name} (date)", f"{column.name} (time)")
            formula: Formula = Sum(((date, 1.0), (time, 1.0)), decimals=0)
            if zone not in (None, "UTC"):
                formula = LocalTime(date, time, zone)
            yield Link(column.name, formula, parts=(date, time), within=_domain(column))


def _from_detail(table: Table, detail: object) -> Iterator[Candidate]:
    match detail:
        case details.Sum(column, terms, constant, None):
            yield from _solutions(table, {column: -1.0, **dict(terms)}, constant, seconds=True)
        case details.Sum(column, terms, constant, decimals):
            yield from _some(make_link(table, column, Sum(terms, constant, decimals)))
        case details.PartSum(column, terms, constant):
            yield from _solutions(table, {column: -1.0, **dict(terms)}, constant, partly=True)
        case details.Ordering(column, start, stable=True) if table.schema[column].kind == "datetime":
            yield from _some(gap_link(table, column, ((start, 1.0),)))
        case details.Factor(column, source, factors, decimals):
            yield from _some(scaled_link(table, column, source, factors, decimals))
        case details.Lookup(column, (one, other)):
            yield from _some(_pair_lookup(table, column, (one, other)))
        case details.Lookup(column, (key,), one_to_one):
            yield from _some(_lookup(table, column, key))
            if one_to_one:
                yield from _some(_lookup(table, key, column))
        case details.CalendarPart():
            yield from _some(_calendar(table, detail))
        case details.Clock(column, start, minutes, midnight):
            clock = Clock(start, minutes, midnight)
            for candidate in _some(make_link(table, column, clock, partly=True, least=LEAST_FOUND)):
                yield replace(candidate, rank=min(candidate.rank, 1))
        case details.Product(column, (first, second), decimals):
            yield from _some(make_link(table, column, Product(first, second, decimals=decimals)))
        case details.Ratio(column, numerator, denominator, decimals, factor):
            yield from _ratio(table, column, Product(numerator, denominator, -1, decimals, factor))
        case details.ScaledProduct(column, (first, *plus), second, power, factor, decimals):
            yield from _ratio(table, column, Product(first, second, power, decimals, factor, tuple(plus)))
        case details.Copy(column, source, factor):
            formula = Sum(((source, factor),), decimals=decimals_of(table, column))
            yield from _some(make_link(table, column, formula, partly=True, least=LEAST_FOUND))
        case details.Band(column, source, edges, values):
            physical = tuple(float(physical_value(table.schema[column], value)) for value in values)
            yield from _some(make_link(table, column, Band(source, edges, physical)))


def _ratio(table: Table, column: str, formula: Product) -> Iterator[Candidate]:
    """A product or a ratio; where a few denominators are 0, the column may have a value of its own."""
    candidate = make_link(table, column, formula, partly=formula.power < 0, least=LEAST_OF_RATIO)
    if candidate is not None:
        yield replace(candidate, rank=min(candidate.rank, 1))


def _some(candidate: Candidate | None) -> Iterator[Candidate]:
    if candidate is not None:
        yield candidate


def _from_comparison(table: Table, test: Compare) -> Iterator[Candidate]:
    weights = {term.column: float(term.coefficient) for term in test.left.terms}
    if test.op == "==":
        yield from _solutions(table, weights, -float(test.right.constant), partly=True)
    elif test.op != "!=" and all(abs(weight) == 1.0 for weight in weights.values()):
        sign = 1.0 if test.op[0] == ">" else -1.0
        for end in (name for name, weight in weights.items() if weight == sign):
            terms = tuple((name, -sign * weight) for name, weight in weights.items() if name != end)
            if any(weight > 0 for _, weight in terms) and varies_finely(table, end, terms):
                yield from _some(gap_link(table, end, terms))


def varies_finely(table: Table, end: str, terms: Terms) -> bool:
    """Whether the gap between a column and a sum spreads much less than both do."""
    if any(table.schema[name].is_discrete for name in (end, *dict(terms))):
        return False
    start = Sum(terms).unrounded({name: table[name] for name, _ in terms})
    both = [spread_of(table[end]), spread_of(start)]
    return bool(0 < spread_of(table[end] - start) < 0.25 * min(both))


def _copies(table: Table, test: Compare) -> Iterator[Candidate]:
    """An equation of two columns that part of the rows keep, solved for either."""
    weights = {term.column: float(term.coefficient) for term in test.left.terms}
    for column in weights:
        (other,) = (name for name in weights if name != column)
        factor, constant = -weights[other] / weights[column], float(test.right.constant) / weights[column]
        formula = Sum(((other, factor),), constant, decimals_of(table, column))
        yield from _some(make_link(table, column, formula, partly=True))


def _solutions(
    table: Table, weights: dict[str, float], constant: float, *, seconds: bool = False, partly: bool = False
) -> Iterator[Candidate]:
    """The equation Σ weight · column + constant == 0 solved for each column, if that gives its values exactly.

    With ``seconds``, weights and constant are for times in seconds. With ``partly``, part of the rows may break it:
    a rule that asks for it then selects rows whose value is computed, instead of inputs that happen to meet it.
    """
    if seconds:
        weights = {name: weight / _units(table.schema[name]) for name, weight in weights.items()}
    if any(table.schema[name].kind == "categorical" for name in weights):
        return
    for column, own in weights.items():
        terms = tuple((name, -weight / own) for name, weight in weights.items() if name != column)
        formula = Sum(tuple((name, _plain(w)) for name, w in terms), -constant / own + 0.0, decimals_of(table, column))
        candidate = make_link(table, column, formula, partly=partly)
        if candidate is not None and partly and candidate.share < 1.0:
            candidate = replace(candidate, rank=2)
        yield from _some(candidate)


def _units(column: Column) -> float:
    """Physical units of a second in a column of times or durations, 1 in others."""
    return MICROSECONDS if is_time(column) else 1.0


def _plain(weight: float) -> float:
    """A weight without the rounding errors of a division."""
    near = round(weight)
    return float(near) if near and abs(weight - near) < 1e-9 * abs(weight) else weight


def _lookup(table: Table, column: str, key: str) -> Candidate | None:
    """A column as a function of a key, with the value that each key has in the table."""
    keys, values = (as_floats(table[name]) for name in (key, column))
    present = ~np.isnan(keys)
    order = np.argsort(np.isnan(values), kind="stable")  # null only where all rows of a key are
    keys, values, present = keys[order], values[order], present[order]
    known, first = np.unique(keys[present], return_index=True)
    if not len(known) or len(known) > MOST_KEYS:
        return None
    found = values[present][first]
    absent = values[~present]
    missing = None if not len(absent) or np.isnan(absent[0]) else float(absent[0])
    listed = tuple(None if np.isnan(value) else float(value) for value in found)
    return make_link(table, column, Lookup(key, tuple(map(float, known)), listed, missing))


def _pair_lookup(table: Table, column: str, keys: tuple[str, str]) -> Candidate | None:
    """A column as a function of two keys, with the value that each pair of keys has in the table."""
    one, other, found = (as_floats(table[name]) for name in (*keys, column))
    if len(np.unique(one)) * len(np.unique(other)) > MOST_KEYS:
        return None
    formula = fit_pair_lookup(keys, (one, other, found))
    return None if formula is None else make_link(table, column, formula)


def _calendar(table: Table, detail: details.CalendarPart) -> Candidate | None:
    """A column as part of a timestamp, with the column's own value for each part."""
    column = table.schema[detail.column]
    zone = detail.zone or zone_of(table.schema[detail.timestamp].dtype)
    formula = CalendarPart(detail.timestamp, detail.part, zone)
    if column.kind == "numeric" and not detail.offset and not detail.sunday_first:
        return make_link(table, detail.column, formula)
    if detail.part == "date":
        return make_link(table, detail.column, formula) if column.kind == "datetime" else None
    both = ~table.missing(detail.timestamp) & ~table.missing(detail.column)
    parts = calendar_part(table[detail.timestamp][both].astype(np.int64), detail.part, zone)
    known, first = np.unique(parts, return_index=True)
    values = as_floats(table[detail.column])[both][first]
    own = CalendarPart(detail.timestamp, detail.part, zone, tuple(map(float, known)), tuple(map(float, values)))
    return make_link(table, detail.column, own)


def _fresh_names(table: Table, *names: str) -> tuple[str, ...]:
    """Names that the table does not have yet."""
    return tuple(_fresh_name(table, name) for name in names)


def _fresh_name(table: Table, name: str) -> str:
    while name in table.schema.names:
        name += "'"
    return name
