"""One column at a glance: shares, ends and shapes agree with counts made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.profile.columns import histogram, profile_column
from janus_synth.table import read_table


def look(values, **fields):
    table = read_table(pd.DataFrame({"x": values}), {"x": fields} if fields else None)
    return profile_column(table, table.schema["x"])


def test_numbers_have_ends_a_median_and_a_histogram():
    found = look([1.0, 2.0, 3.0, 10.0, None])
    assert (found.low, found.middle, found.high) == ("1", "3", "10")
    assert (found.missing, found.n_distinct, sum(found.counts)) == (0.2, 4, 4)
    assert found.values == "1 … 3 … 10"


def test_values_are_shown_in_the_format_of_the_column():
    found = look(["$1,000", "$5", "$20"], kind="numeric")
    assert (found.low, found.high, found.format) == ("$5", "$1,000", "$#,##0")
    assert look(["Y", "N", "Y"], kind="boolean").levels == ("Y", "N")


def test_the_most_frequent_levels_come_first_and_the_rest_is_counted():
    found = look(list("aaabbcdefgh"))
    assert found.levels[:2] == ("a", "b")
    assert len(found.levels) == 6
    assert sum(found.counts) == 11
    assert found.values.startswith("a 27%, b 18%")


def test_identifiers_and_empty_columns_are_described():
    assert look([f"u{i}" for i in range(30)]).values == "not learnt, new ones like u{30}"
    assert look([None, None]).values == "only nulls"


@pytest.mark.parametrize("cells", [np.full(9, 3.0), np.arange(100.0), np.append(np.arange(100.0), 1e9)])
def test_a_histogram_counts_every_value(cells):
    assert sum(histogram(cells)) == len(cells)


def test_far_values_do_not_flatten_a_histogram():
    assert sum(count > 0 for count in histogram(np.append(np.arange(1000.0), 1e9))) > 10
