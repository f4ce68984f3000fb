"""The fitted model as one frozen value; questions about it are functions in other packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from janus_synth.encoding import Codec
from janus_synth.graph import Dag
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

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rules, and those of the interventions."""
        return (*self.rules, *self.interventions.values())

    def bag(self, column: str) -> Bag:
        """The bag of one column."""
        return self.bags[self.codec.names.index(column)]
