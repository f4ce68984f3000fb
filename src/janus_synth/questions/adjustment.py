"""Which columns to adjust for: a graph, a treatment and an outcome in, an adjustment set or an error out.

The set is the optimal one of Henckel, Perković and Maathuis (2022): the parents of all columns on directed paths from
treatment to outcome, except those on the paths. Like the parents of the treatment it closes every backdoor path, but it
leaves out columns that only predict the treatment, which would cost overlap, and keeps those that predict the outcome,
which make intervals narrower. Unobserved common causes are stated as pairs of columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from janus_synth.errors import NotIdentifiedError, UnknownColumnError
from janus_synth.graph import Dag

Pairs = Sequence[tuple[str, str]]
"""Pairs of columns with an unobserved common cause."""


def causal_columns(dag: Dag, treatment: str, outcome: Sequence[str]) -> tuple[str, ...]:
    """Columns on directed paths from the treatment to the outcome, the outcome included, in topological order."""
    on_path = dag.descendants(treatment) & (dag.ancestors(*outcome) | set(outcome))
    return tuple(name for name in dag.order if name in on_path)


def adjustment_set(
    dag: Dag, treatment: str, outcome: Sequence[str], *, also: Iterable[str] = (), confounded: Pairs = ()
) -> tuple[str, ...]:
    """Columns whose adjustment makes rows with and without the treatment comparable.

    Parameters
    ----------
    dag : Dag
        The causal graph.
    treatment : str
        Column that is set.
    outcome : sequence of str
        Columns that the outcome is computed from.
    also : iterable of str
        Columns to include: those that select a subgroup.
    confounded : sequence of pairs of str
        Columns with an unobserved common cause.

    Returns
    -------
    tuple of str
        In the order of the table.

    Raises
    ------
    NotIdentifiedError
        If no set of observed columns closes all backdoor paths.

    Examples
    --------
    >>> dag = Dag.from_edges("itzyw", [("i", "t"), ("z", "t"), ("z", "y"), ("t", "w"), ("w", "y")])
    >>> adjustment_set(dag, "t", ["y"])  # not i, which only predicts the treatment
    ('z',)
    >>> adjustment_set(dag, "t", ["y"], confounded=[("z", "y")])
    ('z',)
    """
    _check_pairs(dag, confounded)
    on_path = causal_columns(dag, treatment, outcome)
    after = {treatment, *dag.descendants(treatment)}
    fixed = {name for name in (*also, *outcome) if name not in after}
    best = {parent for name in on_path for parent in dag.parents[name]} - {treatment, *on_path} | fixed
    parents = set(dag.parents[treatment]) | fixed
    every = dag.ancestors(treatment, *outcome) - after | fixed
    for candidate in (best, best | parents, parents, every):
        if closes_backdoors(dag, treatment, on_path, outcome, candidate, confounded):
            return tuple(name for name in dag.columns if name in candidate)
    pairs = _relevant_pairs(dag, treatment, outcome, confounded)
    raise NotIdentifiedError(
        f"the effect of {treatment!r} on {' and '.join(map(repr, outcome))} is not identified: "
        f"{_name_pairs(pairs)} an unobserved common cause, and no observed columns close the path through it. Measure "
        "that cause and add it to the table and the graph, or ask about a treatment that it does not touch.",
        columns=dict.fromkeys(name for pair in pairs for name in pair),
    )


def check_effect(dag: Dag, treatment: str, outcome: Sequence[str]) -> None:
    """Raise ``NotIdentifiedError`` if the treatment is the outcome or comes after it."""
    if treatment in outcome:
        raise NotIdentifiedError(
            f"column {treatment!r} is the treatment and part of the outcome. Ask about a column that it causes.",
            columns=[treatment],
        )
    if causal_columns(dag, treatment, outcome):
        return
    if before := [name for name in outcome if name in dag.ancestors(treatment)]:
        path = " → ".join(directed_path(dag, before[0], treatment))
        raise NotIdentifiedError(
            f"{treatment!r} comes after {before[0]!r} in the graph ({path}), so setting it cannot change "
            f"{before[0]!r}. Swap treatment and outcome, or correct the graph.",
            columns=[treatment, before[0]],
        )


def directed_path(dag: Dag, start: str, stop: str) -> list[str]:
    """A shortest directed path; empty if there is none."""
    reached: dict[str, str] = {start: start}
    waiting = [start]
    while waiting:
        column = waiting.pop(0)
        for child in dag.children(column):
            if child not in reached:
                reached[child] = column
                waiting.append(child)
    if stop not in reached:
        return []
    path = [stop]
    while path[-1] != start:
        path.append(reached[path[-1]])
    return path[::-1]


def closes_backdoors(
    dag: Dag,
    treatment: str,
    on_path: Sequence[str],
    outcome: Sequence[str],
    given: Collection[str],
    confounded: Pairs = (),
) -> bool:
    """Whether treatment and outcome are d-separated given columns, once the first edges of causal paths are removed."""
    parents = {name: set(its) - ({treatment} if name in on_path else set()) for name, its in dag.parents.items()}
    for number, pair in enumerate(confounded):
        hidden = f"unobserved {number}"  # names of columns cannot collide with it here: a pair's number is unique
        parents[hidden] = set()
        for name in pair:
            parents[name] = parents[name] | {hidden}
    return not (connected(parents, treatment, given) & (set(outcome) - set(given)))


def connected(parents: dict[str, set[str]], start: str, given: Collection[str]) -> set[str]:
    """Nodes that an open path connects to ``start``, given others: the Bayes-ball algorithm."""
    children: dict[str, set[str]] = {name: set() for name in parents}
    for name, its in parents.items():
        for parent in its:
            children[parent].add(name)
    known = set(given)
    above = _ancestors(parents, known) | known  # a collider is open if it or a descendant is known
    waiting, seen, found = [(start, "up")], set(), set()
    while waiting:
        name, direction = waiting.pop()
        if (name, direction) in seen:
            continue
        seen.add((name, direction))
        if name not in known:
            found.add(name)
            waiting += [(child, "down") for child in children[name]]
            waiting += [(parent, "up") for parent in parents[name]] if direction == "up" else []
        if direction == "down" and name in above:
            waiting += [(parent, "up") for parent in parents[name]]
    return found - {start}


def _ancestors(parents: dict[str, set[str]], names: Collection[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        for parent in parents[waiting.pop()] - found:
            found.add(parent)
            waiting.append(parent)
    return found


def _check_pairs(dag: Dag, confounded: Pairs) -> None:
    for pair in confounded:
        if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
            raise ValueError(f"confounded holds {pair!r}; give pairs of two columns, such as [('dose', 'cure')].")
        for name in pair:
            if name not in dag.parents:
                raise UnknownColumnError(name, dag.columns, where="the graph")


def _relevant_pairs(dag: Dag, treatment: str, outcome: Sequence[str], confounded: Pairs) -> list[tuple[str, str]]:
    """Pairs that touch the treatment, or else all."""
    touching = [pair for pair in confounded if treatment in pair]
    return list(touching or confounded)


def _name_pairs(pairs: Pairs) -> str:
    named = ", ".join(f"{one!r} and {other!r}" for one, other in pairs)
    return f"{named} have"
