"""A table in; where columns are null out: together, or exactly or at least where another column has certain values.

That a column is null exactly where another has some of its values has, by chance, a probability of the number of such
sets of values over the number of ways to choose its null rows; that it is null in all rows of one value, the share of
nulls to the power of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from janus_synth.arrays import Bools, LongInts
from janus_synth.relations.chance import is_credible, log_choices
from janus_synth.relations.details import Nulls
from janus_synth.relations.relation import Relation
from janus_synth.relations.texts import first_true, rows_that_hold, values_text
from janus_synth.relations.view import View, codes_of, special_values
from janus_synth.rules.language.notation import format_name
from janus_synth.table import Level, Table, shown_value

MIN_NULLS = 5
MIN_EXPECTED = 20.0
"""Present cells that there would be by chance where a value says that there are none, at least."""
MAX_VALUES = 50
"""Values of a column that may say where another one is null."""


def find_nulls(view: View) -> list[Relation]:
    """Groups of columns that are null together, and values of columns where they are null."""
    groups = _groups(view)
    tried = 2 * math.log(max(len(view.table.schema.learnt), 2))
    found: list[Relation] = []
    for names in groups:
        sources = _best_sources(view, names, tried)
        exact = any(isinstance(r.detail, Nulls) and r.detail.exactly for r in sources)
        if len(names) > 1 and not exact and _is_credible_group(view, names, tried):
            found.append(_together(view, names))
        found += sources
    return _without_implied(found, groups)


def _without_implied(found: Sequence[Relation], groups: Sequence[Sequence[str]]) -> list[Relation]:
    """Drop statements that a column is null where another one is, if they follow from the others."""
    group_of = {name: i for i, names in enumerate(groups) for name in names}
    steps: dict[tuple[int, int], Relation] = {}
    exact: dict[int, tuple[str | None, tuple[Level | None, ...]]] = {}
    where: set[tuple[int, str | None, tuple[Level | None, ...]]] = set()
    others: list[Relation] = []
    for relation in found:
        detail = relation.detail
        assert isinstance(detail, Nulls)
        low = group_of[detail.columns[0]]
        if detail.source in group_of and detail.values == (None,):
            steps.setdefault((low, group_of[detail.source]), relation)
            continue
        others.append(relation)
        where.add((low, detail.source, detail.values))
        if detail.source is not None and detail.exactly:
            exact[low] = detail.source, detail.values
    middle = range(len(groups))
    for (low, high), relation in steps.items():
        chained = any((low, m) in steps and (m, high) in steps for m in middle)
        if not chained and not (high in exact and (low, *exact[high]) in where):
            others.append(relation)
    return [relation for relation in found if relation in others]


def _groups(view: View) -> list[list[str]]:
    """Columns by the rows in which they are null; columns without nulls or values are left out."""
    groups: dict[bytes, list[str]] = {}
    for column in view.table.schema.learnt:
        missing = view.table.missing(column.name)
        n_nulls = int(missing.sum())
        if MIN_NULLS <= n_nulls <= view.table.n_rows - MIN_NULLS:
            groups.setdefault(np.packbits(missing).tobytes(), []).append(column.name)
    return list(groups.values())


def _is_credible_group(view: View, names: Sequence[str], tried: float) -> bool:
    """All rows are null together with probability one over the number of ways to choose them."""
    n_nulls = int(view.table.missing(names[0]).sum())
    return is_credible(-log_choices(view.table.n_rows, n_nulls), tried)


def _together(view: View, names: Sequence[str]) -> Relation:
    missing = view.table.missing(names[0])
    spelt = [format_name(name) for name in names]
    rule = (
        f"({' and '.join(f'{name} is null' for name in spelt)}) or "
        f"({' and '.join(f'{name} is not null' for name in spelt)})"
    )
    text = f"{_listing(spelt)} are null together"
    example = view.row_values(first_true(missing), names)
    return Relation("nulls", tuple(names), rule, view.table.n_rows, 0, example, Nulls(tuple(names)), text)


def _listing(names: Sequence[str], most: int = 4) -> str:
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _best_sources(view: View, names: Sequence[str], tried: float) -> list[Relation]:
    """One source that says exactly where columns are null, or else all that say so in part."""
    found = [relation for source in _sources(view, names) for relation in _by_source(view, names, source, tried)]
    exact = [relation for relation in found if isinstance(relation.detail, Nulls) and relation.detail.exactly]
    return exact[:1] or found


def _sources(view: View, names: Sequence[str]) -> list[str]:
    """Columns with few values that are not of the group, categories first, those with the fewest values first."""
    sizes = {c.name: int(view.codes[c.name].max()) + 1 for c in view.columns if c.name not in names}
    schema = view.table.schema
    few = [name for name, size in sizes.items() if size <= MAX_VALUES or not schema[name].is_discrete]
    return sorted(few, key=lambda name: (not schema[name].is_discrete, sizes[name]))


def _by_source(view: View, names: Sequence[str], source: str, tried: float) -> Iterator[Relation]:
    if _judge(view.sample, names[0], source, view.codes[source], tried) is None:
        return
    judged = _judge(view.table, names[0], source, codes_of(view.table, source), tried)
    if judged is not None:
        yield from _relation(view, names, source, *judged)


def _judge(table: Table, name: str, source: str, codes: LongInts, tried: float) -> tuple[LongInts, bool] | None:
    """Codes of a source (−1 is null) where a column is null, and whether it is null nowhere else; None for chance."""
    missing = table.missing(name)
    sizes = np.bincount(codes + 1)
    nulls = np.bincount(codes[missing] + 1, minlength=len(sizes))
    always = np.flatnonzero((nulls == sizes) & (sizes > 0))
    share = float(missing.mean())
    if not len(always) or not 0 < share < 1:
        return None
    n_nulls = int(missing.sum())
    if len(always) <= MAX_VALUES and int(sizes[always].sum()) == n_nulls:
        unions = log_choices(int((sizes > 0).sum()), len(always))
        if is_credible(unions - log_choices(table.n_rows, n_nulls), tried):
            return always - 1, True
    listed = _may_say(table, source, sizes)
    least = [
        code
        for code in always.tolist()
        if listed[code]
        and sizes[code] * (1 - share) >= MIN_EXPECTED
        and is_credible(sizes[code] * math.log(share), tried + math.log(len(sizes)))
    ]
    return (np.array(least) - 1, False) if 0 < len(least) <= MAX_VALUES else None


def _may_say(table: Table, source: str, sizes: LongInts) -> Bools:
    """Which codes stand for something; the first is null."""
    if table.schema[source].is_discrete:
        return np.ones(len(sizes), dtype=bool)
    cells = table[source]
    return np.concatenate([[True], special_values(np.unique(cells[~np.isnan(cells)]), sizes[1:])])


def _relation(view: View, names: Sequence[str], source: str, codes: LongInts, exactly: bool) -> Iterator[Relation]:
    values = tuple(_value(view, source, int(code)) for code in codes)
    if values == (None,) and exactly:
        return  # null together
    where = values_text(source, values)
    spelt = [format_name(name) for name in names]
    nulls = " and ".join(f"{name} is null" for name in spelt)
    rule = f"implies({where}, {nulls})"
    if exactly:
        back = " or ".join(f"{name} is null" for name in spelt)
        rule += f" and implies({back}, {where})"
    holding = rows_that_hold(rule, view.table)
    if holding is None or not holding.all():
        return
    applies: Bools = np.isin(codes_of(view.table, source), codes)
    support = view.table.n_rows if exactly else int(applies.sum())
    verb = "is" if len(names) == 1 else "are"
    text = (
        f"{spelt[0] if len(spelt) == 1 else _listing(spelt)} {verb} null {'exactly ' if exactly else ''}where {where}"
    )
    columns = (*names, source)
    detail = Nulls(tuple(names), source, values, exactly)
    yield Relation("nulls", columns, rule, support, 0, view.row_values(first_true(applies), columns), detail, text)


def _value(view: View, source: str, code: int) -> Level | None:
    """Value of a code of the whole table; None for null."""
    if code < 0:
        return None
    schema, cells = view.table.schema[source], view.table[source]
    physical = float(code) if schema.is_discrete else float(np.unique(cells[~np.isnan(cells)])[code])
    return shown_value(schema, physical)
