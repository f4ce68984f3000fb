"""Bound tests in, conjunctions out: flat, without redundant bounds, and split into the branches of a disjunction.

``split_branches`` rewrites a conjunction into disjunctive normal form, a list of branches (conjunctions) of which at
least one holds. This multiplies alternatives, so it goes clause by clause and stops at a given number of branches; the
disjunctions that remain stay inside the branches. A row may belong to several branches. A caller that needs disjoint
branches weights each row by the number of branches it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import And, Compare, Or, Rule, any_of, leaf_columns

Tests = tuple[Rule, ...]
"""Tests that must all hold."""


def split_conjunction(tests: Iterable[Rule]) -> Iterator[Rule]:
    """Iterate over the tests of a conjunction, nested ``And`` nodes flattened."""
    for test in tests:
        if isinstance(test, And):
            yield from split_conjunction(test.parts)
        else:
            yield test


def drop_implied_bounds(tests: Iterable[Rule]) -> list[Rule]:
    """Return the tests of a conjunction without duplicates and without bounds on a sum that a tighter one implies."""
    kept: dict[object, Rule] = {}
    for test in split_conjunction(tests):
        key: object = test
        if isinstance(test, Compare) and test.op in ("<", "<=", ">", ">="):
            key = test.left, test.op
            other = kept.get(key)
            if isinstance(other, Compare) and _implies_bound(other, test):
                continue
        kept[key] = test
    return list(kept.values())


def _implies_bound(one: Compare, other: Compare) -> bool:
    """Whether a bound implies another one with the same sum and the same operator."""
    if one.op in ("<", "<="):
        return one.right.constant <= other.right.constant
    return one.right.constant >= other.right.constant


def columns_of(test: Rule) -> frozenset[str]:
    """Return the columns of a bound test."""
    return frozenset(leaf_columns(test))


def alternatives(clause: Or) -> Tests:
    """Parts of a disjunction; parts about the same single column stay together, because they are one set of values.

    Examples
    --------
    >>> from janus_synth.rules.language.nodes import IsIn, IsNull
    >>> clause = Or((IsIn("a", (1,)), IsNull("b"), IsIn("a", (3,))))
    >>> [str(part) for part in alternatives(clause)]
    ['a in [1] or a in [3]', 'b is null']
    """
    groups: dict[object, list[Rule]] = {}
    for part in clause.parts:
        columns = columns_of(part)
        groups.setdefault(columns if len(columns) <= 1 else part, []).append(part)
    return tuple(any_of(parts) for parts in groups.values())


def split_branches(
    tests: Iterable[Rule],
    *,
    most: int,
    share: Callable[[Rule], float],
    is_possible: Callable[[Tests], bool],
    common: float = 0.5,
) -> tuple[Tests, ...]:
    """Split a conjunction into at most ``most`` branches, rarest disjunction first.

    Parameters
    ----------
    tests : iterable of Rule
        Bound tests that must all hold.
    most : int
        Largest number of branches; alternatives beyond it stay together in groups.
    share : callable
        Rough share of all rows that satisfy a test.
    is_possible : callable
        Whether some row may satisfy all tests of a branch; impossible branches are dropped.
    common : float
        Disjunctions with at least this share are not split, because they hardly restrict anything
        (docs/conditions.md, *Branches*).

    Returns
    -------
    tuple of tuples of Rule
        Branches, none of which contains all tests of another one.
    """
    branches: list[Tests] = [distinct(split_conjunction(tests))]
    unsplit: set[Rule] = set()
    while (clause := _next_clause(branches, unsplit, share, common)) is not None:
        affected = sum(clause in branch for branch in branches)
        room = (most - len(branches) + affected) // affected
        if room < 2:
            unsplit.add(clause)
            continue
        groups = _group(alternatives(clause), room)
        split = _absorb([part for branch in branches for part in _split(branch, clause, groups)])
        branches = [branch for branch in split if is_possible(branch)]
    return tuple(branches)


def _next_clause(
    branches: Sequence[Tests], unsplit: set[Rule], share: Callable[[Rule], float], common: float
) -> Or | None:
    """Return the rarest disjunction that can be split, or None if all are common."""
    found = {
        test: share(test)
        for test in distinct(test for branch in branches for test in branch)
        if isinstance(test, Or) and test not in unsplit and len(alternatives(test)) > 1
    }
    clause = min(found, key=lambda test: found[test], default=None)
    return clause if clause is not None and found[clause] < common else None


def _group(parts: Tests, most: int) -> Tests:
    """Join neighbouring alternatives into at most ``most`` disjunctions."""
    if len(parts) <= most:
        return parts
    edges = [len(parts) * i // most for i in range(most + 1)]
    return tuple(any_of(parts[start:stop]) for start, stop in pairwise(edges))


def _split(branch: Tests, clause: Or, groups: Tests) -> list[Tests]:
    """Return one copy of a branch for each alternative of a clause; a branch without the clause stays as it is."""
    if clause not in branch:
        return [branch]
    rest = tuple(test for test in branch if test != clause)
    return [distinct((*rest, *split_conjunction((group,)))) for group in groups]


def _absorb(branches: Sequence[Tests]) -> list[Tests]:
    """Drop branches whose tests include all tests of another branch (absorption)."""
    sets = [frozenset(branch) for branch in branches]
    return [
        branch
        for i, branch in enumerate(branches)
        if not any(other < sets[i] or (other == sets[i] and j < i) for j, other in enumerate(sets))
    ]
