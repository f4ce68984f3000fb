"""How many rows a value needs, by the size of the table."""

from __future__ import annotations

from janus_synth.identities.thresholds import LEAST_ROWS, least_rows


def test_tables_of_a_few_rows_keep_everything():
    assert [least_rows(n) for n in (0, 1, 19)] == [1, 1, 1]


def test_no_unique_value_is_kept_from_twenty_rows_on():
    assert least_rows(20) == 2


def test_the_threshold_grows_with_the_rows_up_to_its_full_size():
    found = [least_rows(n) for n in range(2_000)]
    assert found == sorted(found)
    assert found[-1] == least_rows(10**9) == LEAST_ROWS
