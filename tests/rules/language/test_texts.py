"""Conditions on texts, compared with pandas' string methods."""

import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import bind, col, from_json, holds, parse_rule
from janus_synth.rules.language.texts import TextIs
from janus_synth.table import Column, Schema

CODES = pd.DataFrame({"code": ["A123", "B123", "A12", None, "", "A.*", "xA123"] * 2, "n": range(14)})


@pytest.mark.parametrize(
    ("way", "text", "of_pandas"),
    [
        ("matches", "A[0-9]{3}", lambda s: s.str.fullmatch("A[0-9]{3}")),
        ("starts_with", "A", lambda s: s.str.startswith("A")),
        ("ends_with", "123", lambda s: s.str.endswith("123")),
        ("contains", ".*", lambda s: s.str.contains(".*", regex=False)),
        ("matches", "", lambda s: s == ""),
    ],
)
def test_texts_are_compared_as_pandas_does(way, text, of_pandas):
    want = of_pandas(CODES["code"]).fillna(False).astype(bool).to_numpy()
    rule = parse_rule(f"code {way} {text!r}")
    assert rule == getattr(col("code"), way)(text) == parse_rule(f"{way}(code, {text!r})") == from_json(rule.to_json())
    assert parse_rule(str(rule)) == rule
    assert (holds(rule, CODES) == want).all()
    assert (holds(~rule, CODES) == (~want & CODES["code"].notna())).all()
    assert (holds(f"implies(code {way} {text!r}, n < 0)", CODES) == ~want).all()


def test_words_stay_names_where_no_value_is_before_them():
    assert parse_rule("matches > 3 and contains < 2").columns == ("matches", "contains")
    assert parse_rule("`a b` contains 'x' or not contains").columns == ("a b", "contains")
    assert str(parse_rule("not code matches 'a'")) == "not (code matches 'a')"
    assert str(parse_rule("(code starts_with 'a') == (n > 3)")) == "iff(code starts_with 'a', n > 3)"


def test_columns_without_texts_are_errors():
    schema = Schema((Column("n", "numeric", "int64"), Column("k", "categorical", "int64", levels=(1, 2))))
    for name in ("n", "k"):
        with pytest.raises(RuleError, match=f"column '{name}' .*starts_with is for text"):
            bind(f"{name} starts_with 'a'", schema)
    identifier = Schema((Column("id", "identifier", "str", template="U{001}"),))
    with pytest.raises(RuleError, match="identifier"):
        bind("id starts_with 'U'", identifier)


def test_levels_that_are_no_text_satisfy_nothing():
    assert not TextIs("k", "contains", "1").accepts(1)
    with pytest.raises(RuleError, match="no comparison 'like'"):
        TextIs("k", "like", "1")
    with pytest.raises(RuleError, match="needs a text"):
        TextIs("k", "contains", 1)
    with pytest.raises(RuleError, match="needs a text in quotes"):
        parse_rule("k contains n")
    with pytest.raises(RuleError, match="Write not"):
        parse_rule("k not contains 'n'")
