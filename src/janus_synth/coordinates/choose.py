"""A training table, its rules and the user's graph in; the links to learn it with out.

Exact links come before gaps, and gaps before links for part of the rows. A column has at most one link, links form no
loop, and none contradicts a graph or background knowledge of the user. Of the members of an equation the one is
computed that loses least by it: a computed column has no repeated values (atoms) of its own, a sum of cents is no whole
number, and a difference can leave the column's domain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from janus_synth.coordinates.candidates import (
    Candidate,
    candidates_from_rows,
    candidates_from_rules,
    clock_links,
    decimals_of,
)
from janus_synth.coordinates.formulas import Lookup, Sum
from janus_synth.coordinates.links import Link
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.spikes import lost_spikes
from janus_synth.graph import Dag
from janus_synth.rules import BoundRule
from janus_synth.table import Table
from janus_synth.table.cells import as_floats

ATOM = 0.005
"""Share of rows from which a repeated value counts as an atom."""
LEAST_KEPT = 0.9
"""A link that looks values up has keys of enough rows for at least this share of the rows,"""
LEAST_KEPT_OF_NUMBERS = 0.99
"""and for this share if it looks a number up by a number: rare keys are tails, and would end at the last known one."""


def choose_links(
    table: Table,
    rules: Sequence[BoundRule] = (),
    *,
    find: bool = True,
    graph: Dag | None = None,
    barred: Iterable[tuple[str, str]] = (),
    least: int = 1,
) -> tuple[Link, ...]:
    """Choose links for a table.

    Parameters
    ----------
    table : Table
        Training rows.
    rules : sequence of BoundRule
        Rules of the user; equations and orderings among them suggest links.
    find : bool
        Search the table for relations, too.
    graph : Dag, optional
        The user's graph. A derived column's parents in it must be exactly the inputs of its link. The parents of a
        column with hidden columns must include the inputs, and become parents of the hidden columns.
    barred : iterable of (parent, child)
        Edges that the graph must not have.
    least : int
        Fewest rows of a key that may be looked up; links most of whose rows have rarer keys are not chosen.

    Returns
    -------
    tuple of Link
    """
    found = candidates_from_rules(table, rules)
    if find:
        found += candidates_from_rows(table)
    found = [c for c in found if not _has_rare_keys(table, c.link, least) and not _loses_spikes(table, c.link)]
    found.sort(key=lambda candidate: (candidate.rank, *_loss(table, candidate)))
    forbidden = {(str(parent), str(child)) for parent, child in barred}
    allowed = [candidate.link for candidate in found if _is_allowed(candidate.link, graph, forbidden)]
    chosen = _choose_most_exact(allowed)
    if find:
        linked = {link.column for link in chosen}
        chosen += [link for link in clock_links(table) if link.column not in linked and _fits(graph, link)]
    order = {column.name: i for i, column in enumerate(table.schema)}
    return with_own_names(sorted(chosen, key=lambda link: order[link.column]), table.schema.names)


def _is_allowed(link: Link, graph: Dag | None, forbidden: set[tuple[str, str]]) -> bool:
    barred = any((name, link.column) in forbidden for name in link.visible_inputs)
    return not barred and _fits(graph, link)


def _choose_most_exact(links: Sequence[Link]) -> list[Link]:
    """Links taken in order, as long as they agree with one another, such that few exact equations are left out.

    A link may take the only column that another equation could be solved for: of two sums with the same total, one
    must be solved for one of its parts. So each link of an equation that is left out is also tried first.
    """
    first = list[Link]()
    chosen = _choose_in_order(links)
    left_out = _exact_left_out(links, chosen)
    while left_out:
        for link in [link for link in links if _equation(link) in left_out]:
            other = _choose_in_order([link, *first, *links])
            fewer = _exact_left_out(links, other)
            if fewer < left_out:  # a subset: no equation is given up for another one
                first, chosen, left_out = [link, *first], other, fewer
                break
        else:
            break
    return chosen


def _choose_in_order(links: Iterable[Link]) -> list[Link]:
    """The first link for each column and equation that makes no loop with those before it."""
    chosen, solved = list[Link](), set[frozenset[str]]()
    for link in links:
        taken = any(link.column == other.column for other in chosen) or _equation(link) in solved
        if not taken and not _makes_loop(chosen, link):
            chosen.append(link)
            solved.add(_equation(link))
    return chosen


def _exact_left_out(links: Iterable[Link], chosen: Iterable[Link]) -> set[frozenset[str]]:
    """Equations that all rows keep, multiples included, and that no chosen link solves."""
    exact = {_equation(link) for link in links if link.is_exact}
    return exact - {_equation(link) for link in chosen}


def _equation(link: Link) -> frozenset[str]:
    """Columns that a link relates."""
    return frozenset((link.column, *link.visible_inputs))


def with_own_names(links: Iterable[Link], taken: Iterable[str]) -> tuple[Link, ...]:
    """Links whose hidden columns have names that no other column has."""
    names, renamed = set(taken), list[Link]()
    for link in links:
        while names & set(link.hidden):
            link = link.with_hidden_names({name: f"{name}'" if name in names else name for name in link.hidden})
        names.update(link.hidden)
        renamed.append(link)
    return tuple(renamed)


def _has_rare_keys(table: Table, link: Link, least: int) -> bool:
    """Whether keys of so few rows that they must be left out would distort what is looked up."""
    if least < 2 or not isinstance(link.formula, Lookup):
        return False
    keys = as_floats(table[link.formula.key])
    counts = np.unique(keys[~np.isnan(keys)], return_counts=True)[1]
    both_ordered = not (table.schema[link.formula.key].is_discrete or table.schema[link.column].is_discrete)
    share = LEAST_KEPT_OF_NUMBERS if both_ordered else LEAST_KEPT
    return bool(counts[counts >= least].sum() < share * counts.sum())


def _loses_spikes(table: Table, link: Link) -> bool:
    """Whether a learnt gap would spread values that many rows share; such a link is not worth it."""
    return link.gap is not None and lost_spikes(table, link) > 0


def _loss(table: Table, candidate: Candidate) -> tuple[float, ...]:
    """What computing a column loses: its decimals, its domain, atoms of its own; among equals the later comes first."""
    link = candidate.link
    position = table.schema.names.index(link.column)
    if link.source is not None and candidate.rank > 2:
        return (-candidate.share, *_loss_of_sum(table, link), -position)
    if isinstance(link.formula, PairLookup):
        return (sum(not table.schema[key].is_discrete for key in link.formula.keys), 0.0, -position)
    if isinstance(link.formula, Lookup):  # a number stands for its category rather than the reverse
        return (float(not table.schema[link.formula.key].is_discrete), 0.0, -position)
    return (*_loss_of_sum(table, link), atom_mass(table, link.column), -position)


def _loss_of_sum(table: Table, link: Link) -> tuple[float, float, float, float]:
    """Whether a sum must be rounded to the decimals of its column, spreads spikes, is a difference, and of what size.

    Larger numbers are learnt with errors of some per cent of their spread, which leave little of a small difference.
    """
    if not isinstance(link.formula, Sum) or link.is_clock:
        return 0.0, 0.0, 0.0, 0.0
    own, digits = decimals_of(table, link.column), [decimals_of(table, name) for name in link.visible_inputs]
    coarser = own is not None and any(found is not None and found > own for found in digits)
    spreads = [abs(weight) * float(np.nanstd(as_floats(table[name]))) for name, weight in link.formula.terms]
    larger = max(spreads) / max(float(np.nanstd(as_floats(table[link.column]))), 1e-300)
    times = float(max(0, round(math.log2(max(larger, 1.0)))))
    spread = lost_spikes(table, link) > 0
    return float(coarser), float(spread), float(any(weight < 0 for _, weight in link.formula.terms)), times


def atom_mass(table: Table, name: str) -> float:
    """Share of rows whose value is repeated far more often than its neighbours are."""
    values = table[name][~table.missing(name)]
    if table.schema[name].is_discrete or not len(values):
        return 0.0
    _, counts = np.unique(values, return_counts=True)
    shares = counts / len(values)
    return float(shares[shares > ATOM].sum())


def _makes_loop(chosen: Sequence[Link], link: Link) -> bool:
    """Whether a link's formula would read the column itself through other links."""
    inputs = {other.column: set(other.visible_inputs) for other in chosen}
    seen: set[str] = set()
    waiting = list(link.visible_inputs)
    while waiting:
        name = waiting.pop()
        if name == link.column:
            return True
        if name not in seen:
            seen.add(name)
            waiting += inputs.get(name, set())
    return False


def _fits(graph: Dag | None, link: Link) -> bool:
    """Whether a link adds no edge to the user's graph, and leaves none of a column's parents out."""
    if graph is None:
        return True
    parents, inputs = set(graph.parents[link.column]), set(link.visible_inputs)
    return inputs <= parents if link.hidden else inputs == parents
