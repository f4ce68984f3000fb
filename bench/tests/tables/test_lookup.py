import os
from pathlib import Path

import pandas as pd
import pytest

from janus_bench.ours import JanusSynthesizer
from janus_bench.tables import DRAWN, GROUPS, MORE_REAL, PAPER, REAL, NamedTable, read_named, split, table_names
from janus_bench.tables.drawn import MADE, SMOOTH
from janus_bench.tables.sources import SOURCES
from janus_bench.versions import table_fingerprint
from janus_synth.errors import DataError

FILES = os.environ.get("JANUS_DATA")


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch, tmp_path):
    monkeypatch.delenv("JANUS_DATA", raising=False)
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def numbered():
    return NamedTable("numbered", pd.DataFrame({"row": range(1_001)}), "row")


def test_halves_are_equal_and_disjoint(numbered):
    train, test = split(numbered, 0)
    assert len(train) == len(test) == 500
    assert not set(train["row"]) & set(test["row"])


def test_halves_are_cut_to_the_rows_allowed(numbered):
    train, test = split(numbered, 0, max_rows=100)
    assert len(train) == len(test) == 50
    assert list(train.index) == list(range(50))


def test_the_seed_decides_the_halves(numbered):
    first, again, other = (split(numbered, seed)[0] for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first, again)
    assert list(first["row"]) != list(other["row"])


@pytest.mark.parametrize("name", DRAWN)
def test_tables_without_files_hold_their_target(name):
    table = read_named(name)
    assert table.target in table.frame


def test_real_tables_come_from_the_folder_in_the_environment(tmp_path, monkeypatch):
    frame = pd.DataFrame({"petal_width": [0.1, 0.2], "species": ["a", "b"]})
    for name in ("iris", "bank"):
        frame.to_parquet(tmp_path / f"{name}.parquet")
    monkeypatch.setenv("JANUS_DATA", str(tmp_path))
    assert table_names() == ("bank", "iris", *DRAWN)
    pd.testing.assert_frame_equal(read_named("iris").frame, frame)


def test_without_files_iris_is_the_only_real_table_of_the_default_run():
    assert table_names() == ("iris", *DRAWN)
    assert table_names(["real"]) == REAL


@pytest.mark.skipif(not FILES, reason="needs the real tables: set JANUS_DATA")
def test_iris_without_a_file_is_iris_with_a_file():
    from_file = NamedTable("iris", pd.read_parquet(Path(FILES) / "iris.parquet"), "species")
    pd.testing.assert_frame_equal(read_named("iris").frame, from_file.frame)
    assert table_fingerprint(read_named("iris")) == table_fingerprint(from_file)


def test_iris_has_its_names_and_kinds():
    frame = read_named("iris").frame
    assert frame.columns.tolist() == ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    assert frame["species"].value_counts().to_dict() == {"setosa": 50, "versicolor": 50, "virginica": 50}
    assert frame.iloc[0].tolist() == [5.1, 3.5, 1.4, 0.2, "setosa"]


def test_the_paper_has_fifteen_tables():
    assert table_names(["paper"]) == PAPER
    assert len(set(PAPER)) == 15
    assert set(PAPER) == {*SOURCES, *MADE, "iris"}


def test_groups_join_without_repeating():
    assert table_names(["real", "paper"])[: len(REAL)] == REAL
    assert set(table_names(["real", "paper"])) == {*REAL, *PAPER}
    assert table_names(["more"]) == MORE_REAL
    assert table_names(["smooth"]) == tuple(SMOOTH)
    assert set(table_names(GROUPS)) == {name for group in GROUPS.values() for name in group}


def test_a_misspelt_table_lists_the_closest():
    with pytest.raises(DataError, match="Did you mean 'spatial'"):
        table_names(["spacial"])
    with pytest.raises(DataError, match="Did you mean 'imbalanced'"):
        read_named("unbalanced")


def test_random_tables_come_with_their_graph():
    table = read_named("random-2")
    assert set(table_names(["random"])) == {f"random-{seed}" for seed in range(5)}
    assert table.frame.shape == (10_000, 10)
    assert {name for edge in table.graph for name in edge} <= set(table.frame)
    assert table.target in table.frame
    assert table.frame.equals(read_named("random-2").frame)
    assert not table.frame.equals(read_named("random-3").frame)


def test_a_method_that_is_to_know_the_graph_gets_it_or_says_why_not():
    table = read_named("random-0")
    given = JanusSynthesizer("given", structure="given")
    assert given.needs_graph
    assert given.on(table).arguments["structure"] == list(table.graph)
    assert not JanusSynthesizer("plain").needs_graph
    with pytest.raises(DataError, match="graph of the table 'ring' is not known"):
        given.on(read_named("ring"))
