"""Gibbs sweeps, block moves included, leave the enumerated conditional distribution invariant and change rows."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from janus_synth import holds
from janus_synth.sampling import plan_for
from janus_synth.sampling.gibbs import gibbs_sweep, likelihood_of_children, move_block
from janus_synth.sampling.particles import Particles, draw_trees, new_particles
from janus_synth.sampling.plan import Plan
from janus_synth.table import read_table
from janus_synth.table.cells import as_floats
from sampling.small_models import every_row, small_model

RULES = ["a + b >= 4 and c != 'x'", "b == a + d", "c == e or a < d"]


def exact_rows(plan: Plan, structure: str, places: np.ndarray, rng: np.random.Generator) -> Particles:
    """Particles holding enumerated rows; the tree of each cell is drawn from its posterior given the row."""
    request, (all_rows, _) = plan.request, every_row(structure)
    table = read_table(all_rows.iloc[places], small_model(structure).schema_)
    rows = new_particles(request, len(places))
    rows.x[:] = request.model.codec.encode(table)
    for i, name in enumerate(request.columns.names):
        rows.values[i] = as_floats(table[name])
    for column in request.order:
        draw_trees(request, rows, column, rng, np.arange(rows.n))
    return rows


@pytest.mark.statistical
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("rule", RULES)
def test_a_sweep_leaves_the_conditional_distribution_invariant(rule, structure):
    """Draw rows exactly, sweep once, and bound the total variation over the request's columns by McDiarmid."""
    n, false_alarm, rng = 6_000, 1e-6, np.random.default_rng(0)
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    truth = shares * holds(rule, all_rows, model.schema_)
    truth = truth / truth.sum()
    plan = plan_for(model.model_, rule)
    places = rng.choice(len(truth), n, p=truth)
    rows = exact_rows(plan, structure, places, rng)
    before = rows.x.copy()
    gibbs_sweep(plan.request, rows, rng)
    assert (rows.x != before).any(axis=0).mean() > 0.3
    order = list(plan.request.order)
    codes = model.model_.codec.encode(read_table(all_rows, model.schema_))
    sizes = [int(size) for size in model.model_.codec.n_codes[order]]
    listed, drawn = (np.ravel_multi_index(x[order].astype(np.int64), sizes) for x in (codes, rows.x))
    expected = np.bincount(listed, truth, minlength=np.prod(sizes))
    seen = np.bincount(drawn, minlength=np.prod(sizes)) / n
    usual = 0.5 * np.sqrt(2 * expected * (1 - expected) / np.pi / n).sum()
    assert 0.5 * np.abs(seen - expected).sum() <= usual + sqrt(log(1 / false_alarm) / (2 * n))


def test_columns_that_an_equation_ties_together_move_as_a_block():
    plan, rng = plan_for(small_model("dense").model_, "b == a + d"), np.random.default_rng(1)
    (block,) = plan.request.blocks
    assert {plan.request.columns.names[column] for column in block} == {"a", "b", "d"}
    all_rows, shares = every_row("dense")
    possible = np.flatnonzero(holds("b == a + d", all_rows, small_model("dense").schema_) & (shares > 0))
    rows = exact_rows(plan, "dense", np.repeat(possible[0], 500), rng)
    move_block(plan.request, rows, block, rng)
    a, b, d = (rows.values[plan.request.columns.index(name)] for name in "abd")
    assert (b == a + d).all()
    assert len(np.unique(a)) > 1


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_a_twist_multiplies_by_the_probability_of_the_children(structure):
    """Expected by brute force: put each code of b into the row and multiply the probabilities of b's children."""
    model, rng = small_model(structure).model_, np.random.default_rng(2)
    plan = plan_for(model, "a + b + f >= 0")
    request, (_, shares) = plan.request, every_row(structure)
    rows = exact_rows(plan, structure, rng.choice(len(shares), 40, p=shares / shares.sum()), rng)
    b = request.columns.index("b")
    score, log_scale = np.ones((40, int(model.codec.n_codes[b]))), np.zeros(40)
    likelihood_of_children(request, rows, b)(score, log_scale)
    found = np.log(score, out=np.full_like(score, -np.inf), where=score > 0) + log_scale[:, None]
    expected = np.zeros_like(score)
    for code in range(score.shape[1]):
        x = rows.x.copy()
        x[b] = code
        for child in request.children(b):
            trees = request.trees(child)
            leaf = np.take_along_axis(trees.leaves(x), rows.tree[child][:, None].astype(int), axis=1)
            with np.errstate(divide="ignore"):
                expected[:, code] += np.log(trees.shares_of(x[child], leaf, x)[:, 0])
    np.testing.assert_allclose(found, expected, atol=1e-4)
