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
        ([f"{a}:{b} /km" for a in (4, 5) for b in range(10, 30)], "date-text", "to_timedelta('0:'"),
        ([f"140{a}/02/{b}" for a in range(4) for b in range(25, 32)], "date-text", "jdatetime"),
        ([f"{'xx' if i % 4 == 0 else i}/08/2019" for i in range(10, 30)], "date-text", "errors='coerce'"),
        ([f"20{i}-0{i % 9 + 1}" if i % 2 else f"20{i}" for i in range(10, 30)], "date-text", "ISO8601"),
        ([f"{i}.08.-{i + 3}.08.2019" for i in range(10, 28)], "date-text", "df[['x_1', 'x_2']]"),
        ([f"Thu 0{i % 10}:{i}" for i in range(10, 40)], "date-text", "df[['x_day', 'x_time']]"),
        ([f"KW{i}/{j}" for i in range(10, 40) for j in (19, 20)], "date-text", "'20'"),
        ([f"/Date(15670370{i}000)/" for i in range(10, 40)], "date-text", "unit='ms'"),
        ([f"1321151066{i}0000000"[:18] for i in range(10, 40)], "date-text", "unit='us'"),
        ([f"0829{i}" for i in range(10, 40)], "date-text", "format='%m%d%y'"),
        ([f"0004{i}" for i in range(10, 40)], "date-text", "format='%H%M%S').dt.time"),
        ([f"2019/08/{i}(木)" for i in range(10, 30)], "date-text", "and schema="),
        ([f"Aug {i}" for i in range(1, 30)], "date-text", "add the year"),
        (
            [f"{i}°25'07\"N, 14°25'07\"E" for i in range(30, 60)],
            "number-text",
            "df[['x_1', 'x_2', 'x_3', 'x_4', 'x_5', 'x_6']]",
        ),
        ([f"{i}+{j}" for i in range(30, 40) for j in range(7)], "number-text", "df[['x_1', 'x_2']]"),
        ([*map(str, range(1, 11)), "Refused", "Don't know"], "number-text", '"missing": ["Refused", "Don\'t know"]'),
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
        [f"3.{i}" for i in range(1, 13)],
        [f"{i:06d}" for i in range(0, 900_000, 4_321)],
        [*map(str, range(1, 11)), "other"],
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
