"""A compiled request: a model and bound rules in; the columns that take part, their order, and what each may be out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from janus_synth.arrays import Codes, Floats
from janus_synth.coordinates import Link
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
from janus_synth.rules.language.products import CompareProducts
from janus_synth.sampling.truncation import Truncations
from janus_synth.trees.compiled import CompiledTrees

if TYPE_CHECKING:
    from janus_synth.kernels.solving import Program


@dataclass(frozen=True)
class Request:
    """Rules and conditions compiled for a model; a column is its position in the codec.

    What solves rules is compiled on first use: rejection only evaluates them.
    """

    model: Model
    rules: tuple[BoundRule, ...]
    tests: tuple[Rule, ...]
    """The parts of all rules that must hold, without implied bounds."""
    box: Mapping[str, tuple[float, float]]
    """Bounds that every row which satisfies the rules keeps; they narrow the solver's look ahead."""
    order: tuple[int, ...]
    """Columns of the rules and all their ancestors, parents first."""
    constrained: frozenset[int]
    """Columns that some rule names."""
    parents: tuple[frozenset[int], ...]
    """Columns that the trees of each column split on; none for computed columns."""
    links: Mapping[int, Link]
    """Columns that are computed from others."""
    inputs: Mapping[int, frozenset[int]]
    """For each of them, the columns it is computed from."""
    valued: frozenset[int]
    """Columns whose values are needed, not only their codes: those of rules, computed ones, and their inputs."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the model's columns."""
        return self.model.codec.names

    def index(self, name: str) -> int:
        """Position of a column."""
        return self.names.index(name)

    @cached_property
    def own_sets(self) -> Mapping[int, Sets]:
        """Values that conditions on one column alone allow, the same for all rows."""
        free = self._free_columns
        return {self.index(name): solve_single_column(its, name, free) for name, its in self._own_tests.items()}

    @cached_property
    def own_masses(self) -> Mapping[int, Floats]:
        """(1, codes) share of each code's mass that they allow."""
        return {i: self.truncations[i].allowed_mass(sets) for i, sets in self.own_sets.items()}

    @cached_property
    def columns(self) -> SolverColumns:
        """The columns as the solver knows them, within the bounds of ``box`` and of conditions on one column."""
        own = {
            i: (sets.intervals[0, 0], sets.intervals[-1, 1]) for i, sets in self.own_sets.items() if len(sets.intervals)
        }
        return self._free_columns.within(own).within({self.index(name): bounds for name, bounds in self.box.items()})

    @cached_property
    def programs(self) -> Mapping[int, Program]:
        """For columns in rules of several columns: a program that solves for the column, given the others."""
        return {
            self.index(name): compile_program([*self._own_tests.get(name, ()), *tests], name, self.columns)
            for name, tests in self._shared_tests.items()
        }

    @cached_property
    def partners(self) -> Mapping[int, frozenset[int]]:
        """For each column, the other columns of its rules."""
        shared = {
            name: {other for test in tests for other in columns_of(test)} for name, tests in self._shared_tests.items()
        }
        return {self.index(name): frozenset(map(self.index, names - {name})) for name, names in shared.items()}

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """Columns that equations or fixed combinations tie together, parents first; they move together."""
        tight = [columns_of(test) for test in self.tests if len(columns_of(test)) > 1 and may_determine(test)]
        return join_groups([map(self.index, names) for names in tight], self.order)

    @cached_property
    def truncations(self) -> Truncations:
        """Distributions of values inside the codes of each column, cut to sets of values."""
        return Truncations(self.model.codec.columns.values())

    @cached_property
    def settled(self) -> Mapping[int, tuple[BoundRule, ...]]:
        """Rules that are evaluated when a computed column is, the last of their columns."""
        found: dict[int, tuple[BoundRule, ...]] = {}
        for test in self.tests if self.links else ():
            last = max(map(self.index, columns_of(test)), key=self.order.index, default=-1)
            if last in self.links:
                found[last] = (*found.get(last, ()), BoundRule(test, test))
        return found

    @cached_property
    def _free_columns(self) -> SolverColumns:
        """The columns as the solver knows them, within the bounds of the training rows."""
        return solver_columns(self.model.schema, self.model.codec)

    @cached_property
    def _own_tests(self) -> Mapping[str, list[Rule]]:
        """Tests of one column alone."""
        own: dict[str, list[Rule]] = {}
        for test in self.tests:
            if len(columns_of(test)) == 1:
                own.setdefault(next(iter(columns_of(test))), []).append(test)
        return own

    @cached_property
    def _shared_tests(self) -> Mapping[str, list[Rule]]:
        """Tests of several columns, by each of them."""
        shared: dict[str, list[Rule]] = {}
        for test in self.tests:
            if len(columns_of(test)) > 1:
                for name in sorted(columns_of(test)):
                    shared.setdefault(name, []).append(test)
        return shared

    def computed_from(self, column: int) -> tuple[int, ...]:
        """Columns of the request that are computed from this one, directly or through others, in order."""
        found = {column}
        for other in self.order:
            if other in self.links and self.inputs[other] & found:
                found.add(other)
        return tuple(other for other in self.order if other in found and other != column)

    def codec(self, column: int) -> ColumnCodec:
        """Codes of a column."""
        return self.model.codec.columns[self.names[column]]

    @property
    def is_null(self) -> bool:
        """Whether rows that keep the rules have no probability but a density: an equation ties a continuous column."""
        points = (not sets.null[0] and self.truncations[i].has_no_mass(sets) for i, sets in self.own_sets.items())
        return any(points) or any(
            self._ties_continuous(test) for test in split_conjunction(rule.test for rule in self.rules)
        )

    def _ties_continuous(self, test: Rule) -> bool:
        """Whether a test is an equation of several columns, one of them continuous and without heavy values."""
        if not is_equation(test):
            return False
        codecs = [self.model.codec.columns[name] for name in columns_of(test)]
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
        """Ancestors of a column."""
        return _with_ancestors(_all_parents(self.parents, self.inputs), {column}) - {column}

    def trees(self, column: int) -> CompiledTrees:
        """Trees of a column, compiled on first use: rejection needs none."""
        return self.model.bags[column].compiled(len(self.names))

    def sets(self, column: int, x: Codes, values: Floats) -> Sets | None:
        """Values of a column that the rules allow, given the other cells of each row; None without any rule on it."""
        from janus_synth.kernels.solving import solve_rows

        if column in self.programs:
            return Sets(*solve_rows(self.programs[column], self.columns.ground, x, values))
        return self.own_sets.get(column)

    def allowed_mass(self, column: int, sets: Sets) -> Floats:
        """(rows, codes) share of each code's mass that sets allow; (1, codes) where it is the same for all rows."""
        if column in self.own_masses and sets is self.own_sets[column]:
            return self.own_masses[column]
        return self.truncations[column].allowed_mass(sets)


