"""A whole table: one codec per learnt column, chosen by kind, and rows of codes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, LevelCodec, OrderedCodec, fit_codec
from janus_synth.kernels.dtypes import CODE
from janus_synth.table import Table, read_table, write_table
from strategies import DAY


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 3_000
    single = np.where(rng.random(n) < 0.4, 0.1, rng.integers(0, 900, n) / 100)
    return pd.DataFrame(
        {
            "id": [f"row-{i:05d}" for i in range(n)],
            "income": np.where(rng.random(n) < 0.1, np.nan, np.exp(rng.normal(10, 1, n))),
            "gain": np.where(rng.random(n) < 0.92, 0, rng.integers(100, 99_999, n)),
            "price": np.round(rng.gamma(2.0, 20.0, n), 2),
            "single": single.astype(np.float32),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1_000, n), unit="D"),
            "city": pd.Series(rng.choice(["Rome", "Oslo", "Bonn"], n, p=[0.9, 0.099, 0.001])).mask(
                rng.random(n) < 0.05
            ),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), categories=["low", "mid", "high"], ordered=True
            ),
            "flag": rng.random(n) < 0.3,
        }
    )


@pytest.fixture
def table(frame):
    return read_table(frame)


def test_every_learnt_column_has_a_codec_of_its_kind(table):
    codec = fit_codec(table, BinSettings())
    assert codec.names == tuple(column.name for column in table.schema.learnt)
    assert "id" not in codec.names
    kinds = {name: type(column) for name, column in codec.columns.items()}
    assert {name for name, kind in kinds.items() if kind is LevelCodec} == {"city", "grade", "flag"}
    assert {name for name, kind in kinds.items() if kind is OrderedCodec} == {
        "income", "gain", "price", "single", "seen",
    }  # fmt: skip
    ordered = dict(zip(codec.names, codec.ordered.tolist(), strict=True))
    assert [name for name, is_ordered in ordered.items() if not is_ordered] == ["city", "flag"]


def test_codes_are_one_contiguous_row_per_column(table):
    codec = fit_codec(table, BinSettings())
    codes = codec.encode(table)
    assert codes.shape == (len(codec.names), table.n_rows)
    assert codes.dtype == CODE
    assert codes.flags.c_contiguous
    assert (codes.max(axis=1) < codec.n_codes).all()
    for row, name in zip(codes, codec.names, strict=True):
        np.testing.assert_array_equal(row, codec.columns[name].encode(table[name]))
        np.testing.assert_array_equal(row == codec.columns[name].n_codes - 1, table.missing(name))


@pytest.mark.parametrize(
    "rules", [BinSettings(), BinSettings(n_bins=50, within="uniform", equal_mass=True), BinSettings(n_bins=7)]
)
def test_a_table_of_drawn_values_has_the_codes_it_was_drawn_from(table, rules):
    codec = fit_codec(table, rules)
    codes = codec.encode(table)
    rng = np.random.default_rng(1)
    for row, column in zip(codes, codec.columns.values(), strict=True):
        drawn = column.decode(row, rng.random(table.n_rows))
        np.testing.assert_array_equal(column.encode(drawn), row)
        assert np.isfinite(column.log_density(drawn, row)).all()


def test_every_code_that_rows_have_is_allowed(table):
    codec = fit_codec(table, BinSettings())
    for row, column in zip(codec.encode(table), codec.columns.values(), strict=True):
        assert column.allowed[row].all()
        assert len(column.allowed) == column.n_codes


def test_missing_is_allowed_only_where_the_schema_says_so(table):
    codec = fit_codec(table, BinSettings())
    nullable = {name for name, column in codec.columns.items() if column.allowed[-1]}
    assert nullable == {"income", "city"}


def test_days_stay_days_and_the_frame_keeps_its_dtypes(table, frame):
    codec = fit_codec(table, BinSettings())
    codes = codec.encode(table)
    rng = np.random.default_rng(2)
    values = {
        name: column.decode(row, rng.random(table.n_rows))
        for row, (name, column) in zip(codes, codec.columns.items(), strict=True)
    }
    assert (values["seen"] % DAY == 0).all()
    drawn = write_table(Table(table.schema, values, table.n_rows))
    kept = [name for name in frame if name != "id"]
    assert drawn[kept].dtypes.to_dict() == frame[kept].dtypes.to_dict()
    assert set(drawn["single"].round(2)) == set(drawn["single"])  # 32-bit decimals stay decimals


def test_the_number_of_bins_can_be_set(table):
    few = fit_codec(table, BinSettings(n_bins=20)).columns
    many = fit_codec(table, BinSettings()).columns
    assert few["income"].n_bins == 20
    assert many["income"].n_bins > 200
    assert many["gain"].n_codes <= 256


def test_a_declared_domain_reaches_the_codec(frame):
    table = read_table(frame, {"income": {"low": 0.0, "high": 1e9}, "price": {"low": 0.0}})
    codec = fit_codec(table, BinSettings())
    income = codec.columns["income"]
    top = income.decode(np.full(50, income.n_bins - 1, CODE), np.linspace(0.01, 0.99, 50))
    assert (top > frame["income"].max()).all()
    assert top.max() <= 1e9


def test_a_column_without_any_value_stays_missing():
    table = read_table(pd.DataFrame({"empty": [np.nan] * 4, "number": [1, 2, 3, 4]}))
    codec = fit_codec(table, BinSettings()).columns["empty"]
    codes = codec.encode(table["empty"])
    assert (codes == codec.n_codes - 1).all()
    missing = codec.decode(codes, np.full(4, 0.5))
    np.testing.assert_array_equal(codec.encode(missing), codes)


def test_decoding_into_an_array_gives_what_decoding_gives():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=500), "n": rng.integers(0, 9, 500), "c": rng.choice([*"abcde"], 500)})
    frame.loc[rng.random(500) < 0.1, ["x", "c"]] = None
    table = read_table(frame)
    codec = fit_codec(table, BinSettings())
    for name, codes in zip(codec.names, codec.encode(table), strict=True):
        u, out = rng.random(500), np.empty_like(table[name])
        assert codec.columns[name].decode(codes, u, out) is out
        np.testing.assert_array_equal(out, codec.columns[name].decode(codes, u))
