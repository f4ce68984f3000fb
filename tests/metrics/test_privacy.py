import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import closer_to_train, distance_to_train, exact_copies


@pytest.mark.statistical
def test_fresh_rows_lie_as_near_to_either_half(draw):
    n = 2000
    share = closer_to_train(draw(n), draw(n), draw(n))
    # A fair coin per row has sd 0.011; rows that share neighbours move together, which at most triples it.
    # 0.5 ± 0.1 raises a false alarm less than once in 10⁶ runs and detects the 0.65 of a method that copies rows.
    assert abs(share - 0.5) <= 0.1


def test_copies_of_the_training_rows_are_nearer_to_them(draw):
    train, test = draw(500), draw(500)
    assert closer_to_train(train, test, train) > 0.98
    assert closer_to_train(train, test, test) < 0.02


def test_slightly_perturbed_copies_are_caught(draw, rng):
    train, test = draw(500), draw(500)
    assert closer_to_train(train, test, train.assign(x=train.x + 1e-3 * rng.normal(size=500))) > 0.95


def test_rows_that_both_halves_hold_count_half():
    frame = pd.DataFrame({"c": ["a", "b"] * 50, "x": [1.5] * 100})
    assert closer_to_train(frame, frame, frame[:7]) == 0.5


def test_the_larger_half_has_no_advantage(draw):
    share = closer_to_train(draw(3000), draw(300), draw(600))
    assert abs(share - 0.5) < 0.15


def test_one_seed_means_one_share(draw):
    tables = draw(300), draw(200), draw(250)
    assert closer_to_train(*tables, most_rows=100) == closer_to_train(*tables, most_rows=100)


def test_rows_far_outside_are_no_obstacle(draw):
    assert 0.0 <= closer_to_train(draw(100), draw(100), draw(50).assign(x=1e12)) <= 1.0


def test_copies_are_counted_by_all_columns():
    train = pd.DataFrame({"x": [1.5, 2.5, np.nan], "c": ["a", "b", None]})
    synthetic = pd.DataFrame({"x": [1.5, 1.5, np.nan, 2.5], "c": ["a", "b", None, "new"]})
    assert exact_copies(train, synthetic) == 0.5


def test_copies_are_those_of_a_set_of_tuples(rng):
    def table(n):
        return pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.choice(list("xyz"), n), "c": rng.random(n) < 0.5})

    train, synthetic = table(15), table(40)
    rows = {tuple(row) for row in train.itertuples(index=False)}
    expected = np.mean([tuple(row) in rows for row in synthetic.itertuples(index=False)])
    assert exact_copies(train, synthetic) == pytest.approx(expected)


def test_identifiers_do_not_hide_copies():
    train = pd.DataFrame({"id": [f"a-{i:03}" for i in range(40)], "x": np.arange(40) / 3})
    synthetic = train.assign(id=[f"b-{i:03}" for i in range(40)])
    assert exact_copies(train, synthetic) == 1.0


def test_distance_is_nought_for_copies_and_that_of_the_nearest_row_otherwise():
    train = pd.DataFrame({"x": [0.5, 10.5, 20.5], "c": ["a", "a", "b"]})
    assert distance_to_train(train, train) == 0.0
    # Ranks of a pool of four numbers are 1/8, 3/8, 5/8, 7/8; the level is that of the nearest.
    rows = pd.DataFrame({"x": [12.5], "c": ["a"]})
    assert distance_to_train(train, rows) == pytest.approx(0.25)


def test_fresh_rows_are_farther_than_perturbed_copies(draw, rng):
    train = draw(500)
    near = distance_to_train(train, train.assign(x=train.x + 1e-3 * rng.normal(size=500)))
    assert near < 0.5 * distance_to_train(train, draw(500))
