"""Old names of `trees.compiled`, for the tests of the kernels until these are ported; delete them together."""

from __future__ import annotations

from janus_synth.trees import Bag
from janus_synth.trees.compiled import CompiledTrees, in_tree

__all__ = ["in_tree", "walker_of"]


def walker_of(bag: Bag, n_columns: int) -> CompiledTrees:
    """Compiled trees of a bag."""
    return bag.compiled(n_columns)
