"""A model in, every literal value that its file holds out, with the reason and the number of training rows behind it.

Everything else in a file is a count, a position among codes, or a number without a unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from janus_synth.coordinates import CalendarPart, Link, Lookup, Sum
from janus_synth.coordinates.formulas import Band
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.scaled import Scaled
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.identities import KNOWN_SHAPES
from janus_synth.model.model import Model
from janus_synth.table import Column, Level, shown_value

REASONS = {
    "level": "value of a categorical column",
    "bound": "end of the domain: declared, shared by several rows, or smoothed",
    "atom": "frequent value with a bin of its own",
    "lattice": "start, step and scale of the values",
    "knots": "border of a bin or point of a quantile function: between values of several rows",
    "gap": "ends of an empty interval, moved away from the values",
    "template": "how fresh identifiers look; a number counts on from the largest one",
    "format": "how made-up values look, of several rows each",
    "link": "constant of a formula, edge of a band, or looked-up pair",
    "rule": "rule as written, or combinations of a fixed_combinations rule",
}
"""Why a file holds a value."""


class Literal(NamedTuple):
    """One literal value, or several numbers of one sort."""

    column: str
    reason: str
    """A key of `REASONS`."""
    value: Level | str
    n_rows: int | None = None
    """Training rows with this value; None where the value belongs to no row."""


def list_literals(model: Model) -> tuple[Literal, ...]:
    """Return all literal values of a model, column by column, then those of links and rules.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(random_state=0).fit(datasets.hiring(500, random_state=0)).model_
    >>> [literal for literal in list_literals(model) if literal.reason == "level"][0].n_rows >= 5
    True
    """
    found: list[Literal] = []
    for column in model.schema:
        found += _of_domain(column)
        if column.name in model.codec.columns:
            found += _of_codec(model, column)
    for link in model.links:
        found += _of_link(model, link)
    found += [Literal(", ".join(rule.columns), "rule", str(rule)) for rule in model.all_rules]
    return tuple(found)


def _of_domain(column: Column) -> Iterator[Literal]:
    for end in (column.low, column.high):
        if end is not None and (shown := shown_value(column, end)) is not None:
            yield Literal(column.name, "bound", shown)
    if column.template is not None:
        yield Literal(column.name, "template", column.template)
    if column.recipe is not None and column.role not in KNOWN_SHAPES:
        yield from (Literal(column.name, "format", each.text, each.weight) for each in column.recipe.formats)


def _of_codec(model: Model, column: Column) -> Iterator[Literal]:
    codec = model.codec.columns[column.name]
    if isinstance(codec, LevelCodec):
        for level, weight in zip(column.levels, codec.weight.tolist(), strict=False):
            group = column.generalised and isinstance(level, str) and "{" in level
            yield Literal(column.name, "format" if group else "level", level, int(weight))
        return
    assert isinstance(codec, OrderedCodec)
    counts = _rows_of_codes(model, column.name)
    for code in np.flatnonzero(codec.knot[:, 0] == codec.knot[:, -1]).tolist():
        if (shown := shown_value(column, float(codec.knot[code, 0]))) is not None:
            yield Literal(column.name, "atom", shown, int(counts[code]))
    if codec.lattice is not None:
        yield Literal(column.name, "lattice", f"{codec.lattice.base}, {codec.lattice.gap}, {codec.lattice.scale}")
    wide = codec.knot[codec.knot[:, 0] < codec.knot[:, -1]]
    if len(wide):
        distinct = len(np.unique(np.concatenate([wide.ravel(), codec.upper])))
        yield Literal(column.name, "knots", f"{distinct:,} numbers in {len(wide):,} bins")
    for low, high in codec.gaps.tolist():
        yield Literal(column.name, "gap", f"{low:g} … {high:g}")


def _rows_of_codes(model: Model, name: str) -> Any:
    """Training rows with each code of a column: every tree of its bag counts all of them."""
    bag = model.bag(name)
    counts = np.asarray(bag.leaves.forward.sum(axis=0)).ravel()
    return counts // max(1, len(bag.splits.roots))


def _of_link(model: Model, link: Link) -> Iterator[Literal]:
    column, formula = link.column, link.formula
    if link.within is not None:
        yield from (Literal(column, "bound", value) for value in link.within)
    if isinstance(formula, Sum):
        yield Literal(column, "link", str(link))
    elif isinstance(formula, Band):
        yield Literal(column, "link", f"edges {', '.join(f'{edge:g}' for edge in formula.edges)}")
    elif isinstance(formula, Lookup):
        key, own = model.schema[formula.key], model.schema[column]
        for known, value in zip(formula.known, formula.values, strict=True):
            shown = None if value is None else shown_value(own, value)
            yield Literal(column, "link", f"{formula.key} {shown_value(key, known)}: {shown}")
    elif isinstance(formula, PairLookup):
        yield from _of_pairs(model, column, formula)
    elif isinstance(formula, Scaled):
        yield Literal(column, "link", str(link))
    elif isinstance(formula, CalendarPart) and formula.known:
        yield Literal(column, "link", f"{formula.part}: {', '.join(f'{value:g}' for value in formula.values)}")


def _of_pairs(model: Model, column: str, formula: PairLookup) -> Iterator[Literal]:
    """The value of each pair of keys."""
    one, other = (model.schema[key] for key in formula.keys)
    pairs = ((first, second) for first in formula.known[0] for second in formula.known[1])
    for (first, second), value in zip(pairs, formula.values, strict=True):
        shown = None if value is None else shown_value(model.schema[column], value)
        keys = f"{one.name} {shown_value(one, first)}, {other.name} {shown_value(other, second)}"
        yield Literal(column, "link", f"{keys}: {shown}")
