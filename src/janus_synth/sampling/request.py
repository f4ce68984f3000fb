"""What is asked of a model, made ready: which columns take part, in what order, and what each may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from janus_synth.arrays import Codes, Floats
from janus_synth.encoding import ColumnCodec, OrderedCodec
from janus_synth.model import Model
from janus_synth.rules import BoundRule
from janus_synth.rules.compilation import (
    Sets,
    SolverColumns,
    columns_of,
    compile_program,
    drop_implied_bounds,
    solve_single_column,
    solver_columns,
    split_conjunction,
)
from janus_synth.rules.language import Compare, FixedCombinations, Rule, leaves
from janus_synth.sampling.truncation import Truncation, truncation_of
from janus_synth.trees.compiled import CompiledTrees

if TYPE_CHECKING:
    from janus_synth.kernels.solving import Program


@dataclass(frozen=True, slots=True)
class Request:
    """Rules and conditions on a model; columns go by their place in the codec."""

    model: Model
    rules: tuple[BoundRule, ...]
    columns: SolverColumns
    order: tuple[int, ...]
    """Columns of the rules and all their ancestors, parents first."""
    alone: Mapping[int, Sets]
    """What a column's own conditions leave of it, for all rows alike."""
    alone_weights: Mapping[int, Floats]
    """(1, codes) shares of the codes that they leave."""
    programs: Mapping[int, Program]
    """For columns in rules of several columns: what they may be, given the others."""
    partners: Mapping[int, frozenset[int]]
    """For each column, the other columns of its rules."""
    groups: tuple[tuple[int, ...], ...]
    """Columns that equalities or known combinations tie together, parents first."""
    cells: tuple[Truncation, ...]
    walkers: tuple[CompiledTrees | None, ...]
    parents: tuple[frozenset[int], ...]
    """Columns that the trees of each column split on."""

    @property
    def constrained(self) -> frozenset[int]:
        """Columns that some rule names."""
        return frozenset(self.alone) | frozenset(self.programs)

    def codec(self, column: int) -> ColumnCodec:
        """Codes of a column."""
        return self.model.codec.columns[self.columns.names[column]]

    @property
    def is_null(self) -> bool:
        """Whether rows that keep the rules have no probability but a density: an equation ties a continuous column."""
        points = (not sets.null[0] and self.cells[i].has_no_mass(sets) for i, sets in self.alone.items())
        return any(points) or any(
            self._ties_continuous(test) for test in split_conjunction(rule.test for rule in self.rules)
        )

    def _ties_continuous(self, test: Rule) -> bool:
        """Whether a test is an equation of several columns, one of them continuous and without heavy values."""
        if not isinstance(test, Compare) or test.op != "==" or len(test.left.terms) < 2:
            return False
        codecs = [self.model.codec.columns[term.column] for term in test.left.terms]
        return any(
            isinstance(codec, OrderedCodec) and codec.lattice is None and not len(codec.atoms) for codec in codecs
        )

    @property
    def effort(self) -> int:
        """Instructions that solving all rules for one row takes."""
        return sum(len(program.code) for program in self.programs.values())

    def ordered(self, column: int) -> bool:
        """Whether neighbouring codes of a column are neighbouring values."""
        return self.codec(column).ordered

    def children(self, column: int) -> tuple[int, ...]:
        """Columns of the request whose trees split on this one."""
        return tuple(i for i in self.order if column in self.parents[i])

    def ancestors(self, column: int) -> set[int]:
        """All columns that a column depends on, at any distance."""
        return _with_ancestors(self.parents, {column}) - {column}

    def walker(self, column: int) -> CompiledTrees:
        """Trees of a column of the request."""
        walker = self.walkers[column]
        assert walker is not None
        return walker

    def sets(self, column: int, x: Codes, values: Floats) -> Sets | None:
        """What each row leaves of a column; None where no rule speaks of it."""
        from janus_synth.kernels.solving import solve_rows

        if column in self.programs:
            return Sets(*solve_rows(self.programs[column], self.columns.ground, x, values))
        return self.alone.get(column)

    def allowed_mass(self, column: int, sets: Sets) -> Floats:
        """Shares of the column's codes that sets leave; (1, codes) where all rows are alike."""
        if column in self.alone_weights and sets is self.alone[column]:
            return self.alone_weights[column]
        return self.cells[column].allowed_mass(sets)


def make_request(
    model: Model,
    rules: Sequence[BoundRule],
    *,
    box: Mapping[str, tuple[float, float]] | None = None,
    also: Iterable[int] = (),
) -> Request:
    """Compile rules for a model; ``box`` holds bounds that any satisfying row keeps.

    The rules' columns take part with all their ancestors, and so do the columns of ``also``.
    """
    names = model.codec.names
    index = {name: i for i, name in enumerate(names)}
    tests = drop_implied_bounds(rule.test for rule in rules)
    several = [test for test in tests if len(columns_of(test)) > 1]
    own: dict[str, list[Rule]] = {}
    for test in tests:
        if len(columns_of(test)) == 1:
            own.setdefault(next(iter(columns_of(test))), []).append(test)
    columns = solver_columns(model.schema, model.codec)
    alone = {index[name]: solve_single_column(its, name, columns) for name, its in own.items()}
    boxes = {i: (sets.intervals[0, 0], sets.intervals[-1, 1]) for i, sets in alone.items() if len(sets.intervals)}
    columns = columns.within(boxes).within({index[name]: bounds for name, bounds in (box or {}).items()})
    programs, partners = {}, {}
    for name in dict.fromkeys(name for test in several for name in sorted(columns_of(test))):
        its = [test for test in several if name in columns_of(test)]
        programs[index[name]] = compile_program([*own.get(name, ()), *its], name, columns)
        partners[index[name]] = frozenset(index[other] for test in its for other in columns_of(test)) - {index[name]}
    parents = tuple(frozenset(int(j) for j in bag.parents) for bag in model.bags)
    wanted = _with_ancestors(parents, {*alone, *programs, *also})
    order = tuple(index[name] for name in model.dag.order if index[name] in wanted)
    cells = tuple(truncation_of(codec) for codec in model.codec.columns.values())
    return Request(
        model=model,
        rules=tuple(rules),
        columns=columns,
        order=order,
        alone=alone,
        alone_weights={i: cells[i].allowed_mass(sets) for i, sets in alone.items()},
        programs=programs,
        partners=partners,
        groups=join_groups([[index[name] for name in columns_of(test)] for test in several if _is_tight(test)], order),
        cells=cells,
        walkers=tuple(bag.compiled(len(names)) if i in order else None for i, bag in enumerate(model.bags)),
        parents=parents,
    )


def _is_tight(test: Rule) -> bool:
    """Whether a rule may leave a column no choice once the others are set."""
    equal = any(isinstance(leaf, Compare) and leaf.op == "==" and len(leaf.left.terms) > 1 for leaf in leaves(test))
    return equal or any(isinstance(leaf, FixedCombinations) for leaf in leaves(test))


def join_groups(tied: Sequence[Iterable[int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Columns that some chain of rules ties together."""
    groups: list[set[int]] = []
    for columns in map(set, tied):
        touching = [group for group in groups if group & columns]
        groups = [group for group in groups if not group & columns] + [columns.union(*touching)]
    return tuple(tuple(column for column in order if column in group) for group in groups)


def _with_ancestors(parents: Sequence[frozenset[int]], columns: set[int]) -> set[int]:
    """Columns and all that they depend on, at any distance."""
    found, waiting = set(columns), list(columns)
    while waiting:
        for parent in parents[waiting.pop()] - found:
            found.add(parent)
            waiting.append(parent)
    return found
