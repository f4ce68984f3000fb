"""The context shared by all trees of a table: log tables, resamples, code shares and penalties, by their definition."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding import Codec, LevelCodec
from janus_synth.kernels.dtypes import CODE
from janus_synth.trees import (
    GrowthSettings,
    bootstrap_rows,
    prepare_growth,
)
from janus_synth.trees.code_tree import likeliest_strength
from strategies import related_codes


def test_slots_look_up_the_logs_of_their_own_masses():
    """Slots of equal mass share a table; every slot of every column must look up the right one."""
    table = related_codes(np.random.default_rng(1), "ouuo", 60)
    constant = LevelCodec(np.zeros(1, np.int32), np.array([60.0]), ordered=False, nullable=False)
    codec = Codec({**table.codec.columns, "same": constant})
    context = prepare_growth(codec, np.vstack([table.x, np.zeros((1, 60), CODE)]), GrowthSettings())
    counts = np.arange(context.logs.shape[2])
    for tree, tables in zip(context.evidence, context.flat[-1], strict=True):
        for mass, table_of in zip((tree.mass[-1], tree.split_mass[0]), tables, strict=True):
            np.testing.assert_allclose(context.logs[table_of, 0], np.log(counts + mass), atol=1e-12)
        assert (tree.mass[1:] == tree.mass[-1]).all()
        assert set(tree.split_mass[tree.split_mass > 0]) <= {tree.split_mass[0]}


def test_a_single_tree_grows_on_all_rows_and_trees_of_a_bag_on_bootstrap_resamples():
    rng = np.random.default_rng(4)
    assert bootstrap_rows(50, GrowthSettings(n_trees=1), rng).tolist() == list(range(50))
    rules = GrowthSettings(n_trees=2)
    first, second = bootstrap_rows(1_000, rules, rng), bootstrap_rows(1_000, rules, rng)
    for rows in (first, second):
        assert len(rows) == 1_000
        assert (np.diff(rows) >= 0).all()  # sorted
        assert 0 <= rows[0] <= rows[-1] < 1_000
        assert 580 < len(np.unique(rows)) < 680  # 1 − 1/e of the rows, ± 5 standard deviations
    assert not np.array_equal(first, second)
    assert bootstrap_rows(1, rules, rng).tolist() == [0]


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
