"""Alerts about whole tables: every library's frames, declared columns, silence, and the model that keeps them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth import Janus, datasets
from janus_synth.alerts import find_alerts
from janus_synth.errors import AlertWarning
from janus_synth.table import read_table
from janus_synth.table.files import write_frames

RNG = np.random.default_rng(0)
DATES = [f"{d:02d}/{m:02d}/2023" for d, m in zip(RNG.integers(1, 29, 200), RNG.integers(1, 13, 200), strict=True)]
FRAME = pd.DataFrame({"eu": DATES, "x": RNG.normal(size=200).round(3), "y": RNG.integers(0, 50, 200)})


def kinds(frame, **options):
    return [
        (alert.column, alert.kind) for alert in find_alerts(frame, read_table(frame, options.get("schema")), **options)
    ]


@pytest.mark.parametrize(
    "convert", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
def test_frames_of_all_libraries_are_looked_at(convert):
    assert ("eu", "date-text") in kinds(convert(FRAME))


def test_declared_columns_and_silenced_alerts_are_left_out():
    assert kinds(FRAME, silence=["date-text:eu", "rare-levels"]) == []
    assert kinds(FRAME, schema={"eu": {"kind": "categorical"}}, silence="rare-levels") == []
    assert kinds(FRAME, schema={"eu": {"kind": "datetime", "format": "%d/%m/%Y"}}) == []


def test_distinct_dates_are_reported_though_they_are_identifiers():
    days = pd.date_range("2020-01-01", periods=120).strftime("%d/%m/%Y")
    frame = pd.DataFrame({"day": days, "x": RNG.normal(size=120)})
    assert read_table(frame).schema["day"].kind == "identifier"
    assert kinds(frame) == [("day", "date-text")]


def test_row_numbers_without_the_name_of_a_key_are_reported():
    assert kinds(pd.DataFrame({"week": range(500, 700), "x": FRAME["x"]})) == [("week", "identifier")]
    assert kinds(pd.DataFrame({"row_id": range(500, 700), "x": FRAME["x"]})) == []


def test_few_rows_and_repeated_rows_are_reported():
    assert (None, "tiny-table") in kinds(FRAME[["x"]].head(50))
    twice = pd.concat([FRAME.assign(z=1.5 * FRAME["x"])[["x", "y", "z"]]] * 2)
    assert kinds(twice) == [(None, "duplicate-rows")]


def test_a_model_warns_keeps_its_alerts_and_stores_them(tmp_path):
    with pytest.warns(AlertWarning, match="eu: dates stored as text"):
        model = Janus(n_trees=1, random_state=0).fit(FRAME)
    assert model.alerts_[0].kind == "date-text"
    model.save(tmp_path / "m.janus")
    kept = Janus.load(tmp_path / "m.janus").alerts_
    assert kept == tuple(alert.without_quotes() for alert in model.alerts_)
    assert "2023" not in str(kept)


def test_times_of_day_that_links_compute_need_no_alert():
    rows = datasets.flights(1_500, random_state=0)
    apart, model = (Janus(random_state=0, links=links).fit(rows) for links in ("off", "auto"))
    questioned = {alert.column for alert in apart.alerts_ if alert.kind == "date-number"}
    assert questioned
    assert questioned <= {link.column for link in model.links_}
    assert "date-number" not in {alert.kind for alert in model.alerts_}


def test_the_remedy_of_an_alert_works():
    alert = find_alerts(FRAME, read_table(FRAME))[0]
    schema = eval(alert.remedy.removeprefix("schema="))
    model = Janus(n_trees=1, random_state=0, schema=schema).fit(FRAME)
    assert [one for one in model.alerts_ if one.is_serious] == []
    rows = model.sample(50, random_state=1)
    assert rows["eu"].dtype == FRAME["eu"].dtype
    assert pd.to_datetime(rows["eu"], format="%d/%m/%Y").between("2023-01-01", "2023-12-31").all()


def test_silence_is_checked_when_fitting():
    with pytest.raises(ValueError, match="silence has 'noise'"):
        Janus(silence=["noise"]).fit(FRAME)


def test_a_source_larger_than_memory_has_alerts(tmp_path):
    for part in range(2):
        FRAME.to_csv(tmp_path / f"part{part}.csv", index=False)
    model = Janus(n_trees=1, random_state=0, silence=["rare-levels"]).fit(str(tmp_path / "*.csv"))
    assert [(alert.column, alert.kind) for alert in model.alerts_] == [(None, "duplicate-rows")]
    assert (model.schema_["eu"].kind, model.schema_["eu"].format) == ("datetime", "%d/%m/%Y")
    write_frames([model.sample(20, random_state=1)], tmp_path / "rows.csv", schema=model.schema_)
    texts = pd.read_csv(tmp_path / "rows.csv", dtype=str)["eu"]
    assert texts.str.fullmatch(r"\d\d/\d\d/\d{4}").all()


def test_a_column_that_should_not_be_text_has_one_alert():
    """Its levels are not what it is about: no alert says that they are many, or rare."""
    pace = [f"{s // 60}:{s % 60:02d} /km" for s in RNG.integers(180, 480, 2_000)]
    frame = pd.DataFrame({"pace": pace, "x": RNG.normal(size=2_000)})
    assert read_table(frame).schema["pace"].kind == "categorical"
    assert kinds(frame) == [("pace", "date-text")]


def test_texts_that_are_made_up_for_no_other_reason_are_reported():
    calls = [f"c. {1700 + i}" for i in range(250)] * 2
    frame = pd.DataFrame({"built": calls, "plate": [f"AB-C {i}" for i in range(100, 600)], "x": RNG.normal(size=500)})
    assert [read_table(frame).schema[name].kind for name in ("built", "plate")] == ["personal", "personal"]
    assert kinds(frame) == [("built", "nearly-unique")]


def test_a_remedy_on_the_command_line_is_an_option_or_says_that_it_is_python():
    levels = ["Rome"] * 150 + ["Oslo"] * 49 + ["Bonn"]
    frame = pd.DataFrame({"town": levels, "eu": DATES, "t": [f"{d}th March 2023" for d in RNG.integers(4, 20, 200)]})
    found = {alert.column: alert.shell_remedy for alert in find_alerts(frame, read_table(frame))}
    assert found["town"] == "--keep-rare"
    assert found["eu"] == "--column 'eu=datetime:%d/%m/%Y'"
    assert "pd.to_datetime" in found["t"]
