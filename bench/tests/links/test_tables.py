"""Relations of the tables with computed columns: they hold in true rows, and broken rows are counted."""

from functools import cache

import pandas as pd
import pytest

from janus_bench.links.tables import TABLES, columns_of, satisfies

N = 3_000


@cache
def truth(name: str) -> pd.DataFrame:
    return TABLES[name].draw(N, [0])


@pytest.mark.parametrize("name", TABLES)
def test_true_rows_keep_every_relation(name):
    fresh = TABLES[name].draw(500, [1])
    assert set(TABLES[name].kept(fresh, truth(name)).values()) == {1.0}


BROKEN = {
    "month of date": ("rentals", "month"),
    "weekday of date": ("rentals", "weekday"),
    "working day of date": ("rentals", "working_day"),
    "casual + registered == total": ("rentals", "total"),
    "amount = quantity × unit price": ("orders", "amount"),
    "discount = share of amount": ("orders", "discount"),
    "tax = 7 % or 19 % of net": ("orders", "tax"),
    "fixed_combinations(product, name, category)": ("orders", "name"),
    "scheduled_hhmm of scheduled": ("flights", "scheduled_hhmm"),
    "departure_hhmm of departure": ("flights", "departure_hhmm"),
    "no nulls unless cancelled": ("flights", "air_time"),
    "fixed_combinations(zip, city)": ("houses", "city"),
}


@pytest.mark.parametrize(("relation", "where"), BROKEN.items(), ids=lambda part: str(part))
def test_a_shuffled_column_breaks_its_relation(relation, where):
    name, column = where
    shuffled = truth(name)[column].sample(frac=1, random_state=0).to_numpy()
    kept = TABLES[name].kept(truth(name).assign(**{column: shuffled}), truth(name))
    assert kept[relation] < 0.985  # few flights are cancelled
    assert relation in TABLES[name].rules or relation in TABLES[name].relations


def test_every_relation_beyond_the_rules_is_broken_by_some_column():
    beyond = {relation for table in TABLES.values() for relation in table.relations}
    assert beyond <= set(BROKEN)


def test_a_lookup_allows_the_combinations_of_the_truth():
    known = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    rows = pd.DataFrame({"a": ["x", "x", "y"], "b": [1, 2, 2]})
    assert satisfies("fixed_combinations(a, b)", rows, known).tolist() == [True, False, True]
    assert satisfies("b == 2", rows, known).tolist() == [False, True, True]


def test_columns_of_rules_are_found_by_their_names():
    assert columns_of(TABLES["rentals"].rules, truth("rentals")) == {
        "casual", "registered", "total", "month", "season", "weekday", "working_day",
    }  # fmt: skip


def test_seeds_give_independent_rows():
    first, again, other = (TABLES["houses"].draw(50, seed) for seed in ([0, 1], [0, 1], [0, 2]))
    assert first.equals(again)
    assert not first.equals(other)
