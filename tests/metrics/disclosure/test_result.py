from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from janus_synth.metrics.disclosure.result import HIGH_RISK, TITLES, Attack, Disclosure, membership_advantage
from janus_synth.metrics.report import Score

SIZES = {"train": 900, "test": 800, "synthetic": 700}
SAFE = Attack("linkability", 0.101, 0.1, 0.002, 0.001, -0.02, 0.022, 900, 800, 0.4)
SCORE = Score("exact_copies", 0.25, math.nan, None, "share of rows equal to a training row")


def result(*attacks: Attack) -> Disclosure:
    return Disclosure({attack.name: attack for attack in attacks}, {"exact_copies": SCORE}, SIZES)


def leak(name: str = "inference", risk: float = 0.3, **changes) -> Attack:
    numbers = {"risk": risk, "low": risk - 0.05, "high": risk + 0.05, "p_value": 1e-9}
    return replace(SAFE, **{"name": name, **numbers, **changes})


def test_without_leaks_the_verdict_says_what_is_unlikely():
    found = result(SAFE)
    assert (found.level, found.leaks) == ("low", ())
    assert "0.022" in found.verdict


@pytest.mark.parametrize(
    ("attack", "level"),
    [
        (leak(risk=HIGH_RISK), "high"),
        (leak(risk=HIGH_RISK - 0.01), "moderate"),
        (leak(risk=0.0, auc=0.65, auc_high=0.67), "high"),
        (leak(risk=0.0, auc=0.62, auc_high=0.64), "moderate"),
        (leak(risk=0.04, low=0.035, high=0.045), "low"),  # beyond chance, but one in twenty is excluded
        (leak(risk=0.04, low=0.01, high=0.07), "moderate"),  # one in twenty is not excluded
        (leak(risk=0.0, high=0.01, auc=0.52, auc_high=0.54), "low"),
        (leak(risk=0.0, high=0.01, auc=0.55, auc_high=0.57), "moderate"),
        (leak(p_value=0.2), "low"),  # large, but chance explains it
    ],
)
def test_a_leak_is_beyond_chance_and_its_size_decides(attack, level):
    found = result(SAFE, attack)
    assert found.level == level
    assert found.verdict.startswith(level)
    assert (attack.name in found.leaks) == (level != "low")


def test_the_advantage_is_that_of_the_best_threshold():
    """Two normal distributions, one unit apart, by simulation; the standard error is 0.002."""
    rng = np.random.default_rng(0)
    members, others = rng.normal(1, 1, 100_000), rng.normal(0, 1, 100_000)
    auc = float((members > others).mean())
    best = max(float((members > cut).mean() - (others > cut).mean()) for cut in np.linspace(-1, 2, 61))
    assert abs(membership_advantage(auc) - best) < 0.01
    assert math.isnan(membership_advantage(math.nan))


def test_small_leaks_are_mentioned_in_a_low_verdict():
    found = result(SAFE, leak(risk=0.03, low=0.02, high=0.04))
    assert (found.level, found.leaks) == ("low", ())
    assert "inference 0.030" in found.verdict
    assert "0.040" in found.verdict


def test_the_level_of_the_verdict_is_shared_by_all_attacks():
    """0.05 over two attacks is 0.025 each."""
    assert result(SAFE, leak(p_value=0.026)).level == "low"
    assert result(SAFE, leak(p_value=0.025)).level == "high"
    assert result(leak(p_value=0.026)).level == "high"


def test_the_largest_leak_is_named_first_and_rankings_by_their_auc():
    ranking = leak("membership_distance", 0.01, low=-0.01, auc=0.62)
    verdict = result(SAFE, ranking, leak("linkability", 0.2), leak("inference", 0.3)).verdict
    assert "inference 0.300, linkability 0.200, membership_distance (AUC) 0.620" in verdict


def test_the_table_fits_a_narrow_terminal():
    attacks = [replace(leak(name, -0.1), n=99_999, low=-0.123) for name in TITLES]
    text = str(result(*attacks))
    assert max(map(len, text.splitlines())) <= 80
    assert all(name in text for name in [*TITLES, "exact_copies"])
    lines = [line for line in text.splitlines() if "99,999" in line]
    assert len({len(line) for line in lines}) == 1


def test_attacks_are_told_in_plain_words():
    assert SAFE.sentence.endswith("10.1 % for training rows, 10.0 % for unseen rows.")
    assert "says little" in replace(SAFE, success=0.001).sentence
    assert "in 62.0 % of pairs" in leak("membership_distance", auc=0.62).sentence


def test_numbers_go_to_json_and_back():
    found = result(SAFE, leak("membership_distance", auc=0.6)).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["attacks"]["linkability"]["auc"] is None
    assert found["attacks"]["membership_distance"]["auc"] == 0.6
    assert found["scores"]["exact_copies"] == {"value": 0.25, "reference": None, "ideal": None}
    assert (found["level"], found["n_rows"]) == ("high", SIZES)


def test_notebooks_show_a_table():
    html = result(SAFE)._repr_html_()
    assert html.count("<tr") == 2
    assert "<td>linkability</td>" in html


def test_results_are_frozen_and_attacks_are_found_by_name():
    found = result(SAFE)
    assert found["linkability"] is SAFE
    with pytest.raises(FrozenInstanceError):
        found.confidence = 0.5
