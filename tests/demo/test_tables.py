"""Tables of the demo show what they were given, on the page and on the console."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from rich.console import Console

from janus_synth.demo.tables import Table, facts_table, format_cell, score_table, transpose_rows, transposed_table


def printed(table, width=60):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(table)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.50, "1.5"), (2.0, "2"), (0.126, "0.13"), (7, "7"), ("yes", "yes"), (None, ""),
        (float("nan"), ""), (pd.NaT, ""),
        (pd.Timestamp("2024-03-01"), "2024-03-01"), (pd.Timestamp("2024-03-01 08:30"), "2024-03-01 08:30:00"),
    ],
)  # fmt: skip
def test_cells_are_short(value, text):
    assert format_cell(value) == text


def test_rows_are_printed_on_their_side_and_nulls_say_so():
    table = transpose_rows(pd.DataFrame({"age": [31, 45], "score": [1.5, None]}), 2)
    lines = printed(transposed_table(table))
    assert [line.split() for line in lines] == [["age", "31", "45"], ["score", "1.5", "null"]]


def test_all_columns_of_a_table_are_printed():
    lines = printed(Table(["", "row 1"], [["age", "31"], ["city", ""]]))
    assert [line.split() for line in lines] == [["row", "1"], ["age", "31"], ["city", "null"]]


def test_scores_keep_their_columns_in_a_narrow_window():
    table = Table(
        ["score", "value", "meaning"], [["detection", "0.55", "the words of this meaning take several lines"]]
    )
    lines = printed(score_table(table), width=36)
    assert len(lines) > 2
    assert lines[1].split()[:2] == ["detection", "0.55"]


def test_facts_stand_beside_their_meanings():
    assert [line.split() for line in printed(facts_table([("2,000", "rows"), ("15", "columns")]))] == [
        ["2,000", "rows"],
        ["15", "columns"],
    ]
