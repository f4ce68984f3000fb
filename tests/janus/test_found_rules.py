from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, col, datasets, discover, holds
from janus_synth.errors import InfeasibleError, JanusError
from janus_synth.janus.found_rules import find_rules, plan_without_conflicts, split_rules
from janus_synth.rules import parse_rule
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def frame():
    return datasets.trips(400, random_state=0)


@pytest.mark.parametrize(
    ("rules", "written", "finds"),
    [
        (None, 0, False),
        ("age >= 18", 1, False),
        (col("age") >= 18, 1, False),
        ("discover", 0, True),
        ([" discover "], 0, True),
        (["age >= 18", "discover", col("x") < 3], 2, True),
        ([], 0, False),
    ],
)
def test_the_word_is_told_from_rules(rules, written, finds):
    found, finds_rules = split_rules(rules)
    assert (len(found), finds_rules) == (written, finds)


def test_found_rules_are_those_of_discover_and_hold_in_generated_rows(frame):
    model = Janus(rules="discover", n_trees=1, random_state=0).fit(frame)
    found = discover(frame).rules
    assert len(found) >= 5
    assert len(model.rules_) == len(found)
    rows = model.sample(300, random_state=1)
    for rule in model.rules_:
        assert holds(rule, rows).all(), rule


def test_written_rules_come_first_and_once(frame):
    model = Janus(rules=["total == fare + tip + tolls", "passengers <= 6", "discover"], n_trees=1, on_violation="drop")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # passengers may be missing
        model.fit(frame)
    texts = [str(rule) for rule in model.rules_]
    assert texts[:2] == ["total == fare + tip + tolls", "passengers <= 6"]
    assert texts.count("total == fare + tip + tolls") == 1
    assert len(texts) > 4


def test_without_the_word_no_rule_is_found(frame):
    assert Janus(n_trees=1).fit(frame).rules_ == ()


@pytest.mark.parametrize("links", ["auto", "rules", "off"])
def test_found_rules_never_stop_a_fit(links):
    """Tables with constants, nulls in whole columns, duplicates and equal columns suggest odd rules."""
    rng = np.random.default_rng(1)
    n = 120
    x = rng.integers(0, 5, n)
    table = pd.DataFrame(
        {
            "x": x,
            "same": x,
            "constant": 7,
            "empty": np.full(n, np.nan),
            "half": np.where(x > 2, np.nan, 1.5 * x),
            "level": pd.Series(x).map(str),
            "flag": x > 2,
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Janus(rules="discover", links=links, n_trees=1, random_state=0).fit(table)
        rows = model.sample(50, random_state=0)
    for rule in model.rules_:
        assert holds(rule, rows).all(), rule


def test_a_rule_is_used_only_if_it_holds_in_all_rows(frame):
    table = read_table(frame)
    known = tuple(find_rules(table, ()))
    assert find_rules(table, known) == ()


def test_a_found_rule_that_clashes_is_left_out_with_a_warning(frame):
    model = Janus(rules=["total >= 0", "tip >= 0"], n_trees=1, random_state=0).fit(frame).model_
    total, tip = model.rules

    def plan(candidate):
        if tip in candidate.rules:
            raise InfeasibleError("clash", conflict=[str(tip)])
        return "plan"

    with pytest.warns(UserWarning, match="'tip >= 0'"):
        kept, made = plan_without_conflicts(model, [tip], plan)
    assert (kept.rules, made) == ((total,), "plan")


def test_an_error_about_written_rules_is_raised(frame):
    model = Janus(rules="total >= 0", n_trees=1, random_state=0).fit(frame).model_

    def plan(candidate):
        raise JanusError("too hard")

    with pytest.raises(JanusError, match="too hard"):
        plan_without_conflicts(model, [], plan)
    with pytest.warns(UserWarning, match="not used"), pytest.raises(JanusError, match="too hard"):
        plan_without_conflicts(model, [parse_rule("tip >= 0")], plan)
