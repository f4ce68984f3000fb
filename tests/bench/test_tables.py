import pandas as pd
import pytest

from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.bench.sizes import enlarge, wide_table
from janus_synth.bench.smooth import SMOOTH, smooth_table
from janus_synth.bench.tables import DRAWN, REAL, NamedTable, read_named, split, table_names
from janus_synth.errors import DataError


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


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_tables_are_repeatable_and_smooth(name):
    frame = smooth_table(name, 500)
    pd.testing.assert_frame_equal(frame, smooth_table(name, 500))
    assert not frame.equals(smooth_table(name, 500, seed=1))
    assert all(frame[column].nunique() == 500 for column in frame)
    assert SMOOTH[name][1] in frame


@pytest.mark.parametrize("name", DRAWN)
def test_tables_without_files_hold_their_target(name):
    table = read_named(name)
    assert table.target in table.frame


def test_real_tables_come_from_the_folder_in_the_environment(tmp_path, monkeypatch):
    frame = pd.DataFrame({"petal_width": [0.1, 0.2], "species": ["a", "b"]})
    frame.to_parquet(tmp_path / "iris.parquet")
    monkeypatch.setenv("JANUS_DATA", str(tmp_path))
    assert table_names() == ("iris", *DRAWN)
    pd.testing.assert_frame_equal(read_named("iris").frame, frame)


def test_a_real_table_without_files_names_the_variable(monkeypatch):
    monkeypatch.delenv("JANUS_DATA", raising=False)
    assert table_names() == DRAWN
    assert table_names(["real"]) == tuple(REAL)
    with pytest.raises(DataError, match="Set JANUS_DATA"):
        read_named("adult")


def test_a_misspelt_table_lists_the_closest():
    with pytest.raises(DataError, match="Did you mean 'spatial'"):
        table_names(["spacial"])


def test_longer_tables_keep_dtypes_and_gain_values():
    frame = smooth_table("ring", 300).assign(whole=range(300), flag=["a", "b"] * 150)
    longer = enlarge(frame, 2_000)
    assert len(longer) == 2_000
    pd.testing.assert_series_equal(longer.dtypes, frame.dtypes)
    assert longer["x"].nunique() == pytest.approx(2_000, abs=50)
    assert longer["whole"].between(0, 299).all()
    assert set(longer["flag"]) == {"a", "b"}


def test_wide_tables_are_as_wide_as_asked():
    frame = wide_table(100, 12)
    assert frame.shape == (100, 12)
    assert wide_table(100, 24).iloc[:, :2].equals(frame.iloc[:, :2])


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
