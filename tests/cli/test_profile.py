"""``janus profile``: a table at a glance, in the terminal and as a page; and what ``fit`` makes of messy files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.cli.profile import spark
from janus_synth.profile import ColumnProfile

RNG = np.random.default_rng(0)


@pytest.fixture
def messy(desk):
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(RNG.integers(0, 700, 150), "D")
    frame = pd.DataFrame(
        {
            "eu": days.strftime("%d/%m/%Y"),
            "price": [f"${x:,.2f}" for x in RNG.gamma(2, 3000, 150)],
            "size": RNG.choice(["S", "M", "L"], 150),
            "age": np.where(RNG.random(150) < 0.1, 999, RNG.integers(20, 60, 150)),
            "year": np.arange(150) + 1850,
        }
    )
    frame.to_csv("messy.csv", index=False)
    return frame


def test_the_table_fits_in_eighty_columns(janus, messy):
    lines = janus("profile", "messy.csv", columns=80).stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("column "))
    assert all(len(line) <= 80 for line in lines[start : start + 6])
    assert "datetime" in lines[start + 1]
    assert "$" in lines[start + 2]


def test_alerts_come_with_options_that_work(janus, messy):
    text = janus("profile", "messy.csv").stdout
    assert "--column 'size=ordered:S<M<L'" in text
    assert "--missing 'age=999'" in text
    again = janus("profile", "messy.csv", "--column", "size=ordered:S<M<L", "--missing", "age=999").stdout
    assert "alert" not in again
    assert "alert" not in janus("profile", "messy.csv", "--silence", "all").stdout


def test_the_page_is_written(janus, messy):
    assert "page in p.html" in janus("profile", "messy.csv", "--html", "p.html").stdout
    assert "<h1>messy.csv at a glance</h1>" in Path("p.html").read_text()
    assert janus("profile", "messy.csv", "--html", "p.html", "-q").stdout == ""


def test_fit_prints_alerts_and_rows_have_the_form_of_the_file(janus, messy):
    fitted = janus("fit", "messy.csv", "-o", "m.janus", "--trees", "1", "--seed", "0")
    assert "alert: size: labels look ordered: S < M < L" in fitted.stderr
    assert "unordered-labels:size" in janus("inspect", "m.janus").stdout
    rows = janus("sample", "m.janus", "-n", "40", "--seed", "1").stdout.splitlines()[1:]
    assert all(pd.to_datetime(row.split(",")[0], format="%d/%m/%Y").year in (2022, 2023, 2024) for row in rows)
    assert all("$" in row for row in rows)
    years = [int(row.rsplit(",", 1)[1]) for row in rows]
    assert 1850 <= min(years) < max(years) < 2000
    assert "alert" not in janus("fit", "messy.csv", "-o", "m.janus", "--trees", "1", "--silence", "all").stderr


def test_alerts_of_a_fit_are_few(janus, desk):
    pd.DataFrame({f"c{i}": ["x"] * 150 for i in range(9)} | {"n": RNG.normal(size=150)}).to_csv("many.csv", index=False)
    lines = janus("fit", "many.csv", "-o", "m.janus", "--trees", "1").stderr.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "and 4 alerts more: janus profile many.csv, or janus inspect m.janus"


def test_declared_formats_reach_the_model(janus, messy):
    janus(
        "fit", "messy.csv", "-o", "m.janus", "--trees", "1", "--column", "eu=categorical", "--missing", "age=999", "-q"
    )
    schema = Janus.load("m.janus").schema_
    assert schema["eu"].kind == "categorical"
    assert "/" in str(schema["eu"].levels[0])
    assert schema["age"].high < 100
    assert schema["age"].missing == ("999",)


def test_rows_of_a_model_are_read_in_its_formats(janus, messy):
    janus("fit", "messy.csv", "-o", "m.janus", "--trees", "1", "--seed", "0", "-q")
    Path("part.csv").write_text("eu,price,size,age,year\n03/04/2023,,S,30,1900\n")
    text = janus("complete", "m.janus", "part.csv", "--seed", "0").stdout.splitlines()[1]
    assert text.startswith("03/04/2023,")
    assert "$" in text


def test_a_text_that_is_no_column_is_refused(janus, messy):
    assert "does not describe a column" in janus("profile", "messy.csv", "--column", "eu", fails=1).stderr
    assert "names no missing value" in janus("profile", "messy.csv", "--missing", "eu", fails=1).stderr


def test_a_chart_has_a_character_per_bin():
    assert spark(ColumnProfile("x", "numeric", "f", "", 0.0, 3, counts=(0, 1, 8))) == " ▁█"
    assert len(spark(ColumnProfile("x", "numeric", "f", "", 0.0, 3, counts=(1,) * 24))) == 12
