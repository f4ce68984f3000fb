"""``abs``, ``max`` and ``min`` in rules, compared with NumPy on random rows with nulls."""

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import bind, col, from_json, holds, maximum, minimum, parse_rule
from janus_synth.rules.language.cases import linear_cases
from janus_synth.rules.language.linear import Linear, Term
from janus_synth.rules.language.pieces import Call, ComparePieces, Pieces
from janus_synth.table import Column, Schema

OPS = ("<", "<=", ">", ">=", "==", "!=")


def frame(n=400):
    rng = np.random.default_rng(0)
    cells = {name: rng.integers(-3, 4, n).astype(float) for name in "abc"}
    cells["a"][rng.random(n) < 0.2] = np.nan
    return pd.DataFrame(cells)


def side(rng, depth=0):
    """A random side as text, and a function that computes it."""
    name, number = rng.choice(["a", "b", "c"]), int(rng.integers(-3, 4))
    kind = rng.integers(0, 6 if depth < 2 else 2)
    if kind == 0:
        return str(name), lambda df: df[name].to_numpy()
    if kind == 1:
        return f"({number})", lambda df: np.full(len(df), float(number))
    (one, f), (other, g) = side(rng, depth + 1), side(rng, depth + 1)
    if kind == 2:
        return f"abs({one} - {other})", lambda df: np.abs(f(df) - g(df))
    if kind == 3:
        return f"max({one}, {other})", lambda df: np.maximum(f(df), g(df))
    if kind == 4:
        return f"(2 * min({one}, {other}, 1))", lambda df: 2 * np.minimum(np.minimum(f(df), g(df)), 1)
    return f"({one} - 3 * ({other}))", lambda df: f(df) - 3 * g(df)


@pytest.mark.parametrize("seed", range(40))
def test_rules_hold_where_numpy_says_so(seed):
    rng, df = np.random.default_rng(seed), frame()
    (left, f), (right, g) = side(rng), side(rng)
    for op in OPS:
        text = f"max({left}, b) {op} {right} + c"
        one, other = np.maximum(f(df), df["b"].to_numpy()), g(df) + df["c"].to_numpy()
        named = [name for name in "abc" if name in text.replace("abs", "").replace("max", "")]
        present = df[named].notna().all(axis=1).to_numpy()
        want = getattr(np, {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal",
                            "!=": "not_equal"}[op])(one, other)  # fmt: skip
        rule = parse_rule(text)
        try:
            found, opposite = holds(rule, df), holds(~rule, df)
        except RuleError:  # too many cases, which a test of its own is about
            continue
        assert (found == (want & present)).all(), text
        assert (opposite == (~want & present)).all(), text
        assert parse_rule(str(rule)) == rule == from_json(rule.to_json())


def test_python_and_text_are_the_same_rule():
    a, b = col("a"), col("b")
    assert (abs(a - b) <= 5) == parse_rule("abs(a - b) <= 5")
    assert (maximum(a, b) < col("c")) == parse_rule("max(a, b) < c")
    assert (minimum(a, 0) - 2 * abs(b) >= -3) == parse_rule("min(a, 0) - 2 * abs(b) >= -3")
    assert abs(a).between(1, 2) == parse_rule("between(abs(a), 1, 2)")


def test_dates_and_durations_have_extremes_too():
    df = pd.DataFrame({"s": pd.to_datetime(["2024-01-01", "2024-03-01"]), "e": pd.to_datetime(["2024-01-09"] * 2)})
    assert holds("abs(e - s) <= days(10)", df).tolist() == [True, False]
    assert holds("max(s, e) < '2024-02-01'", df).tolist() == [True, False]
    assert holds("max(s, '2024-02-01') <= '2024-02-01'", df).tolist() == [True, False]


def test_a_comparison_that_always_or_never_holds_depends_on_nulls_alone():
    df = pd.DataFrame({"a": [1.0, np.nan]})
    assert holds("max(a, 0) >= 0", df).tolist() == [True, False]
    assert holds("abs(a) < 0 - 1", df).tolist() == [False, False]
    assert linear_cases(parse_rule("max(a, 0) >= 0"), ">=") is True


def test_malformed_calls_are_errors():
    a = Linear((Term("a"),))
    with pytest.raises(RuleError, match="no function 'sum'"):
        Pieces(Linear(), (Call("sum", (a,)),))
    with pytest.raises(RuleError, match="two or more"):
        maximum(col("a"))
    with pytest.raises(RuleError, match="names no column"):
        ComparePieces(Pieces(Linear(), (Call("abs", (Linear(constant=1),)),)), "<", Linear())
    with pytest.raises(RuleError, match="not a comparison"):
        ComparePieces(Pieces(a, (Call("abs", (a,)),)), "~", Linear())
    with pytest.raises(RuleError, match="is not a date"):
        holds("max(s, 'x') < 'y'", pd.DataFrame({"s": pd.to_datetime(["2024-01-01"])}))
    schema = Schema((Column("a", "categorical", "str", levels=("u", "v")), Column("b", "numeric", "int64")))
    with pytest.raises(RuleError, match="cannot be part of a sum") as caught:
        bind("abs(a - b) < 3", schema)
    assert caught.value.rule == "abs(a - b) < 3"


def test_too_many_cases_are_an_error():
    text = " + ".join(f"abs(a - {i})" for i in range(12)) + " <= 5"
    with pytest.raises(RuleError, match="more than 256 cases"):
        holds(text, frame())
