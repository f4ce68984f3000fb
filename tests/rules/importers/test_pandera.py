"""Pandera schemas: the rules hold in the rows that pandera accepts, from the object and from its file."""

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_pandera

pa = pytest.importorskip("pandera.pandas")
yaml = pytest.importorskip("yaml")

FRAME = pd.DataFrame({"a": [0, 1, 2, 5, 7, 9], "t": ["ab", "b", None, "xab", "abcd", "q"]})
CHECKS = [
    ("a", "ge", (1,)), ("a", "gt", (1,)), ("a", "le", (5,)), ("a", "lt", (5,)), ("a", "eq", (5,)), ("a", "ne", (5,)),
    ("a", "isin", ([1, 5],)), ("a", "notin", ([1, 5],)), ("t", "str_matches", ("a",)), ("t", "str_contains", ("a",)),
    ("t", "str_startswith", ("a",)), ("t", "str_endswith", ("b",)), ("t", "str_length", (2, 3)),
]  # fmt: skip


def accepted(schema):
    """Rows that pandera accepts one by one."""
    try:
        schema.validate(FRAME, lazy=True)
    except pa.errors.SchemaErrors as error:
        bad = set(error.failure_cases["index"].dropna())
        return [row not in bad for row in FRAME.index]
    return [True] * len(FRAME)


@pytest.mark.parametrize(("column", "name", "arguments"), CHECKS)
def test_rules_hold_in_the_rows_that_pandera_accepts(column, name, arguments):
    check = getattr(pa.Check, name)(*arguments)
    schema = pa.DataFrameSchema({column: pa.Column(checks=[check], nullable=True)})
    for given in (schema, yaml.safe_load(schema.to_yaml())):
        found = from_pandera(given)
        assert not found.skipped
        assert holds(found.rules[0], FRAME).tolist() == accepted(schema)


def test_ranges_nulls_and_older_files():
    column = {"nullable": False, "checks": {"in_range": {"min_value": 0, "max_value": 5, "include_max": False}}}
    rules = [str(rule) for rule in from_pandera({"columns": {"a": column}}).rules]
    assert rules == ["a is not null", "a >= 0 and a < 5"]
    listed = {"nullable": True, "checks": [{"value": 3, "options": {"check_name": "less_than"}}]}
    assert [str(rule) for rule in from_pandera({"columns": {"a": listed}}).rules] == ["a is null or a < 3"]


def test_models_are_read_and_python_is_not():
    class Model(pa.DataFrameModel):
        a: int = pa.Field(ge=0, unique=True)

        @pa.check("a")
        def odd(cls, values):
            return values % 2 == 1

    found = from_pandera(Model)
    assert [str(rule) for rule in found.rules] == ["a is not null", "unique(a)", "a >= 0"]
    assert len(found.skipped) == 1
    whole = pa.DataFrameSchema({"a": pa.Column(int)}, checks=pa.Check(lambda df: df["a"] > 0))
    assert len(from_pandera(whole).skipped) == 1


@pytest.mark.parametrize("names", [["a"], ["a", "t"], "a"])
def test_keys_hold_in_the_tables_that_pandera_accepts(names):
    columns = {name: pa.Column(nullable=True, unique=names == ["a"] and name == "a") for name in ("a", "t")}
    schema = pa.DataFrameSchema(columns, unique=None if names == ["a"] else names)
    for rows in ([(1, "x"), (1, "y")], [(1, "x"), (1, "x")], [(1, None), (1, None)], [(None, "x"), (None, "x")]):
        frame = pd.DataFrame(rows, columns=["a", "t"]).astype({"a": "Int64"})
        try:
            schema.validate(frame)
            accepted_table = True
        except pa.errors.SchemaError:
            accepted_table = False
        for given in (schema, yaml.safe_load(schema.to_yaml())):
            found = from_pandera(given)
            assert not found.skipped
            assert holds(found.rules[0], frame).all() == accepted_table
