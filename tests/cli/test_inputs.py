"""Files and numbers that a command is given are read, or refused with the name of what is wrong."""

from __future__ import annotations

import json

import pytest
import typer

from janus_synth.cli.inputs import is_folder_output, is_source_path, parse_count, read_json, read_rules, read_schema
from janus_synth.errors import RuleError
from janus_synth.table import Column, Schema


@pytest.mark.parametrize(("text", "n"), [("1000", 1000), ("1_000", 1000), ("1e9", 10**9), (12, 12), ("0", 0)])
def test_numbers_of_rows_are_read(text, n):
    assert parse_count(text) == n


@pytest.mark.parametrize("text", ["ten", "-1", "1.5", "", "inf", "nan"])
def test_other_texts_are_no_numbers_of_rows(text):
    with pytest.raises(typer.BadParameter, match="whole number such as 1000"):
        parse_count(text)


def test_rules_are_read_line_by_line_without_comments(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("age >= 18  # adults\n\n# nothing here\ncity != '#1'\n", "utf-8")
    assert read_rules(str(path)) == ["age >= 18", "city != '#1'"]


def test_a_rule_that_cannot_be_read_names_file_and_line(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("age >= 18\nage >>= 3\n", "utf-8")
    with pytest.raises(RuleError, match=r"rules\.txt, line 2"):
        read_rules(str(path))


def test_a_file_without_rules_is_an_error(tmp_path):
    (tmp_path / "rules.txt").write_text("# none yet\n", "utf-8")
    with pytest.raises(ValueError, match="holds no rules"):
        read_rules(str(tmp_path / "rules.txt"))


def test_json_is_read_from_a_text_or_a_file_and_errors_name_the_file(tmp_path):
    path = tmp_path / "changes.json"
    path.write_text('{"age": {"low": 0}}', "utf-8")
    assert read_json(str(path)) == read_json('{"age": {"low": 0}}') == {"age": {"low": 0}}
    path.write_text("{", "utf-8")
    with pytest.raises(ValueError, match=r"changes\.json is not valid JSON"):
        read_json(str(path))
    with pytest.raises(FileNotFoundError, match=r"no file .*absent\.json"):
        read_json(str(tmp_path / "absent.json"))


def test_a_whole_schema_and_changes_are_told_apart():
    schema = Schema((Column("age", "numeric", "int64"),))
    assert read_schema(json.dumps(schema.to_dict())) == schema
    assert read_schema('{"age": {"low": 0}}') == {"age": {"low": 0}}
    with pytest.raises(ValueError, match="does not hold a schema"):
        read_schema("[1]")


def test_folders_and_patterns_are_sources(tmp_path):
    (tmp_path / "a[1].csv").write_text("x\n1\n", "utf-8")
    assert is_source_path(str(tmp_path))
    assert is_source_path(str(tmp_path / "*.csv"))
    assert not is_source_path(str(tmp_path / "a[1].csv"))  # a file of this name is there
    assert is_folder_output(str(tmp_path))
    assert is_folder_output("rows/")
    assert not is_folder_output(str(tmp_path / "rows.csv"))
