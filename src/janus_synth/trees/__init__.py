"""Bags of Bayesian decision trees over codes."""

from janus_synth.trees.bag import Bag, join_bags
from janus_synth.trees.fit_trend import axes_for
from janus_synth.trees.ground import Ground, GrowthSettings, prepare_growth, resample
from janus_synth.trees.grow import grow_bag, grow_splits, grow_tree
from janus_synth.trees.leaves import HistogramLeaves
from janus_synth.trees.splits import Splits
from janus_synth.trees.trend import Trends

__all__ = [
    "Bag",
    "Ground",
    "GrowthSettings",
    "HistogramLeaves",
    "Splits",
    "Trends",
    "axes_for",
    "grow_bag",
    "grow_splits",
    "grow_tree",
    "join_bags",
    "prepare_growth",
    "resample",
]
