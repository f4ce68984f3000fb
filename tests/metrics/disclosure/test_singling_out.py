from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import align
from janus_synth.metrics.disclosure.points import Scene, distinct
from janus_synth.metrics.disclosure.singling_out import (
    WINDOW,
    Predicate,
    _count,
    _grow,
    _numbers,
    _rare_values,
    _tables,
    _windows,
    singling_out,
    singling_out_univariate,
)


def scene_of(train, test, synthetic, seed=0) -> Scene:
    seen, unseen, drawn = align(train=train, test=test, synthetic=synthetic)
    return Scene(distinct(drawn), seen, unseen, seen, unseen, 0.95, np.random.default_rng(seed))


def predicate(**bounds) -> Predicate:
    columns, low, high = zip(*((int(name[1:]), *ends) for name, ends in bounds.items()), strict=True)
    return Predicate(np.array(columns), np.array(low), np.array(high))


def test_a_predicate_matches_the_rows_of_a_query(rng):
    table = rng.integers(0, 6, (200, 3)).astype(float)
    found = predicate(c0=(1.0, 4.0), c2=(3.0, 3.0)).matches(table)
    expected = pd.DataFrame(table, columns=["a", "b", "c"]).query("1 <= a <= 4 and c == 3").index
    assert found.tolist() == expected.tolist()


def test_only_predicates_that_match_one_row_succeed_and_shared_rows_count_less():
    table = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0]])
    alone, both, none = predicate(c0=(1.0, 1.0)), predicate(c1=(0.0, 0.0)), predicate(c0=(9.0, 9.0))
    assert _count([alone, both, none], table).rate == pytest.approx(1 / 3)
    assert _count([alone, predicate(c0=(0.0, 1.5))], table).design_effect == 2.0
    assert _count([alone, predicate(c0=(3.0, 3.0))], table).design_effect == 1.0
    assert _count([], table).trials == 0


def test_a_grown_predicate_matches_its_synthetic_row_alone(made):
    scene = scene_of(*made("fresh", 1))
    tables = _tables(scene)
    rows = np.arange(50)
    low, high = _windows(tables, rows)
    grown = [_grow(tables.synthetic, low[i], high[i], scene.rng) for i in rows]
    assert sum(one is not None for one in grown) > 40
    assert all(one.matches(tables.synthetic).tolist() == [i] for i, one in enumerate(grown) if one is not None)


def test_rows_without_a_distinction_have_no_predicate():
    table = np.array([[1.0, 2.0], [1.0, 2.0]])
    assert _grow(table, table[0], table[0], np.random.default_rng(0)) is None


def test_windows_hold_their_share_of_numbers_and_one_level(made):
    scene = scene_of(*made("fresh", 2, n=1000))
    tables = _tables(scene)
    low, high = _windows(tables, np.arange(1000))
    pay, school, score = (scene.synthetic.names.index(name) for name in ("pay", "school", "score"))
    inside = (tables.synthetic[None, :, pay] >= low[:, None, pay]) & (
        tables.synthetic[None, :, pay] <= high[:, None, pay]
    )
    assert np.median(inside.mean(axis=1)) == pytest.approx(WINDOW, abs=0.003)
    assert (low[:, school] == high[:, school]).all()
    missing = np.isinf(tables.synthetic[:, score])
    assert (high[missing, score] == -np.inf).all()
    assert np.isfinite(low[~missing, score]).all()


def test_predicates_of_one_column_are_extremes_and_values_that_occur_once():
    frame = pd.DataFrame({"x": [1.5, 2.5, 2.5, 7.5], "c": ["a", "a", "b", "a"]})
    scene = scene_of(frame, frame, frame)
    tables = _tables(scene)
    assert [(p.low[0], p.high[0]) for p in _rare_values(tables, 0)][2:] == [(1.5, 1.5), (7.5, 7.5)]
    largest, smallest = list(_rare_values(tables, 0))[:2]
    assert largest.matches(np.array([[7.0], [7.5], [9.0]])).tolist() == [1, 2]
    assert smallest.matches(np.array([[1.0], [7.5], [-np.inf]])).tolist() == [0]
    assert [p.low[0] for p in _rare_values(tables, 1)] == [1.0]


def test_missing_numbers_match_themselves_only():
    (rows,) = align(table=pd.DataFrame({"x": [1.5, np.nan, 2.5]}))
    table = _numbers(rows)
    assert predicate(c0=(-np.inf, -np.inf)).matches(table).tolist() == [1]
    assert predicate(c0=(-np.finfo(float).max, 9.0)).matches(table).tolist() == [0, 2]


@pytest.mark.parametrize("attack", [singling_out, singling_out_univariate])
def test_copies_are_singled_out_and_fresh_rows_are_not(made, attack):
    copied, new = (attack(scene_of(*made(name, 3)), 300) for name in ("bootstrap", "fresh"))
    assert copied.attack.rate > 0.8
    assert copied.control.rate < 0.2
    # Two shares of 300 differ by less than 0.15 except once in 10⁴ runs at the worst rate.
    assert abs(new.attack.rate - new.control.rate) < 0.15


def test_a_table_of_levels_has_guesses_too():
    frame = pd.DataFrame({"c": list("aabbbcd") * 9, "d": list("xyz") * 21})
    outcome = singling_out_univariate(scene_of(frame, frame, pd.DataFrame({"c": ["a", "d"], "d": ["x", "x"]})), 50)
    assert outcome.attack.trials == 2
    assert 0 <= outcome.baseline <= 1
