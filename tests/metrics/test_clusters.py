import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import delta_presence, k_anonymity


def test_a_table_compared_with_itself_has_no_disclosure_risk(draw):
    frame = draw(400)
    assert delta_presence(frame, frame) == 1.0


def test_a_cluster_that_is_avoided_shows(rng):
    near, far = rng.normal(size=300), 40 + rng.normal(size=100)
    real = pd.DataFrame({"x": np.concatenate([near, far])})
    thinned = pd.DataFrame({"x": np.concatenate([near, near[:80] + 0.01, far[:20]])})
    # 100 real rows beside 20 synthetic ones where the far cluster is one of them: five at least.
    assert delta_presence(real, thinned) >= 5.0
    assert delta_presence(real, pd.DataFrame({"x": np.concatenate([near, near[:100]])})) >= 33.0


def test_groups_of_equal_rows_are_counted_out():
    frame = pd.DataFrame({"c": ["a"] * 20 + ["b"] * 7 + ["d"] * 40, "x": [1.5] * 67})
    assert k_anonymity(frame) == 7.0
    assert k_anonymity(frame.sample(frac=1, random_state=0)) == 7.0


def test_a_row_far_from_all_others_stands_alone(rng):
    frame = pd.DataFrame({"c": ["a"] * 500 + ["b"], "d": ["e"] * 500 + ["f"], "x": rng.normal(size=501)})
    assert k_anonymity(frame) == 1.0


def test_one_seed_means_one_score(draw):
    real, made = draw(300), draw(300)
    assert delta_presence(real, made, most_rows=100) == delta_presence(real, made, most_rows=100)
    assert k_anonymity(real, most_rows=100) == k_anonymity(real, most_rows=100)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_rows_have_scores_as_well(draw, n):
    assert delta_presence(draw(n), draw(n)) >= 1.0
    assert 1.0 <= k_anonymity(draw(n)) <= n


def test_nulls_are_no_obstacle(draw):
    frame = draw(60).astype(object)
    frame.iloc[::3] = None
    assert delta_presence(frame, frame) == 1.0
