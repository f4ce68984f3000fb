"""The shipped tables learnt with their rules and links: rules hold, and columns look like those of fresh rows."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus, datasets, holds
from sampling.linked_models import keys

N = 3_000
TABLES = ("rentals", "trips", "houses", "orders", "subscribers", "ledger", "flights")
BIAS = 0.02
"""Distance from fresh rows that the model may add to the sampling error: bins and leaves of a small table."""


def rules_of(name: str) -> list[str]:
    return [rule.text for rule in getattr(datasets, f"{name.upper()}_RULES") if rule.share == 1.0]


@cache
def learnt(name: str, links: str = "auto") -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = getattr(datasets, name)(N, random_state=0)
        return Janus(rules=rules_of(name), links=links, n_trees=3, random_state=0).fit(rows).sample(N, random_state=1)


@cache
def fresh(name: str) -> pd.DataFrame:
    return getattr(datasets, name)(N, random_state=99)


def numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers and times as floats."""
    found = {}
    for name in rows:
        if pd.api.types.is_datetime64_any_dtype(rows[name].dtype):
            stamps = rows[name].dt.tz_localize(None) if rows[name].dt.tz is not None else rows[name]
            found[name] = (stamps - pd.Timestamp("2000-01-01")) / pd.Timedelta("1s")
        elif pd.api.types.is_numeric_dtype(rows[name].dtype) and rows[name].dtype != bool:
            found[name] = rows[name].astype(float)
    return pd.DataFrame(found)


def distances(found: pd.DataFrame, truth: pd.DataFrame) -> pd.Series:
    """Kolmogorov–Smirnov distance of each number."""
    one, other = numbers(found), numbers(truth)
    return pd.Series(
        {name: stats.ks_2samp(one[name].dropna(), other[name].dropna(), method="asymp").statistic for name in other}
    )


@pytest.mark.parametrize("name", TABLES)
def test_all_rows_keep_every_rule(name):
    trained = getattr(datasets, name)(N, random_state=0)
    for text in rules_of(name):
        if text.startswith("fixed_combinations("):
            columns = text.removeprefix("fixed_combinations(").rstrip(")").split(", ")
            assert set(keys(learnt(name)[columns])) <= set(keys(trained[columns])), text
        else:
            assert holds(text, learnt(name)).all(), text


@pytest.mark.statistical
@pytest.mark.parametrize("name", TABLES)
def test_columns_look_like_those_of_fresh_rows(name):
    # All quantiles at once: the distance of two samples of 3,000 exceeds 0.067 in one of 500,000 columns (Smirnov).
    allowed = np.sqrt(-np.log(1e-6) / 2 * 2 / N) + BIAS
    far = distances(learnt(name), fresh(name))
    assert far.max() < allowed, far.sort_values().tail(3).to_dict()


@pytest.mark.statistical
@pytest.mark.parametrize("name", TABLES)
def test_means_are_those_of_fresh_rows(name):
    one, other = numbers(learnt(name)), numbers(fresh(name))
    gap = (one.mean() - other.mean()).abs() / other.std()
    # Five standard errors of a difference of means, 0.129 standard deviations, and the bias.
    assert gap.max() < 5 * np.sqrt(2 / N) + BIAS, gap.sort_values().tail(3).to_dict()


@pytest.mark.statistical
@pytest.mark.parametrize("name", TABLES)
def test_rank_correlations_are_those_of_fresh_rows(name):
    one, other = (numbers(rows).corr("spearman") for rows in (learnt(name), fresh(name)))
    gap = (one - other).abs().stack()
    # Standard error of a difference at most 0.026: 5 of them, and a bias of 0.05.
    assert gap.max() < 0.13 + 0.05, gap.sort_values().tail(3).to_dict()


@pytest.mark.statistical
def test_without_links_a_sum_pulls_its_columns_towards_zero():
    """The bounds above can fail: conditioning on an equation that the model does not know exceeds them."""
    allowed = np.sqrt(-np.log(1e-6) / 2 * 2 / N) + BIAS
    assert distances(learnt("rentals", links="off"), fresh("rentals")).max() > 2 * allowed
