"""What all tables with computed columns have in common: seeds, sizes, dtypes, and rules with their shares."""

from functools import cache
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth import datasets, holds

NAMES = ("rentals", "trips", "houses", "orders", "subscribers", "ledger", "flights")
LARGE = 20_000
RULES = [(name, rule) for name in NAMES for rule in getattr(datasets, f"{name.upper()}_RULES")]
LOOKUP = "fixed_combinations("


@cache
def large(name: str) -> pd.DataFrame:
    return getattr(datasets, name)(LARGE, random_state=1)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_table_and_another_seed_another(name):
    draw = getattr(datasets, name)
    pd.testing.assert_frame_equal(draw(200, random_state=3), draw(200, random_state=np.random.default_rng(3)))
    assert not draw(200, random_state=3).equals(draw(200, random_state=4))
    rng = np.random.default_rng(0)
    assert not draw(200, random_state=rng).equals(draw(200, random_state=rng))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_tables_have_the_dtypes_of_large_ones(name, n):
    rows = getattr(datasets, name)(n)
    assert len(rows) == n
    pd.testing.assert_series_equal(rows.dtypes, large(name).dtypes)


@pytest.mark.parametrize("name", NAMES)
def test_a_negative_number_of_rows_raises_an_error(name):
    with pytest.raises(ValueError, match="n=-1"):
        getattr(datasets, name)(-1)


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_state_every_rule_that_holds_in_all_rows(name):
    text = " ".join(getattr(datasets, name).__doc__.split())
    stated = [rule.text for table, rule in RULES if table == name and rule.share == 1.0]
    first = [rule for rule in stated if not any(f"_{k}" in rule for k in range(2, 6)) or name != "ledger"]
    with_one_example = [rule for rule in first if not rule.startswith(f"{LOOKUP}internet, ") or "security" in rule]
    assert [rule for rule in with_one_example if f"``{rule}``" not in text] == []


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "rule"), RULES, ids=lambda part: getattr(part, "text", part))
def test_rules_hold_in_the_stated_share_of_complete_rows(name, rule):
    rows = large(name)
    if rule.text.startswith(LOOKUP):
        *known, last = rule.text.removeprefix(LOOKUP).removesuffix(")").split(", ")
        assert rule.share == 1.0
        assert_lookup(rows, known, last)
    elif rule.share == 1.0:
        assert holds(rule.text, rows).all()
    else:  # shares are written with two or three decimals; a false alarm is a 5-sigma event
        complete = rows.dropna(subset=[column for column in rows.columns if column in rule.text])
        bound = 0.005 + 5 * sqrt(rule.share * (1 - rule.share) / len(complete))
        assert holds(rule.text, complete).mean() == pytest.approx(rule.share, abs=bound)


def assert_lookup(rows, known, last):
    """Few combinations occur, each often enough that a table of 10,000 rows has all of them."""
    sizes = rows.groupby([*known, last]).size()
    possible = np.prod([rows[column].nunique() for column in [*known, last]])
    assert len(sizes) < possible
    assert sizes.min() >= 20
    if last not in ("lines", "security", "backup", "support", "streaming"):  # there a level is shared or open
        assert rows.groupby(known)[last].nunique().max() == 1
