"""Posterior draws: a bag in, one of its trees with leaf distributions drawn from their posteriors out.

Histograms are drawn as Dirichlet trees, surfaces from the posterior of their splines, and regressions are shifted by
the standard error of their intercept. Below a surface, where leaves share regressions, slopes are drawn as well. The
variance of answers between such draws is the finite-sample uncertainty of a model (law of total variance).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats, Floats32
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.bag import Bag
from janus_synth.trees.cells import regression_precision
from janus_synth.trees.code_tree import CodeTree, slot_incidence
from janus_synth.trees.residual_grid import residual_prior
from janus_synth.trees.splits import Splits
from janus_synth.trees.trend import Trends, cumulative_residuals


def draw_bag(bag: Bag, rng: np.random.Generator) -> Bag:
    """One tree of a bag, picked at random, with leaves drawn from their posteriors."""
    single = single_tree(bag, int(rng.integers(bag.splits.n_trees)))
    leaves = single.leaves
    shares = draw_distributions(
        leaves.forward, single.shares, leaves.tree, leaves.tree.concentration(leaves.prior_strength), rng
    )
    return replace(single, leaves=replace(leaves, drawn=shares), trends=_draw_trends(single, rng))


def single_tree(bag: Bag, t: int) -> Bag:
    """A bag with tree ``t`` of a bag."""
    s = bag.splits
    at = s.nodes_of(t)
    first_node, leaf = int(s.roots[t]), s.leaf_of_node[at]
    own = slice(int(leaf[leaf >= 0][0]), int(leaf.max()) + 1)
    left, right = (np.where(side[at] >= 0, side[at] - first_node, -1).astype(INDEX) for side in (s.left, s.right))
    numbered = np.where(leaf >= 0, leaf - own.start, -1).astype(INDEX)
    splits = Splits(
        np.zeros(1, INDEX), s.feature[at], s.cut[at], left, right, s.set_start[at], s.left_levels, numbered
    )  # fmt: skip
    leaves = bag.leaves
    leaves = replace(leaves, forward=leaves.forward[own], backward=leaves.backward[own], drawn=bag.shares[own])
    return replace(bag, splits=splits, leaves=leaves, trends=_trends_of_leaves(bag, own))


def _trends_of_leaves(bag: Bag, own: slice) -> Trends | None:
    trends = bag.trends
    if trends is None:
        return None
    parts = {name: getattr(trends, name)[own] for name in ("coef", "spread", "low", "high", "weight")}
    cumulative = bag.trend_arrays().cumulative[own]
    return replace(trends, **parts, residuals=trends.residuals[own], drawn=cumulative)


def _draw_trends(bag: Bag, rng: np.random.Generator) -> Trends | None:
    trends = bag.trends
    if trends is None:
        return None
    tree, _ = residual_prior(trends.bend)
    means = np.diff(trends.cumulative(bag.splits), axis=1)
    shares = draw_distributions(trends.residuals, means, tree, tree.concentration(trends.strength), rng).astype(float)
    rows = np.maximum(np.asarray(trends.residuals.sum(axis=1)).ravel(), 1)
    coef = trends.coef.copy()
    if trends.surface is not None:
        surface = trends.surface.drawn(rng)
        return replace(trends, coef=_draw_lines(bag, trends, rng), surface=surface, drawn=cumulative_residuals(shares))
    coef[:, -1] += rng.normal(size=len(coef)) * trends.spread / np.sqrt(rows)
    return replace(trends, coef=coef, drawn=cumulative_residuals(shares))


def _draw_lines(bag: Bag, trends: Trends, rng: np.random.Generator) -> Floats:
    """Slopes and intercepts drawn from their posterior, once for all leaves that share a line."""
    middle, precision = regression_precision(bag)
    _, line = np.unique(np.column_stack([trends.coef, trends.spread]), axis=0, return_inverse=True)
    noise = rng.normal(size=(int(line.max()) + 1, precision.shape[1]))[line.ravel()] / np.sqrt(precision)
    noise[:, -1] -= (noise[:, :-1] * middle).sum(axis=1)
    return np.ascontiguousarray(trends.coef + noise * trends.spread[:, None])


def draw_distributions(
    counts: Any, means: Any, tree: CodeTree, concentration: Floats, rng: np.random.Generator
) -> Floats32:
    """(leaves, codes) distributions drawn from posteriors with the given means: independent splits of a code tree.

    A split's shares are Dirichlet with α = (rows of the slot above + concentration) · mean share.
    """
    below, up = slot_incidence(tree).T, tree.slot_up
    rows, mass = np.asarray((below @ counts.T).todense(), float), below @ np.asarray(means, float).T  # slots × leaves
    rows[0], mass[0] = np.asarray(counts.sum(axis=1)).ravel(), 1.0
    share = np.divide(mass, mass[up], out=np.zeros_like(mass), where=mass[up] > 0)
    drawn = rng.standard_gamma((rows[up] + concentration[:, None]) * share)
    siblings = np.zeros_like(drawn)
    for slot in range(1, tree.n_slots):
        siblings[up[slot]] += drawn[slot]
    drawn = np.divide(drawn, siblings[up], out=share, where=siblings[up] > 0)
    drawn[0] = 1.0
    for slot in range(1, tree.n_slots):  # a slot comes after the one above it
        drawn[slot] *= drawn[up[slot]]
    return np.ascontiguousarray(drawn[tree.path_slot[tree.path_start[1:] - 1]].T, np.float32)
