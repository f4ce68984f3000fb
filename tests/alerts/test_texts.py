"""Text columns that hold dates or numbers are reported with the format; other text is not."""

from __future__ import annotations

import pytest

from janus_synth.alerts.texts import format_alerts, text_alerts
from janus_synth.table import Column

TEXT = Column("x", "categorical", "str")


@pytest.mark.parametrize(
    ("texts", "kind", "remedy"),
    [
        (["19/08/2023", "01/02/2024"], "date-text", '"format": "%d/%m/%Y"'),
        (["$5.00", "$6.50"], "number-text", '"format": "$0.00"'),
        ([str(i) for i in range(60)], "number-text", '"kind": "numeric"'),
        ([*(f"{i}.5" for i in range(60)), "unknown?"], "number-text", '"missing": ["unknown?"]'),
        ([f"{i}/{m}/2023" for i in range(1, 10) for m in ("1", "02")], "date-text", "one format"),
        ([f"{i}. Okt 2023" for i in range(1, 20)], "date-text", "one format"),
        ([f"{c}{i}" for i in range(10) for c in "$€"], "number-text", "one format"),
        ([f"{i}.5{c}" for i in range(1, 10) for c in "kM"], "number-text", "one format"),
        ([f"{i}:15" for i in range(30, 50)], "date-text", "to_timedelta"),
    ],
)
def test_dates_and_numbers_are_reported(texts, kind, remedy):
    (alert,) = text_alerts(TEXT, texts)
    assert alert.kind == kind
    assert remedy in alert.remedy


@pytest.mark.parametrize(
    "texts",
    [
        ["red", "blue"],
        [f"EMP-{i:04d}" for i in range(50)],
        [f"{i:05d}" for i in range(50)],
        [f"555-{i}-1234" for i in range(100, 150)],
        [f"10.0.{i}.7" for i in range(50)],
        [f"{i} Main St" for i in range(50)],
        ["0", "1", "2"],
        ["yes", "no"],
        [],
    ],
)
def test_other_text_is_not_questioned(texts):
    assert list(text_alerts(TEXT, texts)) == []


def test_a_format_among_several_is_reported():
    column = Column("x", "datetime", "date32[day][pyarrow]", format="%m/%d/%Y")
    (alert,) = format_alerts(column, {"others": ["%d/%m/%Y"]})
    assert (alert.kind, alert.option) == ("ambiguous-date", "--column 'x=datetime:%d/%m/%Y'")
    assert list(format_alerts(column, {})) == []
