"""Results of the demo: rules hold, rare rows are rare, and shares are counted as they are named."""

from __future__ import annotations

import pandas as pd
import pytest

from demo.small_demo import small_results
from janus_synth import holds
from janus_synth.demo.results import GIVEN_RULES, RARE_ROWS, measure_time, share_of_complete_rows, share_satisfying


def test_given_rules_hold_in_every_row_and_rare_rows_are_rare():
    results = small_results()
    for rule in GIVEN_RULES:
        assert holds(rule, results.ruled.rows).all()
    assert results.ruled.rule_shares[0].train < 0.95
    assert all(shares.with_rules == 1.0 for shares in results.ruled.rule_shares)
    rare = results.rare
    assert holds(rare.where, rare.rows).all()
    assert rare.met == 1.0
    assert 0 < rare.share.low <= rare.share.value <= rare.share.high < 0.02
    assert rare.n_by_rejection == pytest.approx(RARE_ROWS / rare.share.value)
    assert rare.n_train == holds(rare.where, results.train).sum()
    assert "experience" in results.impossible.reason
    assert results.impossible.conflict


def test_shares_count_complete_rows_only():
    frame = pd.DataFrame(
        {
            "start_date": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
            "end_date": pd.to_datetime(["2020-01-02", None, "2020-01-01"]),
        }
    )
    assert share_of_complete_rows(frame, "end_date > start_date") == 0.5
    assert share_of_complete_rows(frame[1:2], "end_date > start_date") != share_of_complete_rows(
        frame[1:2], "end_date > start_date"
    )


def test_scores_are_about_the_tables_of_the_results():
    results = small_results()
    assert len(results.train) == len(results.held_out) == len(results.synthetic) == 300
    assert results.report.n_rows == {"train": 300, "test": 300, "synthetic": 300}
    assert list(results.synthetic) == list(results.train)
    for rule in results.learnt_rules:
        assert rule.synthetic == share_of_complete_rows(results.synthetic, rule.text)
        assert rule.real == share_of_complete_rows(results.held_out, rule.text)
    for shares in results.ruled.rule_shares:
        assert shares.train == share_satisfying(results.train, shares.text)


def test_decision_rules_are_leaves_of_the_tree_that_is_shown():
    results = small_results()
    explanation = results.janus.explain(results.report.target, most=None)
    assert results.n_leaves == explanation.n_leaves
    assert set(results.decisions) <= set(explanation.rules)
    lengths = [len(rule.conditions) for rule in results.decisions]
    assert lengths == sorted(lengths)
    for length in set(lengths):
        largest = max(rule.n_rows for rule in explanation.rules if len(rule.conditions) == length)
        assert max(rule.n_rows for rule in results.decisions if len(rule.conditions) == length) == largest


def test_a_result_comes_with_its_time():
    result, seconds = measure_time(lambda: 7)
    assert result == 7
    assert 0 <= seconds < 1
