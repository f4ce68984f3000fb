"""What holds for every table: random columns of many dtypes in three kinds of frames, through the whole public API."""

from __future__ import annotations

import copy
import datetime as dt
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from janus_synth import Janus
from model.tables import assert_like_training, assert_same_frame, names_and_dtypes
from strategies import seeds

SETTINGS = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])

EPOCH = dt.datetime(2020, 2, 27)
WORDS = np.array(["red", "green", "blue", "dark red", "", "0", "é"], dtype=object)

CONTENT = {
    "smooth": lambda rng, n: rng.normal(size=n).tolist(),
    "skewed": lambda rng, n: np.exp(rng.normal(3, 2, n)).tolist(),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.gamma(2.0, 9.0, n)).tolist(),
    "cents": lambda rng, n: rng.gamma(2.0, 9.0, n).round(2).tolist(),
    "quarters": lambda rng, n: (rng.integers(-4, 9, n) / 4).tolist(),
    "small ints": lambda rng, n: rng.integers(-3, 9, n).tolist(),
    "ints": lambda rng, n: rng.integers(-9_000, 9_000, n).tolist(),
    "one int": lambda rng, n: [7] * n,
    "truths": lambda rng, n: (rng.random(n) < 0.3).tolist(),
    "words": lambda rng, n: WORDS[np.minimum(rng.geometric(0.4, n) - 1, len(WORDS) - 1)].tolist(),
    "days": lambda rng, n: [(EPOCH + dt.timedelta(days=int(d))).date() for d in rng.integers(0, 900, n)],
    "midnights": lambda rng, n: [EPOCH + dt.timedelta(days=int(d)) for d in rng.integers(0, 900, n)],
    "moments": lambda rng, n: [EPOCH + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 10**7, n)],
}
"""Cells by what they look like: a generator and a number of rows in, Python values out."""

FLOATS, INTS = ("smooth", "skewed", "mostly zero", "cents", "quarters"), ("small ints", "ints", "one int")
MOMENTS = ("midnights", "moments")

PANDAS = {
    **dict.fromkeys(FLOATS, ("float64", "float32", "Float64", "double[pyarrow]")),
    **dict.fromkeys(INTS, ("int64", "int16", "Int32", "int64[pyarrow]", "float64", "object")),
    "truths": ("bool", "boolean", "object", "bool[pyarrow]"),
    "words": ("str", "object", "category", "string", pd.CategoricalDtype(WORDS.tolist(), ordered=True)),
    "days": ("object", "datetime64[us]"),
    **dict.fromkeys(MOMENTS, ("datetime64[s]", "datetime64[us]", "datetime64[ns]", "datetime64[us, Europe/Paris]")),
}
POLARS = {
    **dict.fromkeys(FLOATS, (pl.Float64, pl.Float32)),
    **dict.fromkeys(INTS, (pl.Int64, pl.Int16, pl.Float64)),
    "truths": (pl.Boolean,),
    "words": (pl.String, pl.Categorical, pl.Enum(WORDS.tolist())),
    "days": (pl.Date,),
    **dict.fromkeys(MOMENTS, (pl.Datetime("us"), pl.Datetime("ms"), pl.Datetime("us", "Asia/Kolkata"))),
}
ARROW = {
    **dict.fromkeys(FLOATS, (pa.float64(), pa.float32())),
    **dict.fromkeys(INTS, (pa.int64(), pa.int16(), pa.float64())),
    "truths": (pa.bool_(),),
    "words": (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())),
    "days": (pa.date32(), pa.date64()),
    **dict.fromkeys(MOMENTS, (pa.timestamp("s"), pa.timestamp("us"), pa.timestamp("us", "America/New_York"))),
}
NULLABLE_TWIN = {"int64": "Int64", "int16": "Int16", "bool": "boolean"}


def pandas_column(cells: list[Any], dtype: Any) -> pd.Series:
    if None in cells and dtype in NULLABLE_TWIN:
        dtype = NULLABLE_TWIN[dtype]
    if isinstance(dtype, str) and dtype.endswith("Europe/Paris]"):
        return pd.Series(cells, dtype="datetime64[us]").dt.tz_localize("UTC").dt.tz_convert("Europe/Paris")
    if dtype in ("float64", "float32"):
        cells = [np.nan if cell is None else cell for cell in cells]
    return pd.Series(cells, dtype=dtype)


