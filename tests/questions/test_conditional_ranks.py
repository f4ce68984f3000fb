"""Conditional ranks: the CDF and the quantile function of a column given its parents are inverse to each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.questions.conditional_ranks import ConditionalRanks, Positions, has_ranks, quantile_in_code
from janus_synth.table import read_table


def line(n: int, seed: int = 0) -> pd.DataFrame:
    """y = 2 x + noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": 2 * x + rng.normal(size=n)})


def positions(janus: Janus, rows: pd.DataFrame) -> Positions:
    model = janus.model_
    table = read_table(rows, model.schema, columns=model.codec.names)
    x = model.codec.encode(table)
    shares = [
        np.mean(quantile_in_code(codec, table[name], x[i]), axis=0)
        for i, (name, codec) in enumerate(model.codec.columns.items())
    ]
    return Positions(x, np.array(shares))


@pytest.mark.parametrize("leaves", ["histogram", "trend", "auto"])
def test_quantiles_undo_ranks(leaves):
    """Codes come back exactly, and the share inside a code up to the resolution of the kernel's steps."""
    model = Janus(structure=[("x", "y")], leaves=leaves, random_state=0).fit(line(2_000))
    at = positions(model, line(500, seed=1))
    y = model.model_.codec.names.index("y")
    ranks = ConditionalRanks(model.model_, y)
    found = ranks.leaves(at)
    on_trend = ranks.follow_trends(found, found)
    u = ranks.ranks(at, found, at.share[y], on_trend)
    codes, share = ranks.quantiles(at, found, u, on_trend)
    inner = (u > 0.001) & (u < 0.999)
    position = (codes + share)[inner]
    np.testing.assert_allclose(position, (at.x[y] + at.share[y])[inner], atol=0.05)


@pytest.mark.statistical
def test_ranks_of_the_models_own_rows_are_uniform():
    """DKW: a gap of 0.06 in 2,000 ranks is a false alarm once in 10⁶; the trees alone would leave far larger ones."""
    model = Janus(structure=[("x", "y")], random_state=0).fit(line(3_000))
    at = positions(model, model.sample(2_000, random_state=2))
    y = model.model_.codec.names.index("y")
    ranks = ConditionalRanks(model.model_, y)
    found = ranks.leaves(at)
    u = np.sort(ranks.ranks(at, found, at.share[y], ranks.follow_trends(found, found)))
    assert np.abs(u - (np.arange(2_000) + 0.5) / 2_000).max() < np.sqrt(np.log(2 / 1e-6) / (2 * 2_000))


def test_an_atom_covers_its_whole_code_and_a_continuous_value_a_point():
    table = pd.DataFrame({"x": np.r_[np.zeros(300), np.random.default_rng(0).normal(5, 1, 300)]})
    model = Janus(random_state=0).fit(table).model_
    codec = model.codec.columns["x"]
    values = np.array([0.0, 5.0])
    low, high = quantile_in_code(codec, values, codec.encode(values))
    assert (low[0], high[0]) == (0.0, 1.0)
    assert low[1] == high[1]
    assert 0 <= low[1] <= 1


def test_columns_of_two_values_and_levels_have_no_ranks():
    two, three = (fit_ordered(np.arange(60.0) % n, n_bins=254) for n in (2, 3))
    assert not has_ranks(two)
    assert has_ranks(three)
    assert has_ranks(fit_ordered(np.linspace(0, 1, 60), n_bins=2))  # two bins of many values
    levels = np.repeat([0, 1, 2], 20)
    assert not has_ranks(fit_levels(levels, n_levels=3, ordered=False, nullable=False))
    assert has_ranks(fit_levels(levels, n_levels=3, ordered=True, nullable=False))
