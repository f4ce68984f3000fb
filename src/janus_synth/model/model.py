"""The fitted model as one frozen value; questions about it are functions in other packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from janus_synth.coordinates import Link
from janus_synth.encoding import Codec
from janus_synth.graph import Dag
from janus_synth.model.graph_set import GraphSet
from janus_synth.rules import Rule
from janus_synth.table import Schema
from janus_synth.trees import Bag


@dataclass(frozen=True, slots=True)
class Model:
    """A schema, the codes of its columns, a graph, and a bag of trees for every learnt column."""

    schema: Schema
    codec: Codec
    dag: Dag
    bags: tuple[Bag, ...]
    """In the order of ``codec.names``."""
    n_rows: int
    """Rows counted so far."""
    graph_given: bool
    """Whether the user gave the graph; a learnt one makes no causal claim."""
    rules: tuple[Rule, ...] = ()
    """Constraints that every emitted row satisfies."""
    interventions: Mapping[str, Rule] = field(default_factory=dict)
    """Columns set by ``do``, each with the rule that sets it."""
    links: tuple[Link, ...] = ()
    """How columns are computed from others; the bags of such columns hold their marginals only."""
    unlinked: tuple[str, ...] = ()
    """Linked columns that are not computed in this model, because an intervention sets them."""
    graphs: GraphSet | None = None
    """Graphs that resamples of the rows led to, if there are several; ``dag`` is then their consensus."""
    least: int = 1
    """Fewest training rows of a value that is kept; 1 keeps everything."""

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rules, and those of the interventions."""
        return (*self.rules, *self.interventions.values())

    @property
    def visible_schema(self) -> Schema:
        """The columns that the user knows."""
        return self.schema.select(tuple(name for name in self.schema.names if name not in self.hidden))

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns that are learnt for links, or for the nulls of personal columns, and never written."""
        nulls = (column.name for column in self.schema if column.nulls_of is not None)
        return (*(name for link in self.links for name in link.hidden), *nulls)

    @property
    def computed(self) -> dict[str, Link]:
        """Columns that are computed, with their links."""
        return {link.column: link for link in self.links if link.column not in self.unlinked}

    def without_links(self, *columns: str) -> Model:
        """The model in which some columns are no longer computed; their hidden columns are still drawn."""
        return replace(self, unlinked=tuple(dict.fromkeys((*self.unlinked, *columns))))

    def with_graph(self, number: int) -> Model:
        """The model of one graph of the set."""
        assert self.graphs is not None
        return replace(self, dag=self.graphs.dags[number], bags=self.graphs.bags_of(number), graphs=None)

    @property
    def every_bag(self) -> tuple[Bag, ...]:
        """The bags, then those of the set of graphs."""
        return self.bags if self.graphs is None else (*self.bags, *self.graphs.bags)

    def with_every_bag(self, bags: Sequence[Bag]) -> Model:
        """The model with other bags in the place of `every_bag`."""
        n = len(self.bags)
        graphs = None if self.graphs is None else replace(self.graphs, bags=tuple(bags[n:]))
        return replace(self, bags=tuple(bags[:n]), graphs=graphs)

    def without_counts(self) -> Model:
        """The model with no rows in its leaves: what is needed to count rows."""
        return self.with_every_bag([bag.without_counts() for bag in self.every_bag])

    def bag(self, column: str) -> Bag:
        """The bag of one column."""
        return self.bags[self.codec.names.index(column)]
