"""Values that a person would question are reported; usual ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.alerts.values import value_alerts
from janus_synth.table import Column

RNG = np.random.default_rng(0)
AGES = RNG.integers(18, 80, 500).astype(float)


def kinds(column, cells):
    return [alert.kind for alert in value_alerts(column, np.asarray(cells))]


def numbers(name="x", dtype="int64"):
    return Column(name, "numeric", dtype)


def levels(n, *, ordered=False):
    return Column("x", "categorical", "str", levels=tuple(f"kind {i}" for i in range(n)), ordered=ordered)


@pytest.mark.parametrize(
    ("column", "cells", "kind"),
    [
        (numbers(), np.ones(50), "constant"),
        (numbers("zip"), RNG.integers(10_000, 99_999, 200).astype(float), "code"),
        (numbers("customer_id"), RNG.integers(0, 100, 500).astype(float), "key"),
        (numbers("phone"), RNG.choice(9 * 10**6, 300, replace=False) + 10.0**6, "key"),
        (numbers("created"), RNG.choice(10**7, 300, replace=False) + 1.6e9, "date-number"),
        (numbers("x"), (RNG.choice(10**7, 300, replace=False) + 1.6e9) * 1e3, "date-number"),
        (numbers("start_date"), RNG.integers(43_000, 45_000, 300).astype(float), "date-number"),
        (numbers(), np.append(AGES, [999.0] * 20), "missing-code"),
        (numbers(), np.append(AGES, [-1.0] * 20), "missing-code"),
        (numbers(), np.append(AGES, [0.0] * 20), "missing-code"),
        (levels(100), np.arange(100), "nearly-unique"),
        (levels(300), np.repeat(np.arange(300), 3), "many-levels"),
        (levels(3), np.append(np.repeat([0, 1], 50), 2), "rare-levels"),
    ],
)
def test_unusual_values_are_reported(column, cells, kind):
    assert kinds(column, cells) == [kind]


def test_sums_that_repeat_are_no_codes_for_missing():
    wages = np.append(RNG.normal(-40, 9, 300).round(2), [3120.55] * 30)
    assert kinds(numbers("paid", "float64"), wages) == []
    assert kinds(numbers("paid", "float64"), np.append(wages[:300], [-999.9] * 30)) == ["missing-code"]


def test_labels_beside_one_that_says_why_there_is_none_have_an_order():
    column = Column("age", "categorical", "str", levels=("18-24", "25-34", "65+", "Prefer not to say"))
    (alert,) = value_alerts(column, np.repeat([0, 1, 2, 3], 50))
    assert alert.remedy == (
        'schema={"age": {"ordered": True, "levels": ["18-24", "25-34", "65+"], "missing": ["Prefer not to say"]}}'
    )


def test_spellings_are_reported():
    column = Column("x", "categorical", "str", levels=("Red", " red", "blue"))
    (alert,) = value_alerts(column, np.repeat([0, 1, 2], 50))
    assert alert.kind == "spellings"
    assert "'Red', ' red'" in alert.message


def test_a_single_value_beside_nulls_is_not_called_constant_rows():
    column = Column("x", "categorical", "str", nullable=True, levels=("X",))
    (alert,) = value_alerts(column, np.zeros(50, int))
    assert alert.kind == "constant"
    assert "every generated row" not in alert.effect


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (numbers(), AGES),
        (numbers("year"), RNG.integers(1990, 2020, 500).astype(float)),
        (numbers("price", "float64"), RNG.gamma(2, 100, 500)),
        (numbers("absences"), RNG.poisson(1.0, 500).astype(float)),
        (numbers("change"), RNG.integers(-50, 50, 500).astype(float)),
        (numbers("price"), RNG.integers(43_000, 45_000, 300).astype(float)),
        (numbers("population"), RNG.integers(10**6, 10**9, 300).astype(float)),
        (levels(3), np.repeat([0, 1, 2], 50)),
        (numbers(), np.array([1.0])),
    ],
)
def test_usual_values_are_not_questioned(column, cells):
    assert kinds(column, cells) == []


def test_labels_with_an_order_are_reported_unless_it_is_used():
    cells = np.repeat([0, 1, 2], 40)
    plain = Column("size", "categorical", "str", levels=("high", "low", "medium"))
    (alert,) = value_alerts(plain, cells)
    assert alert.option == "--column 'size=ordered:low<medium<high'"
    assert kinds(Column("size", "categorical", "str", levels=("low", "medium", "high"), ordered=True), cells) == []
