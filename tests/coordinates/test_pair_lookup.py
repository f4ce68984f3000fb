"""Lookups by two keys against pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given

from janus_synth.coordinates.pair_lookup import PairLookup, fit_pair_lookup
from janus_synth.rules import BoundRule, judge
from janus_synth.table import Column, Schema, Table
from strategies import quick, seeds


def drawn(seed: int, n: int = 200) -> pd.DataFrame:
    """Rows whose value is a function of two keys; some keys and values are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 4, n) * 1.5, "b": rng.integers(-1, 5, n).astype(float)})
    frame = frame.mask(rng.random((n, 2)) < 0.05)
    values = {
        (a, b): float(rng.integers(0, 9)) if rng.random() > 0.1 else np.nan
        for a in (0, 1.5, 3, 4.5)
        for b in range(-1, 5)
    }
    frame["t"] = [values.get((a, b), np.nan) for a, b in zip(frame["a"], frame["b"], strict=True)]
    return frame


def fitted(frame: pd.DataFrame, least: int = 1) -> PairLookup:
    return fit_pair_lookup(("a", "b"), tuple(frame[name].to_numpy() for name in "abt"), least)


@quick
@given(seeds)
def test_rows_get_their_values_again(seed):
    frame = drawn(seed)
    found = fitted(frame).evaluate({name: frame[name].to_numpy() for name in "ab"})
    np.testing.assert_array_equal(found, frame["t"])


def test_a_pair_that_was_not_seen_takes_the_nearest_second_key():
    frame = pd.DataFrame({"a": [0.0, 0, 0, 1, 1], "b": [0.0, 1, 5, 5, 5], "t": [3.0, 4, 7, 9, 9]})
    lookup = fitted(frame)
    values = {"a": np.array([1.0, 1.0, 0.9, 0.0, 0.0]), "b": np.array([0.0, 1.0, 4.0, 2.0, 99.0])}
    np.testing.assert_array_equal(lookup.evaluate(values), [9, 9, 9, 4, 7])


def test_rare_keys_and_rare_pairs_are_not_kept():
    frame = pd.DataFrame({"a": [0.0] * 6, "b": [0.0, 0, 0, 1, 1, 2], "t": [5.0, 5, 5, 6, 6, 77]})
    lookup = fitted(frame, least=2)
    assert lookup.known == ((0.0,), (0.0, 1.0))
    assert lookup.values == (5.0, 6.0)
    frame = pd.DataFrame({"a": [0.0, 0, 0, 1, 1, 1], "b": [0.0, 0, 0, 0, 1, 1], "t": [5.0, 5, 5, 77, 7, 7]})
    assert fitted(frame, least=2).values == (5.0, 5.0, 7.0, 7.0)


def test_nothing_is_fitted_without_keys():
    empty = np.full(3, np.nan)
    assert fit_pair_lookup(("a", "b"), (empty, empty, np.ones(3))) is None


@quick
@given(seeds)
def test_the_rule_holds_in_the_rows_that_the_lookup_gives(seed):
    frame = drawn(seed, 60)
    lookup = fitted(frame)
    rng = np.random.default_rng(seed)
    frame["t"] = frame["t"].where(rng.random(60) < 0.7, 3.0)
    columns = tuple(Column(name, "numeric", "float64", nullable=True) for name in "abt")
    table = Table(Schema(columns), {name: frame[name].to_numpy() for name in "abt"}, 60)
    rule = lookup.rule("t")
    computed = lookup.evaluate(table.columns)
    same = (computed == frame["t"]) | (np.isnan(computed) & frame["t"].isna())
    np.testing.assert_array_equal(judge(BoundRule(rule, rule), table), same)
