"""Hidden columns: measured from the training rows, placed before their column, left unknown where a cell is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.coordinates import Link, Sum, measure_hidden, with_hidden_columns
from janus_synth.coordinates.candidates import clock_links, gap_link
from janus_synth.coordinates.choose import choose_links
from janus_synth.rules import as_rules, bind
from janus_synth.table import read_table

START = pd.to_datetime(["2024-01-01 10:00", "2024-01-03 23:30", None, "2024-01-09 00:00"])
MINUTES = pd.Series([30.0, 45.0, np.nan, np.nan])
FRAME = pd.DataFrame({"start": START, "end": START + pd.to_timedelta(MINUTES, unit="min"), "fee": [1.0, 2.0, 2.0, 3.0]})
GAP = Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start")
COPY = Link("fee", Sum((("base", 1.0),), decimals=0), source="fee (source)", own="fee (own)")


def test_hidden_columns_stand_just_before_their_column():
    table = with_hidden_columns(read_table(FRAME), [GAP])
    assert table.schema.names == ("start", "end - start", "end", "fee")
    np.testing.assert_array_equal(table["end - start"], MINUTES * 60e6)
    assert table.schema["end - start"].kind == "numeric"
    assert table.schema["end - start"].nullable
    assert (table.schema["end - start"].low, table.schema["end - start"].high) == (30 * 60e6, 45 * 60e6)


def test_a_table_without_links_stays_as_it_is():
    table = read_table(FRAME)
    again = with_hidden_columns(table, [])
    assert again.schema == table.schema
    for name in table.columns:
        np.testing.assert_array_equal(again[name], table[name])


def test_sources_are_levels_and_own_values_have_the_kind_of_the_column():
    frame = pd.DataFrame({"base": [1, 2, 3, 4], "fee": [1.0, 9.0, np.nan, 4.0]})
    declared = {name: {"kind": "numeric"} for name in frame}
    table = with_hidden_columns(read_table(frame, declared), [COPY])
    assert table.schema["fee (source)"].levels == ("computed", "own", "null")
    assert table["fee (source)"].tolist() == [0, 1, 2, 0]
    np.testing.assert_array_equal(table["fee (own)"], [np.nan, 9.0, np.nan, np.nan])
    assert table.schema["fee (own)"].nullable
    assert (table.schema["fee (own)"].low, table.schema["fee (own)"].high) == (1.0, 9.0)  # the domain of the column


def test_rows_that_are_not_complete_leave_hidden_columns_missing():
    frame = pd.DataFrame({"base": [1, 2, None], "fee": [1.0, None, 4.0]})
    declared = {name: {"kind": "numeric"} for name in frame}
    table = read_table(frame, declared)
    schema = with_hidden_columns(table, [COPY]).schema
    partial = measure_hidden(table, schema, [COPY], complete=False)
    assert partial["fee (source)"].tolist() == [0, -1, -1]
    assert measure_hidden(table, schema, [COPY])["fee (source)"].tolist() == [0, 2, 1]


def test_hidden_columns_are_left_out_if_an_input_is_not_in_the_table():
    schema = with_hidden_columns(read_table(FRAME), [GAP]).schema
    found = measure_hidden(read_table(FRAME[["end", "fee"]]), schema, [GAP])
    assert set(found.schema.names) == {"end", "fee"}


@pytest.mark.parametrize("taken", [["end - start"], ["end - start", "end - start'"]])
def test_names_of_hidden_columns_never_clash_with_those_of_the_user(taken):
    table = read_table(FRAME.assign(**{name: [1.0, 2.0, 3.0, 4.5] for name in taken}))
    (gap,) = gap_link(table, "end", (("start", 1.0),)).link.hidden
    assert gap not in table.schema.names
    hidden = with_hidden_columns(table, [gap_link(table, "end", (("start", 1.0),)).link])
    assert len(set(hidden.schema.names)) == len(table.schema.names) + 1


def test_names_of_hidden_columns_of_two_links_never_clash():
    """Columns 'a' and 'a (time)' with clocks: the first link's time of day must not take the second's name."""
    n = 200
    rng = np.random.default_rng(0)
    stamps = {name: pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**7, n), unit="s") for name in "ab"}
    frame = pd.DataFrame({"a": stamps["a"], "a (date)": stamps["b"], "a (date)'": rng.normal(size=n)})
    links = list(clock_links(read_table(frame)))
    names = [name for link in links for name in link.hidden]
    assert len(names) == len(set(names)) == 4
    assert not set(names) & set(frame)
    rows = Janus(random_state=0, n_trees=1).fit(frame).sample(20)
    assert list(rows) == list(frame)


def test_gaps_of_two_links_with_the_same_written_name_differ():
    """'c' minus 'b - a' and 'c - b' minus 'a' would both be written 'c - b - a'."""
    rng = np.random.default_rng(0)
    n = 300
    a = 1e6 * rng.random(n)
    columns = {"a": a, "b - a": a + rng.random(n)}
    columns["c"] = columns["b - a"] + rng.random(n)
    columns["c - b"] = columns["a"] + rng.random(n)
    table = read_table(pd.DataFrame(columns))
    rules = [bind(rule, table.schema) for rule in as_rules(["c >= `b - a`", "`c - b` >= a"])]
    links = choose_links(table, rules, find=False)
    names = [name for link in links for name in link.hidden]
    assert len(links) == len(set(names)) == 2
    assert not set(names) & set(columns)
