"""Bags of Bayesian decision trees over codes."""

from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.grow import (
    Ground,
    GrowthRules,
    grow_bag,
    grow_splits,
    grow_tree,
    prepare_ground,
    resample,
)
from janus_synth.trees.leaves import HistogramLeaves
from janus_synth.trees.splits import Splits

__all__ = [
    "Bag",
    "Ground",
    "GrowthRules",
    "HistogramLeaves",
    "Splits",
    "grow_bag",
    "grow_splits",
    "grow_tree",
    "join_bags",
    "prepare_ground",
    "resample",
]
