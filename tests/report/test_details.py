"""Details: which pairs have one, under which key, and with which numbers."""

from __future__ import annotations

from itertools import combinations

import pytest

from janus_synth.plots.marginals import column_pairs
from janus_synth.report import details
from janus_synth.report.details import N_OF_A_COLUMN, Details, Opener
from janus_synth.report.findings import ColumnFinding, PairFinding
from report.test_findings import findings


def made(n_columns: int) -> Details:
    names = [f"x{i}" for i in range(n_columns)]
    columns = [ColumnFinding(name, "numeric", 0.1, 0.1, 0.1, 0.0, 0.0) for name in reversed(names)]
    pairs = [PairFinding(a, b, "r", 0.0, 1 / (1 + k)) for k, (a, b) in enumerate(combinations(names, 2))]
    return Details(columns, pairs, names)


def test_a_map_shows_whole_pairs_only_and_no_more_columns_than_fit(monkeypatch):
    monkeypatch.setattr(details, "N_DRAWN_TOGETHER", 3)
    assert made(6).drawn == ("x0", "x1", "x2")


def test_pairs_of_the_map_and_some_of_every_column_have_a_detail():
    few, many = made(5), made(60)
    assert len(few.shown) == 10
    of_column = {name: [pair for pair in many.shown if name in (pair.first, pair.second)] for name in many.order}
    assert min(map(len, of_column.values())) >= N_OF_A_COLUMN
    in_map = {frozenset(pair) for pair in combinations(many.drawn, 2)}
    assert in_map <= {frozenset((pair.first, pair.second)) for pair in many.shown}
    assert len(many.shown) <= details.MOST_PAIRS


def test_names_open_their_detail_if_there_is_one():
    few = made(3)
    assert few.open_columns("x2") == Opener("x2", "column-0")  # the worst column comes first
    assert few.open_columns("x1", "x0") == few.open_columns("x0", "x1")._replace(text="x1 and x0")
    assert few.open_columns("x0", "x1").opens == "pair-0"
    many = made(60)
    shown = {frozenset((pair.first, pair.second)) for pair in many.shown}
    hidden = next(pair for pair in many.pairs if frozenset((pair.first, pair.second)) not in shown)
    assert many.open_columns(hidden.first, hidden.second) == f"{hidden.first} and {hidden.second}"


def test_the_script_gets_the_numbers_of_the_findings():
    found, tables = findings(), findings().tables
    pairs = {pair.column.name: pair for pair in column_pairs(*tables.frames(), list(tables.test.names))}
    data = found.details.to_dict(pairs)
    assert [column["name"] for column in data["columns"]] == [column.name for column in found.columns]
    for given, pair in zip(data["pairs"], found.pairs, strict=True):
        names = [data["columns"][at]["name"] for at in given["columns"]]
        assert names == [pair.first, pair.second]
        assert float(given["real"].replace("−", "-")) == pytest.approx(pair.real, abs=0.006)
        sizes = [len(data["columns"][at]["groups"]) for at in given["columns"]]
        assert [len(shares) for shares in given["shares"]] == [sizes[0] * sizes[1]] * 2
        assert [sum(shares) for shares in given["shares"]] == pytest.approx([10_000, 10_000], abs=sizes[0] * sizes[1])
    assert [data["columns"][at]["name"] for at in data["drawn"]] == list(tables.test.names)
