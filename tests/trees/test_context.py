"""The context shared by all trees of a table: log tables, resamples, code shares and penalties, by their definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln

from janus_synth.encoding import Codec, LevelCodec
from janus_synth.kernels.dtypes import CODE
from janus_synth.trees import (
    GrowthSettings,
    prepare_growth,
    subsample_rows,
)
from janus_synth.trees.code_tree import likeliest_strength
from strategies import related_codes


def test_slots_look_up_the_logs_of_their_own_masses():
    """Slots of equal mass share a table; every slot of every column must look up the right one."""
    table = related_codes(np.random.default_rng(1), "ouuo", 60)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([60.0]), ordered=False, nullable=False)
    codec = Codec({**table.codec.columns, "same": constant})
    settings = GrowthSettings()
    context = prepare_growth(codec, np.vstack([table.x, np.zeros((1, 60), CODE)]), settings)
    for tree, tables, ordered in zip(context.evidence, context.flat[-1], context.ordered, strict=True):
        for logs, deep in ((context.logs, False), (context.deep_logs, True)):
            counts = replace(settings, deep=deep).row_weight * np.arange(logs.shape[2])
            of_part, of_whole = gammaln(counts + tree.mass[-1]), gammaln(counts + tree.split_mass[0])
            if ordered or not deep:  # only ordered columns may have deep trees
                np.testing.assert_allclose(logs[tables, 1], [of_part, of_whole, of_part - of_whole], atol=1e-9)
        assert (tree.mass[1:] == tree.mass[-1]).all()
        assert set(tree.split_mass[tree.split_mass > 0]) <= {tree.split_mass[0]}


def test_a_single_tree_grows_on_all_rows_and_trees_of_a_bag_on_a_subsample():
    rng = np.random.default_rng(4)
    assert subsample_rows(50, GrowthSettings(n_trees=1), rng).tolist() == list(range(50))
    rules = GrowthSettings(n_trees=2)
    first, second = subsample_rows(1_001, rules, rng), subsample_rows(1_001, rules, rng)
    for rows in (first, second):
        assert len(rows) == 631  # 63 %, rounded up
        assert (np.diff(rows) > 0).all()  # sorted, each row once
        assert 0 <= rows[0] <= rows[-1] < 1_001
    assert 330 < len(np.intersect1d(first, second)) < 465  # 398 on average, ± 9 standard deviations
    assert subsample_rows(1, rules, rng).tolist() == [0]
    assert len(subsample_rows(1_000, GrowthSettings(n_trees=2, max_rows=300), rng)) == 189


def test_every_row_is_as_likely_in_a_subsample():
    rng, rules = np.random.default_rng(5), GrowthSettings(n_trees=2)
    drawn = np.bincount(np.concatenate([subsample_rows(40, rules, rng) for _ in range(2_000)]), minlength=40)
    # 26 of 40 rows, Binomial(2,000, 0.65): a standard deviation of 21; five make a false alarm less likely than 1e-4.
    assert np.abs(drawn - 1_300).max() < 107


@pytest.mark.parametrize("flat_prior", [False, True])
def test_the_context_knows_the_shares_of_every_columns_codes(flat_prior):
    table = related_codes(np.random.default_rng(7), "ouo", 300, n_values=9)
    context = prepare_growth(table.codec, table.x, GrowthSettings(flat_prior=flat_prior))
    for i, column in enumerate(table.codec.columns.values()):
        counts, tree = np.bincount(table.x[i], minlength=column.n_codes), context.smoothing[i]
        prior = tree.share_of_allowed(column.allowed | (counts > 0))
        strength = 1.0 if flat_prior or not column.ordered else likeliest_strength(tree, counts, prior, 1.0)
        assert context.root_strength[i] == strength
        np.testing.assert_array_equal(
            context.shares[i], tree.posterior_mean(counts, prior, tree.concentration(1.0, strength))
        )
        assert context.shares[i].sum() == pytest.approx(1.0)


def test_a_split_is_penalised_by_the_log_of_the_number_of_candidate_cuts():
    """A penalty of 1 is a uniform prior over cuts; ordered columns use half of it, the paper's settings none."""
    assert GrowthSettings().price(ordered=False) == 1.0
    assert GrowthSettings().price(ordered=True) == 0.5
    assert GrowthSettings(flat_prior=True).price(ordered=False) == 0.0
    assert GrowthSettings(flat_prior=True).price(ordered=True) == 0.0
