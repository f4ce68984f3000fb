"""Background knowledge about a graph: required edges, forbidden edges, and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from janus_synth.errors import StructureError, UnknownColumnError
from janus_synth.graph.dag import topological_order

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known about a graph before any data; contradictory knowledge raises at construction.

    Parameters
    ----------
    columns : sequence of str
        Columns the knowledge is about.
    required, forbidden : iterable of (parent, child)
        Edges that the graph must have, or must not have.
    tiers : sequence of sequences of str
        Columns of a later tier never cause columns of an earlier one, neither by an edge nor along a directed path.
        Columns in no tier are unrestricted.

    Examples
    --------
    >>> known = Knowledge(("pay", "age", "city"), required=(("city", "pay"),), tiers=(("age",), ("pay",)))
    >>> known.allows("pay", "age")
    False
    >>> known.ordered(known.columns)
    ('age', 'city', 'pay')
    """

    columns: tuple[str, ...]
    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    _tier_of: dict[str, int] = field(init=False, repr=False, compare=False)
    _forbidden: frozenset[Edge] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tier_of", _tier_of(self.tiers, self.columns))
        object.__setattr__(self, "_forbidden", frozenset(self.forbidden))
        for edge in (*self.required, *self.forbidden):
            for column in edge:
                if column not in self.columns:
                    raise UnknownColumnError(column, self.columns)
        for parent, child in self.required:
            if (parent, child) in self._forbidden:
                raise StructureError(f"the edge {parent!r} → {child!r} is both required and forbidden.")
        topological_order(self.required_parents())  # raises CycleError naming the loop
        self.check_tiers(self.required_parents(), what="the required edges")

    def allows(self, parent: str, child: str) -> bool:
        """Whether the edge ``parent`` → ``child`` is allowed."""
        if parent == child or (parent, child) in self._forbidden:
            return False
        tier = self._tier_of
        return not (parent in tier and child in tier and tier[parent] > tier[child])

    def required_parents(self) -> dict[str, tuple[str, ...]]:
        """Required parents of each column."""
        parents: dict[str, dict[str, None]] = {column: {} for column in self.columns}
        for parent, child in self.required:
            parents[child][parent] = None  # an edge may be given twice
        return {column: tuple(its) for column, its in parents.items()}

    def earlier(self) -> dict[str, tuple[str, ...]]:
        """Columns that must come before each column: its required parents and all lower tiers."""
        lower = {
            column: [other for tier in self.tiers[:number] for other in tier]
            for column, number in self._tier_of.items()
        }
        return {
            column: tuple(dict.fromkeys([*its, *lower.get(column, ())]))
            for column, its in self.required_parents().items()
        }

    def ordered(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Reorder columns as little as possible so that tiers and required edges are respected."""
        for column in columns:
            if column not in self.columns:
                raise UnknownColumnError(column, self.columns)
        present, earlier = set(columns), self.earlier()
        return topological_order(
            {
                column: [other for other in earlier[column] if other in present]
                for column in _merge_free(columns, self._tier_of)
            }
        )

    def check_tiers(self, parents: Mapping[str, Sequence[str]], *, what: str) -> None:
        """Raise ``StructureError`` if a directed path leads from a later tier to an earlier one."""
        path = _path_down(parents, self._tier_of)
        if path:
            start, end = path[0], path[-1]
            arrows = " → ".join(repr(column) for column in path)
            raise StructureError(
                f"{what} contradict the tiers: {arrows} leads from {start!r} to {end!r}, but the tiers put "
                f"{end!r} before {start!r}. Drop an edge of this path, or move a column to another tier."
            )


def make_knowledge(
    columns: Sequence[str],
    *,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Iterable[Iterable[str]] = (),
) -> Knowledge:
    """Read background knowledge from user arguments; malformed edges and tiers raise ``StructureError``."""
    return Knowledge(
        tuple(columns),
        tuple(as_edge(edge, "required edges") for edge in required),
        tuple(as_edge(edge, "forbidden edges") for edge in forbidden),
        tuple(_tier(tier) for tier in tiers),
    )


def as_edge(edge: object, what: str) -> Edge:
    """Read a pair (parent, child); raise ``StructureError`` for anything else."""
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise StructureError(f"{what} are pairs (parent, child), not {edge!r}.")
    return str(edge[0]), str(edge[1])


def _tier(tier: object) -> tuple[str, ...]:
    if isinstance(tier, str):
        return (tier,)
    if not isinstance(tier, Iterable):
        raise StructureError(f"tiers are lists of column names, not {tier!r}.")
    return tuple(str(column) for column in tier)


def _tier_of(tiers: Sequence[Sequence[str]], columns: Sequence[str]) -> dict[str, int]:
    tier_of: dict[str, int] = {}
    for number, tier in enumerate(tiers):
        for column in tier:
            if column not in columns:
                raise UnknownColumnError(column, columns)
            if tier_of.get(column, number) != number:
                raise StructureError(f"column {column!r} is in two tiers. Keep one of them.")
            tier_of[column] = number
    return tier_of


def _merge_free(columns: Sequence[str], tier_of: Mapping[str, int]) -> list[str]:
    """Sort the columns that have a tier by it; the others keep their positions."""
    tiered = iter(sorted((column for column in columns if column in tier_of), key=lambda c: tier_of[c]))
    return [next(tiered) if column in tier_of else column for column in columns]


def _path_down(parents: Mapping[str, Sequence[str]], tier_of: Mapping[str, int]) -> tuple[str, ...]:
    """Find a shortest directed path that ends in an earlier tier than it starts; empty if there is none."""
    for end in (column for column in parents if column in tier_of):
        following = {end: end}  # breadth-first search against the direction of the edges
        waiting = [end]
        for column in waiting:
            if tier_of.get(column, -1) > tier_of[end]:
                return _walk(column, following)
            for parent in parents[column]:
                if parent not in following:
                    following[parent] = column
                    waiting.append(parent)
    return ()


def _walk(start: str, following: Mapping[str, str]) -> tuple[str, ...]:
    path = [start]
    while following[path[-1]] != path[-1]:
        path.append(following[path[-1]])
    return tuple(path)
