from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.relations import Lookup
from janus_synth.relations.lookups import FEW_ROWS, _is_function, _joined, compare_rows
from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(4)


def lookups(frame, **options):
    return {relation.detail for relation in found(frame, "lookup", **options)}


def test_a_chain_of_places(random):
    store = random.integers(0, 30, 900)
    frame = pd.DataFrame({"store": store, "city": [f"city {s % 11}" for s in store]})
    frame["country"] = frame.city.map({f"city {i}": "ABC"[i % 3] for i in range(11)})
    frame["visits"] = random.poisson(9, 900)
    frame = with_nulls(frame, ["city"], 0.1, random)
    assert lookups(frame) == {
        Lookup("city", ("store",)),
        Lookup("country", ("city",)),
        Lookup("country", ("store",)),
    } - {Lookup("country", ("store",))}
    relation = next(r for r in found(frame, "lookup") if r.columns == ("city", "store"))
    assert relation.support == len(complete(frame, "city", "store"))
    assert relation.rule == "fixed_combinations(store, city)"
    assert complete(frame, "city", "store").groupby("store").city.nunique().max() == 1


def test_both_directions_are_one_relation(random):
    level = random.integers(0, 8, 400)
    frame = pd.DataFrame({"number": level + 1, "name": [f"level {k}" for k in level], "x": random.normal(size=400)})
    assert lookups(frame) == {Lookup("number", ("name",), one_to_one=True)}


def test_a_numeric_column_of_a_boolean_key(random):
    member = random.random(300) < 0.5
    frame = pd.DataFrame({"member": member, "fee": np.where(member, 9.5, 12.25), "x": random.normal(size=300)})
    (detail,) = lookups(frame)
    assert set(detail.keys) | {detail.column} == {"member", "fee"}


def test_a_pair_of_keys(random):
    n = 1500
    frame = pd.DataFrame({"size": random.choice(list("SML"), n), "color": random.choice(["red", "blue", "grey"], n)})
    prices = {pair: 10 + i * i for i, pair in enumerate(sorted(set(zip(frame["size"], frame.color, strict=True))))}
    frame["price"] = [prices[pair] for pair in zip(frame["size"], frame.color, strict=True)]
    frame["sold"] = random.poisson(5, n)
    details = lookups(frame)
    assert (
        Lookup("price", ("size", "color")) in details
        or {
            Lookup("size", ("price",)),
            Lookup("color", ("price",)),
        }
        <= details
    )


def test_a_second_key_that_only_tells_one_row_apart_is_none(random):
    """The rate all but gives the grade, and a visit count that no other row of its rate has seems to give the rest."""
    n = 4_000
    rate = random.integers(0, 40, n)
    frame = pd.DataFrame({"rate": rate, "visits": random.geometric(0.3, n), "grade": [f"grade {k // 8}" for k in rate]})
    alone = frame[frame.rate == 8].drop_duplicates("visits", keep=False).index[0]
    frame.loc[alone, "grade"] = "grade 0"
    assert frame.groupby(["rate", "visits"]).grade.nunique().max() == 1
    assert lookups(frame) == set()


def test_a_pair_of_keys_that_cannot_be_inverted(random):
    n = 2000
    frame = pd.DataFrame({"row": random.integers(0, 5, n), "seat": random.integers(0, 6, n)})
    frame["zone"] = np.array(list("ABC"))[(frame.row * 7 + frame.seat * frame.seat) % 3]
    assert lookups(frame) == {Lookup("zone", ("row", "seat"))}


def test_nearly_unique_keys_are_no_lookup(random):
    key = random.integers(0, 5000, 6000)
    frame = pd.DataFrame({"key": key, "value": key % 7})
    assert lookups(frame) == set()


def test_a_nearly_constant_column_is_no_lookup(random):
    frame = pd.DataFrame({"key": random.integers(0, 20, 400), "rare": 0})
    frame.loc[frame.index[frame.key == 3][:1], "rare"] = 1
    frame.loc[frame.key == 3, "key"] = [3, *random.integers(4, 20, (frame.key == 3).sum() - 1)]
    assert lookups(frame) == set()