def polars_column(cells: list[Any], dtype: Any) -> pl.Series:
    zone = getattr(dtype, "time_zone", None)
    if zone:
        return pl.Series(cells, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return pl.Series(cells, dtype=dtype)


def arrow_column(cells: list[Any], dtype: Any) -> pa.Array:
    return pa.array(cells).dictionary_encode().cast(dtype) if pa.types.is_dictionary(dtype) else pa.array(cells, dtype)


FRAMES = {
    "pandas": (PANDAS, pandas_column, pd.DataFrame),
    "polars": (POLARS, polars_column, pl.DataFrame),
    "pyarrow": (ARROW, arrow_column, pa.table),
}


@st.composite
def frames(draw, max_rows=80, max_columns=5):
    """Frames of every kind; the first cell of a column is never null, so that dtypes are plain."""
    dtypes, column, build = FRAMES[draw(st.sampled_from(list(FRAMES)))]
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(seeds))
    made = {}
    for i in range(draw(st.integers(1, max_columns))):
        content = draw(st.sampled_from(list(CONTENT)))
        gone = rng.random(n) < draw(st.sampled_from([0.0, 0.0, 0.3]))
        gone[0] = False
        cells = [None if hole else cell for hole, cell in zip(gone, CONTENT[content](rng, n), strict=True)]
        made[f"{content} {i}"] = column(cells, draw(st.sampled_from(dtypes[content])))
    return build(made)


models = st.builds(
    Janus,
    structure=st.sampled_from(["auto", "auto", "chain", "forest"]),
    n_trees=st.integers(1, 3),
    n_bins=st.sampled_from([2, 10, "auto"]),
    min_samples_leaf=st.integers(1, 5),
    within=st.sampled_from(["smooth", "knots", "uniform"]),
    prior=st.sampled_from(["hierarchical", "flat"]),
    equal_mass=st.booleans(),
    random_state=st.integers(0, 5),
)
"""Models with all kinds of settings."""


@SETTINGS
@given(frames(), models)
def test_samples_have_the_columns_dtypes_domains_and_nulls_of_their_training(frame, model):
    before = copy.deepcopy(frame)
    rows = model.fit(frame).sample(100)
    assert_like_training(rows, frame, model.schema_)
    assert_same_frame(frame, before)


@SETTINGS
@given(frames(), models, seeds)
def test_the_same_seed_is_the_same_table(frame, model, seed):
    rows = model.fit(frame).sample(40, random_state=seed)
    assert_same_frame(model.sample(40, random_state=seed), rows)
    twin = Janus(**model.get_params()).fit(frame)
    assert_same_frame(twin.sample(40, random_state=seed), rows)


@SETTINGS
@given(frames(), models)
def test_a_loaded_model_draws_the_same_rows(frame, model):
    rows = model.fit(frame).sample(40, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "m.janus")
        loaded = Janus.load(Path(folder) / "m.janus")
    assert_same_frame(loaded.sample(40, random_state=0), rows)
    np.testing.assert_array_equal(loaded.log_prob(rows), model.log_prob(rows))


@SETTINGS
@given(frames(), models)
def test_rows_that_were_drawn_or_learnt_are_possible(frame, model):
    """Rows with values that are not kept are impossible, so that all learnt rows are possible only with those."""
    model.fit(frame)
    assert np.isfinite(model.log_prob(model.sample(100))).all()
    model.set_params(keep_rare=True).fit(frame)
    assert np.isfinite(model.log_prob(model.sample(100))).all()
    assert np.isfinite(model.log_prob(frame)).all()


@SETTINGS
@given(frames(), models)
def test_counting_the_same_rows_twice_keeps_the_model_sound(frame, model):
    n_rows = model.fit(frame).n_rows_
    schema = model.schema_
    model.update(frame)
    assert model.n_rows_ == 2 * n_rows
    assert model.schema_ == schema
    rows = model.sample(60)
    assert_like_training(rows, frame, model.schema_)
    assert np.isfinite(model.log_prob(rows)).all()


@SETTINGS
@given(frames(), models)
def test_every_column_can_be_explained(frame, model):
    model.fit(frame)
    for column in model.schema_.learnt:
        explanation = model.explain(column.name, most=None)
        assert sum(rule.n_rows for rule in explanation.rules) == model.n_rows_
        assert column.name in str(explanation)


@SETTINGS
@given(frames(), models)
def test_an_empty_sample_still_has_the_columns(frame, model):
    rows = model.fit(frame).sample(0)
    assert rows.shape[0] == 0
    assert [name for name, _ in names_and_dtypes(rows)] == [name for name, _ in names_and_dtypes(frame)]
    assert type(rows) is type(frame)
