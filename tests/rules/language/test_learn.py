"""Known combinations from training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import RuleError
from janus_synth.rules import bind, holds, learn, parse_rule
from janus_synth.rules.language.learn import count_unexcluded
from janus_synth.table import read_table


def test_combinations_are_learnt_from_a_table():
    frame = pd.DataFrame({"city": ["Rome", "Oslo", None, "Rome"], "n": [1.5, np.nan, 2, 1.5]})
    table = read_table(frame)
    rule = parse_rule("fixed_combinations(city, n) or n is null")
    known = learn(rule, frame)
    assert str(known) == "fixed_combinations(city, n, [[None, 2], ['Oslo', None], ['Rome', 1.5]]) or n is null"
    assert parse_rule(str(known)) == known
    assert bind(rule, table.schema, table).test == bind(known, table.schema).test


def test_the_rows_that_were_learnt_from_satisfy_the_rule():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 4, (3, 200))
    frame = pd.DataFrame(
        {
            "a": pd.Series(np.array(["Rome", "Oslo", "Bonn", None], object)[cells[0]]),
            "b": np.where(cells[1] == 3, np.nan, 0.1 * cells[1]),
            "c": pd.Timestamp("2024-01-01") + pd.to_timedelta(cells[2], unit="D"),
        }
    )
    rule = learn("fixed_combinations(a, b, c)", frame[:40])
    known = {tuple(row) for row in frame[:40].astype(str).to_numpy()}
    expected = [tuple(row) in known for row in frame.astype(str).to_numpy()]
    assert holds(rule, frame).tolist() == expected
    assert len(rule.rows) == len(known)


def test_rules_without_open_combinations_stay_as_they_are():
    frame = pd.DataFrame({"x": [1, 2]})
    rule = parse_rule("x > 1 and fixed_combinations(a, b, [[1, 2]])")
    assert learn(rule, frame) is rule


def test_identifiers_have_no_known_combinations():
    frame = pd.DataFrame({"key": [f"K-{i:04d}" for i in range(50)], "x": range(50)})
    with pytest.raises(RuleError, match="rules cannot use identifiers"):
        learn("fixed_combinations(key, x)", read_table(frame))


def test_combinations_of_few_rows_are_left_out_if_the_others_are_most_rows():
    pairs = [("a", "x")] * 60 + [("b", "y")] * 60 + [("a", "y")] * 2
    frame = pd.DataFrame(pairs, columns=["p", "q"])
    assert learn("fixed_combinations(p, q)", frame, least=5).rows == (("a", "x"), ("b", "y"))
    assert len(learn("fixed_combinations(p, q)", frame).rows) == 3


def test_all_combinations_stay_if_most_rows_have_rare_ones():
    frame = pd.DataFrame({"p": [f"p{i % 20}" for i in range(60)], "q": [f"q{i % 7}" for i in range(60)]})
    assert len(learn("fixed_combinations(p, q)", frame, least=5).rows) == 60


FEW = "fixed_combinations(city, country)"


@pytest.mark.parametrize(
    ("text", "n_unexcluded"),
    [
        (FEW, 0),
        (f"not {FEW}", 2),
        (f"not (not {FEW})", 0),
        (f"implies({FEW}, n > 1)", 2),
        (f"implies(n > 1, {FEW})", 0),
        (f"n > 1 or (n < 0 and not {FEW})", 2),
        (f"iff({FEW}, n > 1)", 2),
        (f"not {FEW} and implies({FEW}, n > 1)", 2),
        (f"not {FEW[:-1]}, [['Rome', 'Italy']])", 0),
    ],
)
def test_combinations_that_a_negation_no_longer_excludes_are_counted(text, n_unexcluded):
    cities, countries = ["Rome"] * 60 + ["Oslo", "Bonn", "Bonn"], ["Italy"] * 60 + ["Norway", "Germany", "Germany"]
    table = read_table(pd.DataFrame({"city": cities, "country": countries, "n": np.arange(63.0)}))
    assert count_unexcluded(text, table, least=5) == n_unexcluded
    assert count_unexcluded(text, table, least=1) == 0