def make_request(
    model: Model,
    rules: Sequence[BoundRule],
    *,
    box: Mapping[str, tuple[float, float]] | None = None,
    also: Iterable[int] = (),
) -> Request:
    """Compile rules for a model.

    The rules' columns take part with all their ancestors, and so do the columns of ``also``. ``box`` holds bounds that
    every row which satisfies the rules keeps; they narrow the solver's look ahead.
    """
    names = model.codec.names
    index = {name: i for i, name in enumerate(names)}
    tests = drop_implied_bounds(rule.test for rule in rules)
    constrained = frozenset(index[name] for test in tests for name in columns_of(test))
    links = {index[name]: link for name, link in model.computed.items()}
    inputs = {i: frozenset(index[name] for name in link.inputs) for i, link in links.items()}
    parents = tuple(frozenset() if i in links else bag.parent_set for i, bag in enumerate(model.bags))
    wanted = _with_ancestors(_all_parents(parents, inputs), {*constrained, *also})
    order = tuple(index[name] for name in model.dag.order if index[name] in wanted)
    return Request(
        model=model,
        rules=tuple(rules),
        tests=tuple(tests),
        box=dict(box or {}),
        order=order,
        constrained=constrained,
        parents=parents,
        links=links,
        inputs=inputs,
        valued=constrained.union(*({i, *inputs[i]} for i in links if i in order)),
    )


def _all_parents(parents: Sequence[frozenset[int]], inputs: Mapping[int, frozenset[int]]) -> tuple[frozenset[int], ...]:
    """Columns that each column is drawn or computed from."""
    return tuple(inputs.get(column, its) for column, its in enumerate(parents))


def may_determine(test: Rule) -> bool:
    """Whether a rule may determine a column once the others are set."""
    return any(is_equation(leaf) or isinstance(leaf, FixedCombinations) for leaf in leaves(test))


def is_equation(test: Rule) -> bool:
    """Whether a test is an equation of several columns."""
    return isinstance(test, Compare | CompareProducts) and test.op == "==" and len(columns_of(test)) > 1


def join_groups(tied: Sequence[Iterable[int]], order: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Merge groups that share a column: columns that some chain of rules ties together, in the given order."""
    groups: list[set[int]] = []
    for columns in map(set, tied):
        touching = [group for group in groups if group & columns]
        groups = [group for group in groups if not group & columns] + [columns.union(*touching)]
    return tuple(tuple(column for column in order if column in group) for group in groups)


def _with_ancestors(parents: Sequence[frozenset[int]], columns: set[int]) -> set[int]:
    """Columns with all their ancestors."""
    found, waiting = set(columns), list(columns)
    while waiting:
        for parent in parents[waiting.pop()] - found:
            found.add(parent)
            waiting.append(parent)
    return found
