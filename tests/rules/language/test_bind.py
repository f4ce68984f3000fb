"""Rules bound to a schema: names, kinds, negation normal form and physical units."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.errors import RuleError, UnknownColumnError
from janus_synth.rules import bind, judge, parse_rule
from janus_synth.table import Column, Schema, Table

DAY = 86_400_000_000
SCHEMA = Schema(
    (
        Column("age", "numeric", "Int64", nullable=True, low=0, high=120),
        Column("pay", "numeric", "float64"),
        Column("nights", "numeric", "int64"),
        Column("delay", "numeric", "timedelta64[us]"),
        Column("married", "boolean", "boolean", nullable=True),
        Column("city", "categorical", "str", levels=("Oslo", "Paris", "Rome")),
        Column("home", "categorical", "str", levels=("Rome", "Bonn", "Oslo")),
        Column("size", "categorical", "category", levels=("S", "M", "L"), ordered=True),
        Column("grade", "categorical", "int64", levels=(1, 2, 3)),
        Column("start", "datetime", "datetime64[us]"),
        Column("end", "datetime", "datetime64[us]"),
        Column("local", "datetime", "datetime64[us, Europe/Paris]"),
        Column("key", "identifier", "str"),
    )
)


def bound(text):
    return bind(text, SCHEMA).test


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2 * age >= 36", "age >= 18"),
        ("36 >= 2 * age", "age <= 18"),
        ("-age < 3 + 2 * pay", "-age - 2 * pay < 3"),
        ("not (age > 3)", "age <= 3"),
        ("not (age > 3 or pay == 2)", "age <= 3 and pay != 2"),
        ("not not (age > 3)", "age > 3"),
        ("implies(age > 3, pay > 1)", "age <= 3 or age is null or pay > 1"),
        ("not implies(age > 3, pay > 1)", "age > 3 and pay <= 1"),
        ("implies(not married, pay > 1)", "married in [1] or married is null or pay > 1"),
        ("city == 'Rome'", "city in [2]"),
        ("city != 'Rome'", "city not in [2]"),
        ("not (city in ['Rome', 'Oslo'])", "city not in [2, 0]"),
        ("size < 'L'", "size in [0, 1]"),
        ("'S' < size <= 'L'", "size in [1, 2] and size in [0, 1, 2]"),
        ("grade == 2", "grade in [1]"),
        ("married", "married in [1]"),
        ("married == 0", "married in [0]"),
        ("married != True", "married not in [1]"),
        ("start >= '1970-01-02'", f"start >= {DAY}"),
        ("start in ['1970-01-02']", f"start in [{DAY}]"),
        ("local >= '1970-01-02'", f"local >= {DAY - 3_600_000_000}"),
        ("local >= '1970-01-02T00:00Z'", f"local >= {DAY}"),
        ("end > start + days(2)", f"end - start > {2 * DAY}"),
        ("end == start + days(nights)", f"end - start - {DAY} * nights == 0"),
        ("end - start > 0", "end - start > 0"),
        ("end - '1970-01-02' > days(1)", f"end > {2 * DAY}"),
        ("delay > hours(1)", "delay > 3600000000"),
        ("end > start + delay", "end - start - delay > 0"),
        ("age > 10_000", "age > 10000"),
        ("age < age + 1", "age is not null"),
        ("age + pay < pay", "age < 0 and pay is not null"),
        ("one_hot(married, nights)", "married in [0, 1] and nights in [0, 1] and married + nights == 1"),
    ],
)
def test_constants_are_in_physical_units(text, same):
    assert bound(text) == parse_rule(same)


def test_the_source_stays_as_written():
    rule = bind("city == 'Rome'", SCHEMA)
    assert str(rule) == "city == 'Rome'"
    assert rule.columns == ("city",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("age", "column 'age' is numeric, not boolean"),
        ("city", "column 'city' is categorical, not boolean.*'Oslo', 'Paris', 'Rome'"),
        ("city == 'Roma'", "column 'city' has no level 'Roma'. Known levels include 'Rome'"),
        ("city in ['Rome', 'Pari']", "no level 'Pari'.*'Paris'"),
        ("city == 3", "no level 3"),
        ("city > 'Rome'", "its levels have no order"),
        ("city + 1 > 2", "column 'city' is categorical, so it cannot be part of a sum"),
        ("age + city > 2", "column 'city' is categorical, so it cannot be part of a sum"),
        ("city == age", "cannot be compared"),
        ("city < home", "cannot be compared"),
        ("size < 'XXL'", "no level 'XXL'"),
        ("key == 'K-1'", "column 'key' is an identifier"),
        ("key is null", "column 'key' is an identifier"),
        ("increments(city, 2)", "increments are for numeric columns"),
        ("fixed_combinations(city, home)", "fixed_combinations learns from training rows"),
    ],
)
def test_a_rule_that_does_not_fit_the_kinds_is_explained(text, problem):
    with pytest.raises(RuleError, match=problem):
        bind(text, SCHEMA)


def test_an_unknown_column_suggests_the_closest():
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'") as caught:
        bind("agee > 3", SCHEMA)
    assert caught.value.closest == ("age",)


# Words of a boolean column


@pytest.mark.parametrize("text", ["member == 'Y'", "member in ['Y']", "member != 'N'", "'Y' == member"])
def test_a_boolean_column_is_compared_with_the_words_of_its_file(text):
    schema = Schema((Column("member", "boolean", "boolean", nullable=True, format="Y/N"),))
    table = Table.from_columns(schema, {"member": np.array([1, 0, -1])})
    assert judge(bind(parse_rule(text), schema), table).tolist() == [True, False, False]
    with pytest.raises(RuleError, match="'yes' is text"):
        bind(parse_rule("member == 'yes'"), schema)
