"""Sources are recognised by their names and by what they hold."""

import json

import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import col, rules_from

SDV = [{"constraint_class": "Positive", "constraint_parameters": {"column_name": "a"}}]
SUITE = {"expectations": [{"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "a"}}]}
SCHEMA = {"columns": {"a": {"nullable": True, "checks": {"greater_than": 3}}}}
OWN = (col("a") > 3).to_json()


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (SDV, "a is null or a >= 0"),
        ({"constraints": SDV}, "a is null or a >= 0"),
        (SDV[0], "a is null or a >= 0"),
        (SUITE, "a is not null"),
        (SUITE["expectations"], "a is not null"),
        (SCHEMA, "a is null or a > 3"),
        ([OWN], "a > 3"),
        (OWN, "a > 3"),
        ({"rules": ["a > 3"]}, "a > 3"),
    ],
)
def test_objects_are_recognised_and_so_are_their_files(source, shown, tmp_path):
    assert [str(rule) for rule in rules_from(source).rules] == [shown]
    (tmp_path / "rules.json").write_text(json.dumps(source))
    assert [str(rule) for rule in rules_from(tmp_path / "rules.json").rules] == [shown]


def test_yaml_sql_and_objects(tmp_path):
    pytest.importorskip("yaml")
    pytest.importorskip("sqlglot")
    pa = pytest.importorskip("pandera.pandas")
    (tmp_path / "s.yaml").write_text("columns:\n  a:\n    nullable: true\n    greater_than: 3\n")
    (tmp_path / "s.sql").write_text("CREATE TABLE t (a INT CHECK (a > 3))")
    for name in ("s.yaml", "s.sql"):
        assert [str(rule) for rule in rules_from(str(tmp_path / name)).rules] == ["a is null or a > 3"]
    schema = pa.DataFrameSchema({"a": pa.Column(int, pa.Check.gt(3), nullable=True)})
    assert [str(rule) for rule in rules_from(schema).rules] == ["a is null or a > 3"]


def test_unknown_sources_are_errors(tmp_path):
    with pytest.raises(RuleError, match="no rules that are known"):
        rules_from({"a": 1})
    with pytest.raises(RuleError, match="no rules that are known"):
        rules_from(3)
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(RuleError, match="not valid JSON"):
        rules_from(tmp_path / "x.json")
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(RuleError, match="none of"):
        rules_from(tmp_path / "x.txt")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        rules_from(tmp_path / "no.json")
