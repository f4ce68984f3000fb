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
        ([f"{i}. Okt 2023" for i in range(1, 20)], "date-text", '"kind": "datetime"'),
        ([f"{m} {y}" for m in ("mars", "avril", "juin") for y in range(2015, 2020)], "date-text", '"kind": "datetime"'),
        ([f"{i}th Oct 2023" for i in range(4, 20)], "date-text", "one format"),
        ([f"{c}{i}" for i in range(10) for c in "$€"], "number-text", "pd.to_numeric(df['x']"),
        ([f"{i}.5{c}" for i in range(1, 10) for c in "kM"], "number-text", "x_unit"),
        ([f"{i} {j}/8" for i in range(1, 4) for j in range(1, 8)], "number-text", "Fraction"),
        ([f"{i}.5 x 10^{j}" for i in range(1, 4) for j in range(7)], "number-text", "'e'"),
        ([f"{i:02d}/{j:02d}" for i in range(10, 20) for j in range(1, 4)], "date-text", "add the year"),
        ([f"about {i}" for i in range(20)], "number-text", "to_numeric"),
        ([f"{i} x {i} x 7" for i in range(20)], "number-text", "df[['x_1', 'x_2', 'x_3']]"),
        ([str({"a": i}) for i in range(20)], "nested-text", "ast.literal_eval"),
        ([f"{i}:15" for i in range(30, 50)], "date-text", "to_timedelta('0:'"),
        ([f"{i}:15:01" for i in range(30, 50)], "date-text", "to_timedelta"),
        ([f"{i},5E+03" for i in range(20)], "number-text", "replace(',', '.')"),
        ([chr(0x661 + i % 9) * 3 + chr(0x660 + i % 10) for i in range(20)], "number-text", "map(float)"),
        ([f"{i}.5 ± 0.1" for i in range(20)], "number-text", "df[['x_1', 'x_2']] = "),
        ([f"POINT (-{i}.5 {i})" for i in range(20)], "number-text", "df[['x_1', 'x_2']] = "),
        ([f"[{i}, {i + 1}]" for i in range(20)], "number-text", "df[['x_1', 'x_2']] = "),
        ([f'{{"a": {i}}}' for i in range(20)], "nested-text", "json_normalize"),
        ([f"[{i}, {i + 1}, 3]" for i in range(20)], "nested-text", "pd.DataFrame(df['x'].map(json.loads)"),
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
        [f"{{{'x' * i} remarks" for i in range(50)],
        [f"Golf {y}" for y in range(1990, 2020)],
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
