"""Bags of Bayesian decision trees: codes in; the distribution of each column given its parents out."""

from janus_synth.trees.bag import Bag, BagCounts, join_bags
from janus_synth.trees.compiled import CompiledTrees
from janus_synth.trees.context import GrowthContext, GrowthSettings, prepare_growth, subsample_rows
from janus_synth.trees.design import ColumnDesign, grow_bag, prepare_column, prepare_design
from janus_synth.trees.fit_trend import TrendDesign, prepare_trends
from janus_synth.trees.grow import grow_splits, grow_tree
from janus_synth.trees.leaves import HistogramLeaves
from janus_synth.trees.splits import Splits
from janus_synth.trees.surface import Surface
from janus_synth.trees.trend import Trends

__all__ = [
    "Bag",
    "BagCounts",
    "ColumnDesign",
    "CompiledTrees",
    "GrowthContext",
    "GrowthSettings",
    "HistogramLeaves",
    "Splits",
    "Surface",
    "TrendDesign",
    "Trends",
    "grow_bag",
    "grow_splits",
    "grow_tree",
    "join_bags",
    "prepare_column",
    "prepare_design",
    "prepare_growth",
    "prepare_trends",
    "subsample_rows",
]
