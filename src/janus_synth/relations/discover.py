"""A frame in; the relations between its columns out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from janus_synth.relations.bands import find_bands
from janus_synth.relations.calendar import find_calendar_parts
from janus_synth.relations.chains import closure
from janus_synth.relations.clock import find_clocks
from janus_synth.relations.copies import find_copies
from janus_synth.relations.details import Lookup, OneHot, Sum
from janus_synth.relations.factors import find_factors
from janus_synth.relations.implications import find_implications
from janus_synth.relations.increments import find_increments
from janus_synth.relations.lookups import find_lookups
from janus_synth.relations.multiples import find_multiples
from janus_synth.relations.nulls import find_nulls
from janus_synth.relations.orderings import find_orderings
from janus_synth.relations.partial_sums import find_partial_sums
from janus_synth.relations.products import find_products
from janus_synth.relations.relation import Relation, Relations
from janus_synth.relations.rounded_sums import find_rounded_sums
from janus_synth.relations.scaled_products import find_scaled_products, without_ratios_said_better
from janus_synth.relations.sums import find_sums
from janus_synth.relations.view import MAX_ROWS, View
from janus_synth.table import Schema, Table, read_table
from janus_synth.threads import one_blas_thread


@one_blas_thread()
def discover(
    frame: Any, *, schema: Schema | dict[str, Any] | None = None, max_rows: int = MAX_ROWS, random_state: int = 0
) -> Relations:
    """Find relations between the columns of a table, such as sums, orderings and lookups.

    Parameters
    ----------
    frame : DataFrame or Table
        pandas, polars, pyarrow or a JANUS table. Identifiers are left out.
    schema : Schema or mapping, optional
        How to read the frame: a Schema, or fields to set by hand, as for ``Janus(schema=…)``.
    max_rows : int
        Relations are proposed from a random sample of this many rows and verified on all.
    random_state : int
        Seed of the sample and of permutations.

    Returns
    -------
    Relations
        Ranked; prints as a table.

    Notes
    -----
    What could be chance is not reported. For each kind, the expected number of false relations in a table without
    any is at most 0.0001: a candidate is kept only if its probability under the null hypothesis that one of its columns
    is unrelated to the others, times the number of candidates that were tried, is below that (Bonferroni; see
    ``janus_synth.relations.chance``). Relations that follow from others are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth import discover
    >>> city = ["Rome", "Oslo", "Bonn", "Oslo"] * 30
    >>> country = {"Rome": "Italy", "Oslo": "Norway", "Bonn": "Germany"}
    >>> print(discover(pd.DataFrame({"city": city, "country": [country[c] for c in city]})))
    1 relation in 120 rows
    <BLANKLINE>
    kind    relation                                rows  exceptions
    lookup  country and city determine one another   120           0
    """
    table = frame if isinstance(frame, Table) else read_table(frame, schema)
    view = View(table, max_rows, random_state)
    if len(view.columns) < 1:
        return Relations((), table.n_rows)
    return Relations(_find_all(view), table.n_rows)


def _find_all(view: View) -> list[Relation]:
    """All relations; kinds that say more come first, and the others leave their columns out."""
    found = find_structural(view)
    nulls = find_nulls(view)
    chains = {frozenset(pair) for pair in closure(determined_pairs(found.functions))}
    said = _pairs([*found.functions, *found.orderings, *nulls]) | chains
    implications = find_implications(view, said)
    increments = find_increments(view, {relation.columns[0] for relation in found.computed})
    found_in_part = [*found.partial, *found.copies]
    return [*found.functions, *found.factors, *found.orderings, *found_in_part, *nulls, *implications, *increments]


class Structural(NamedTuple):
    """Relations that say how a column is computed from others, in all rows, up to a factor, a gap, or in part."""

    computed: tuple[Relation, ...]
    """Sums, products and ratios."""
    functions: tuple[Relation, ...]
    """These, parts of timestamps, bands and lookups."""
    factors: tuple[Relation, ...]
    orderings: tuple[Relation, ...]
    copies: tuple[Relation, ...]
    partial: tuple[Relation, ...]
    """Sums that a few rows break."""


def find_structural(view: View, *, most_combined: int | None = None, all_copies: bool = False) -> Structural:
    """Relations that say how a column is computed; what follows from others is left out.

    In a table of more than ``most_combined`` columns with numbers, pairs and triples of them are not searched. With
    ``all_copies``, copies among the members of a sum are searched, too: most of them follow from the sum, but tips that
    are often a fifth of the fare do not.
    """
    sums, parts = find_sums(view), [*find_calendar_parts(view), *find_clocks(view)]
    if most_combined is not None and len(view.numeric) > most_combined:
        lookups = find_lookups(view, _column_sets([*sums, *parts]), functions=determined_pairs([*sums, *parts]))
        return Structural(tuple(sums), (*sums, *parts, *lookups), (), (), (), ())
    sums += find_multiples(view, sums)
    sums += find_rounded_sums(view, sums)
    products = find_products(view)
    scaled = find_scaled_products(view, [*sums, *products])
    products = [*without_ratios_said_better(products, scaled), *scaled]
    factors = find_factors(view, [*sums, *products])
    bands = find_bands(view, _pairs([*sums, *parts, *products]))
    steps = determined_pairs([*sums, *parts, *bands])
    lookups = find_lookups(view, _column_sets([*sums, *parts, *products, *bands]), functions=steps)
    orderings = find_orderings(view, [*sums, *parts, *products, *factors])
    related = [*sums, *products, *factors]
    partial = find_partial_sums(view, related)
    tied = _column_sets(related) if all_copies else _tied_pairs([*related, *partial], view.numeric)
    copies = find_copies(view, tied)
    functions = (*sums, *parts, *products, *bands, *lookups)
    return Structural((*sums, *products), functions, tuple(factors), tuple(orderings), tuple(copies), tuple(partial))


def _column_sets(relations: Iterable[Relation]) -> set[frozenset[str]]:
    return {frozenset(relation.columns) for relation in relations}


def _pairs(relations: Iterable[Relation]) -> set[frozenset[str]]:
    """Pairs of columns that occur in one relation."""
    return {frozenset(pair) for relation in relations for pair in combinations(relation.columns, 2)}


def determined_pairs(relations: Iterable[Relation]) -> set[tuple[str, str]]:
    """Pairs (column, key) of which the key alone determines the column."""
    found: set[tuple[str, str]] = set()
    for relation in relations:
        if len(relation.columns) != 2:
            continue
        column, key = relation.columns
        detail = relation.detail
        found.add((column, key))
        is_exact = isinstance(detail, OneHot) or (isinstance(detail, Sum) and detail.decimals is None)
        if is_exact or (isinstance(detail, Lookup) and detail.one_to_one):
            found.add((key, column))
    return found


def _tied_pairs(relations: Sequence[Relation], names: Sequence[str]) -> set[frozenset[str]]:
    """Pairs of columns that a chain of relations connects: equality in some rows is a consequence of them."""
    part = {name: name for name in names}
    for relation in relations:
        joined = {part[name] for name in relation.columns}
        part = {name: min(joined) if home in joined else home for name, home in part.items()}
    return {frozenset((one, other)) for one, other in combinations(names, 2) if part[one] == part[other]}
