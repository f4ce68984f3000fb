"""Strata and quotas: rows are kept up to the wanted numbers, and each stratum's rows are the model's."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.sampling import plan_for
from janus_synth.sampling.shares import read_axes
from janus_synth.sampling.strata import Quotas, Sources, Strata, fill_quotas
from janus_synth.sampling.unique import Keys
from janus_synth.table import read_table
from sampling.small_models import every_row, small_model, small_table


@pytest.fixture(scope="module")
def model():
    return small_model("dense").model_


@pytest.fixture(scope="module")
def strata(model):
    return Strata(read_axes({"c": {"x": 0.5, "y": 0.2}, "b": {"< 2": 0.4}}, None, model))


def new_sources(model, where=()):
    return Sources(model, where, lambda rules, **options: plan_for(model, rules, **options), seed=7, n_jobs=1)


def test_a_stratum_is_a_combination_of_categories(model, strata):
    table = read_table(small_table(), model.schema)
    found = strata.of_rows(table)
    first, second = strata.categories(found)
    assert strata.sizes == (3, 2)
    np.testing.assert_array_equal(first, small_table()["c"].map({"x": 0, "y": 1, "z": 2}))
    np.testing.assert_array_equal(second, np.where(small_table()["b"] < 2, 0, 1))
    assert [str(rule) for rule in strata.rules(2)] == ["c == 'y'", "b < 2"]


def test_quotas_keep_the_first_rows_of_each_stratum(model, strata):
    table = read_table(small_table(), model.schema)
    of_row = strata.of_rows(table)
    quotas = Quotas(np.array([3, 0]), np.array([4, 2]), None)
    offered = quotas.offer(table, of_row)
    assert offered.tolist() == [(of_row == 0).sum(), (of_row == 3).sum()]
    kept = np.concatenate(quotas.kept)
    assert np.bincount(kept, minlength=4)[[0, 3]].tolist() == [2, 4]
    assert quotas.n_missing == 0
    expected = np.sort(np.concatenate([np.flatnonzero(of_row == 0)[:2], np.flatnonzero(of_row == 3)[:4]]))
    np.testing.assert_array_equal(quotas.tables[0]["a"], table["a"][expected])


def test_quotas_with_keys_keep_no_key_twice(model, strata):
    table = read_table(small_table(), model.schema)
    quotas = Quotas(np.arange(6), np.full(6, 50), Keys(model, ["a", "f"]))
    for _ in range(2):
        quotas.offer(table, strata.of_rows(table))
    a, f = (np.concatenate([part[name] for part in quotas.tables]) for name in ("a", "f"))
    assert len(set(zip(a, f, strict=True))) == len(a) == len(small_table()[["a", "f"]].drop_duplicates())


def test_sources_are_the_same_for_the_same_seed_and_differ_from_one_another(model):
    first, again = (new_sources(model) for _ in range(2))
    np.testing.assert_array_equal(first.under().draw(50)["f"], again.under().draw(50)["f"])
    assert not np.array_equal(first.under().draw(50)["f"], again.under(*[]).draw(60)["f"][:50] + 1)
    assert first.n_drawn == 100


@pytest.mark.parametrize("rare", [False, True])
def test_every_quota_is_filled(model, rare):
    shares = {"a == 3 and f <= 3": 0.5} if rare else {"c": {"x": 0.5}}
    strata, sources = Strata(read_axes(shares, None, model)), new_sources(model)
    quotas = Quotas(np.array([0, 1]), np.array([300, 20]), None)
    fill_quotas(strata, quotas, sources, np.array([1e-3, 0.9]) if rare else np.array([0.3, 0.7]))
    assert quotas.n_missing == 0
    assert np.bincount(np.concatenate(quotas.kept)).tolist() == [300, 20]
    if rare:  # a plan of its own, not hundreds of thousands of rows
        rows, p = every_row("dense")
        expected = p[(rows["a"] == 3) & (rows["f"] <= 3)].sum()
        assert sources.n_drawn < 300 / expected
