"""Derived quantities: constant where rows are true, telling where they are not, and of one shape for any rows."""

import pytest

from janus_bench.links.derived import DERIVED
from janus_bench.links.tables import TABLES

ZERO = {
    "rentals": ["total - casual - registered", "month - date month", "weekday - date weekday"],
    "trips": ["total - fare - tip - tolls"],
    "houses": ["living - above - basement"],
    "orders": ["amount - quantity × unit_price", "net - amount + discount", "total - net - tax"],
    "flights": ["departure - scheduled - delay", "scheduled_hhmm - scheduled", "departure_hhmm - departure"],
}


@pytest.mark.parametrize("name", TABLES)
def test_derived_columns_are_new_and_the_same_for_all_rows(name):
    rows = TABLES[name].draw(2_000, [0])
    found = TABLES[name].derived(rows)
    assert list(found)[: rows.shape[1]] == list(rows)
    assert len(found.columns) == rows.shape[1] + len(DERIVED[name](rows))
    shuffled = rows.apply(lambda column: column.sample(frac=1, random_state=1).to_numpy())
    assert list(TABLES[name].derived(shuffled)) == list(found)


@pytest.mark.parametrize("name", ZERO)
def test_what_is_computed_differs_by_nothing(name):
    found = TABLES[name].derived(TABLES[name].draw(2_000, [0]))
    for column in ZERO[name]:
        assert found[column].dropna().abs().max() == 0


def test_quantities_by_hand():
    trips = TABLES["trips"].draw(1_000, [0])
    found = TABLES["trips"].derived(trips)
    first = trips.iloc[0]
    assert found["duration"][0] == (first["dropoff"] - first["pickup"]).seconds
    assert found["tip / fare"][0] == pytest.approx(first["tip"] / first["fare"], abs=1e-4)
    assert found["pickup time"][0] == pytest.approx((first["pickup"] - first["pickup"].normalize()).seconds / 3_600)
    assert (found["tip / fare"] == 0.2).mean() > 0.25
