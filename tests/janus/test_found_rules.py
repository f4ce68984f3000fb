from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, col, datasets, discover, holds
from janus_synth.errors import InfeasibleError, JanusError
from janus_synth.janus.found_rules import find_rules, find_time_orderings, plan_without_conflicts, split_rules
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


@pytest.fixture(scope="module")
def contracts():
    """Contracts with a start, and an end for those that have ended."""
    return datasets.hiring(2_000, random_state=0)[["department", "hired", "start_date", "end_date"]]


def ends_before_it_starts(rows):
    return int((rows["end_date"] < rows["start_date"]).sum())


def test_timestamps_keep_the_order_of_all_rows_by_default(contracts):
    ordered, free = (Janus(links=links, n_trees=2, random_state=0).fit(contracts) for links in ("auto", "rules"))
    assert [str(rule) for rule in ordered.rules_] == ["end_date is null or end_date > start_date"]
    assert free.rules_ == ()
    rows, loose = (model.sample(5_000, random_state=1) for model in (ordered, free))
    assert ends_before_it_starts(rows) == 0
    assert ends_before_it_starts(loose) > 20  # what the rule is for
    ended = contracts["end_date"].notna().mean()
    assert abs(rows["end_date"].notna().mean() - ended) < 5 * np.sqrt(ended * (1 - ended) * (1 / 5_000 + 1 / 2_000))


def test_an_order_that_the_user_or_a_link_states_is_not_found_again(contracts, frame):
    rule = "end_date is null or end_date > start_date"
    assert len(Janus(rules=rule, n_trees=1, random_state=0).fit(contracts).rules_) == 1
    trips = read_table(frame)
    (link,) = (link for link in Janus(n_trees=1).fit(frame).links_ if link.column == "dropoff")
    assert [str(found) for found in find_time_orderings(trips, (), ())] == ["dropoff > pickup"]
    assert find_time_orderings(trips, (link,), ()) == ()


def test_timestamps_in_no_order_get_no_rule():
    """False alarm: 1e-4 per table (``relations.chance``), so more than one in 50 tables has probability 1.2e-5."""
    alarms = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        days = pd.DataFrame(rng.integers(0, 3_000, (300, 3)), columns=["born", "seen", "paid"])
        days["seen"] = days["born"] + rng.normal(400, 150, 300).round().astype(int)  # mostly later: 0.4 % are not
        table = days.apply(lambda cells: pd.Timestamp("2015-01-01") + pd.to_timedelta(cells, unit="D"))
        alarms += len(find_time_orderings(read_table(table), (), ()))
    assert alarms <= 1


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