def test_keys_that_repeat_only_beyond_the_sample(random):
    key = random.integers(0, 3000, 60_000)
    frame = pd.DataFrame({"key": key, "value": random.normal(size=3000)[key], "x": random.normal(size=60_000)})
    assert lookups(frame, max_rows=5000) == {Lookup("value", ("key",), one_to_one=True)}


def test_one_broken_row_is_enough_to_reject(random):
    key = random.integers(0, 20, 30_000)
    frame = pd.DataFrame({"key": key, "value": (key * key) % 7})
    frame.loc[5, "value"] += 1
    assert lookups(frame, max_rows=500) == set()


@pytest.mark.parametrize("n_values", [4, 3_000], ids=["marked", "sorted"])
def test_pairs_are_numbered_by_both_codes(random, n_values):
    one, other = (random.integers(-1, n_values, 400) for _ in range(2))
    pairs = _joined(one, other)
    assert (pairs == -1).tolist() == ((one < 0) | (other < 0)).tolist()
    known = {}
    for a, b, pair in zip(one[pairs >= 0], other[pairs >= 0], pairs[pairs >= 0], strict=True):
        assert known.setdefault(int(pair), (a, b)) == (a, b)
    assert len(set(known.values())) == len(known)
    assert _joined(np.full(5, -1), np.arange(5)).tolist() == [-1] * 5


def test_all_columns_at_once_are_functions_where_each_alone_is(random):
    key = random.integers(-1, 6, 60)
    columns = {
        "key": key,
        "third": np.where(key < 0, -1, key % 3),
        "noise": random.integers(-1, 3, 60),
        "odd": np.where(key % 2, -1, key),
        "same": np.full(60, 7),
    }
    expected = [name for name, column in columns.items() if _is_function(key, column)]
    assert compare_rows(columns).functions("key") == expected == ["key", "third", "odd", "same"]


@pytest.mark.parametrize("n_rows", [0, 1, 12, FEW_ROWS, 3 * FEW_ROWS])
def test_all_columns_at_once_are_functions_of_two_keys_in_the_first_rows(random, n_rows):
    names = [f"c{i}" for i in range(8)]
    columns = {name: random.integers(-1, 4, n_rows) for name in names}
    columns["sum"] = np.where((columns["c0"] < 0) | (columns["c1"] < 0), -1, columns["c0"] + columns["c1"])
    pairs = compare_rows(columns)
    for one, other in (("c0", "c1"), ("c2", "c5")):
        key = _joined(columns[one][:FEW_ROWS], columns[other][:FEW_ROWS]) if n_rows else np.zeros(0, int)
        for name, column in columns.items():
            rows = (key >= 0) & (column[:FEW_ROWS] >= 0)
            groups = pd.Series(column[:FEW_ROWS][rows]).groupby(key[rows]).nunique()
            assert (name in pairs.functions(one, other)) == bool((groups <= 1).all())


def test_a_lookup_by_fine_numbers_is_no_rule():
    """Further rows have hours that no row had so far; known combinations as a rule would forbid them."""
    rng = np.random.default_rng(0)
    hours = (rng.normal(39, 4, 3_000) * 4).round() / 4
    frame = pd.DataFrame({"hours": hours, "regular": np.minimum(hours, 40.0), "grade": rng.integers(1, 5, 3_000)})
    frame["bonus"] = frame.grade.map({1: 7.0, 2: 7.0, 3: 20.0, 4: 90.0})
    rules = {str(relation): relation.rule for relation in found(frame, "lookup")}
    assert rules["regular is determined by hours"] == ""
    assert rules["bonus is determined by grade"] == "fixed_combinations(grade, bonus)"
    model = Janus(rules="discover", random_state=0).fit(frame)
    fresh = (rng.normal(39, 4, 20_000) * 4).round() / 4
    unseen = ~np.isin(fresh, hours)
    assert unseen.mean() > 0.0005
    drawn = model.sample(20_000, random_state=0).hours
    assert (~np.isin(drawn, hours)).mean() > 0.0005
