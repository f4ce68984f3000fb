"""A conjunction of bound tests in, the branches of its disjunctions out: conjunctions of which at least one holds.

Rewriting into disjunctive normal form multiplies alternatives, so it is done clause by clause and only as far as a
given number of branches; what is left over stays in the branches as a disjunction. A row may belong to several
branches: who needs them disjoint counts a row by how many it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from janus_synth.rules.compilation.program import columns_of, conjuncts
from janus_synth.rules.language.linear import distinct
from janus_synth.rules.language.nodes import Or, Rule, any_of

Tests = tuple[Rule, ...]
"""Tests that must all hold."""


def alternatives(clause: Or) -> Tests:
    """Parts of a disjunction; those about one and the same column stay together, since they are one set of values.

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
    """Split a conjunction into branches, at most ``most`` of them, rarest disjunction first.

    Parameters
    ----------
    tests : iterable of Rule
        Bound tests that must all hold.
    most : int
        Branches at most; alternatives beyond that stay together in groups.
    share : callable
        Share of all rows that keep a test, roughly.
    is_possible : callable
        Whether some row may keep all tests of a branch; branches that none can keep are dropped.
    common : float
        Disjunctions that hold this often are left as they are: they hardly restrict anything.

    Returns
    -------
    tuple of tuples of Rule
        Branches, none of which contains all tests of another one.
    """
    branches: list[Tests] = [distinct(conjuncts(tests))]
    kept: set[Rule] = set()
    while (clause := _next_clause(branches, kept, share, common)) is not None:
        affected = sum(clause in branch for branch in branches)
        room = (most - len(branches) + affected) // affected
        if room < 2:
            kept.add(clause)
            continue
        groups = _in_groups(alternatives(clause), room)
        split = _without_nested([part for branch in branches for part in _split(branch, clause, groups)])
        branches = [branch for branch in split if is_possible(branch)]
    return tuple(branches)


def _next_clause(
    branches: Sequence[Tests], kept: set[Rule], share: Callable[[Rule], float], common: float
) -> Or | None:
    """The rarest disjunction that can be split."""
    found = {
        test: share(test)
        for test in distinct(test for branch in branches for test in branch)
        if isinstance(test, Or) and test not in kept and len(alternatives(test)) > 1
    }
    clause = min(found, key=lambda test: found[test], default=None)
    return clause if clause is not None and found[clause] < common else None


def _in_groups(parts: Tests, most: int) -> Tests:
    """Alternatives as at most so many disjunctions of neighbours."""
    if len(parts) <= most:
        return parts
    edges = [len(parts) * i // most for i in range(most + 1)]
    return tuple(any_of(parts[start:stop]) for start, stop in pairwise(edges))


def _split(branch: Tests, clause: Or, groups: Tests) -> list[Tests]:
    """A branch once for each alternative of one of its clauses; as it is without that clause."""
    if clause not in branch:
        return [branch]
    rest = tuple(test for test in branch if test != clause)
    return [distinct((*rest, *conjuncts((group,)))) for group in groups]


def _without_nested(branches: Sequence[Tests]) -> list[Tests]:
    """Branches without those that ask for all that another one asks for, and more."""
    sets = [frozenset(branch) for branch in branches]
    return [
        branch
        for i, branch in enumerate(branches)
        if not any(other < sets[i] or (other == sets[i] and j < i) for j, other in enumerate(sets))
    ]
