"""Files of every format become frames that lose nothing, or an error that names the file."""

from __future__ import annotations

import gzip
import os
import threading

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from janus_synth import Schema
from janus_synth.errors import DataError
from janus_synth.table.files import read_frame
from strategies import TEXT_DTYPE

MIXED = """\
whole,gaps,real,truth,maybe,day,moment,zoned,text,zip,clock,empty
1,3,1.0,true,True,2024-01-01,2024-01-01 12:00:00,2024-01-01T12:00:00Z,"a, b",01234,12:30:00,
2,,2.5,false,,2024-02-29,2024-01-01T13:00:00,2024-01-01T13:00:00Z,NA,00501,12:31:00,
3,5,NA,true,False,,2024-01-03,2024-01-01T14:00:00Z,,90210,,
"""


@pytest.fixture
def csv(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_csv_columns_get_the_types_they_show(csv):
    frame = read_frame(csv(MIXED))
    assert frame.dtypes.astype(str).to_dict() == {
        "whole": "int64",
        "gaps": "Int64",
        "real": "float64",
        "truth": "bool",
        "maybe": "boolean",
        "day": "date32[day][pyarrow]",
        "moment": "datetime64[s]",
        "zoned": "datetime64[s, UTC]",
        "text": TEXT_DTYPE,
        "zip": TEXT_DTYPE,
        "clock": "time32[s][pyarrow]",
        "empty": "object",
    }
    assert Schema.detect(frame)["day"].kind == "datetime"


def test_an_empty_field_is_null_and_na_is_a_text_among_texts(csv):
    frame = read_frame(csv(MIXED))
    assert frame["text"].tolist()[:2] == ["a, b", "NA"]
    assert frame.isna().sum().to_dict() == {
        **dict.fromkeys(frame.columns, 0),
        **{"gaps": 1, "real": 1, "maybe": 1, "day": 1, "text": 1, "clock": 1, "empty": 3},
    }


def test_leading_zeros_survive(csv):
    assert read_frame(csv(MIXED))["zip"].tolist() == ["01234", "00501", "90210"]
    assert read_frame(csv("x,y\n0,-0\n10,5\n")).dtypes.astype(str).tolist() == ["int64", "int64"]


def test_types_are_decided_by_all_rows(csv):
    frame = read_frame(csv("x,y\n" + "1,2024-01-01\n" * 200_000 + "1.5,soon\n"))
    assert frame.dtypes.astype(str).tolist() == ["float64", TEXT_DTYPE]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_tabs_and_semicolons_separate_fields_too(csv, mark):
    frame = read_frame(csv(f"x{mark}y\n1{mark}a\n2{mark}b\n"))
    assert frame.shape == (2, 2)
    assert frame["x"].tolist() == [1, 2]


def test_quotes_hold_line_breaks_and_a_byte_order_mark_is_ignored(csv):
    frame = read_frame(csv('\ufeffx,y\n"one\ntwo, ""three""",1\n'))
    assert frame.columns.tolist() == ["x", "y"]
    assert frame["x"].tolist() == ['one\ntwo, "three"']


def test_gzip_and_tsv_are_read_by_their_endings(csv):
    plain = read_frame(csv(MIXED))
    pd.testing.assert_frame_equal(read_frame(csv(gzip.compress(MIXED.encode()), "table.csv.gz")), plain)
    pd.testing.assert_frame_equal(read_frame(csv("x\ty\n1\ta\n", "t.tsv")), pd.DataFrame({"x": [1], "y": ["a"]}))


def test_a_named_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text("x,zip\n1,007\n"))
    writer.start()
    frame = read_frame(path)
    writer.join()
    assert frame.iloc[0].tolist() == [1, "007"]


ARROW = pa.table(
    {
        "small": pa.array([1, None], pa.int8()),
        "wide": pa.array([1, None], pa.uint32()),
        "all": pa.array([1, 2], pa.int16()),
        "truth": pa.array([True, None]),
        "real": pa.array([1.5, None], pa.float32()),
        "day": pa.array([1, None], pa.date32()),
        "money": pa.array(["1.50", None]).cast(pa.decimal128(9, 2)),
        "moment": pa.array([1, None], pa.timestamp("ms", tz="Europe/Paris")),
        "level": pa.array(["a", None]).dictionary_encode(),
        "text": pa.array(["a", None]),
    }
)
AS_PANDAS = ["Int8", "UInt32", "int16", "boolean", "float32", "date32[day][pyarrow]", "decimal128(9, 2)[pyarrow]"]
AS_PANDAS += ["datetime64[ms, Europe/Paris]", "category", TEXT_DTYPE]


def write_ipc(table, path, opened):
    with opened(str(path), table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
def test_arrow_types_lose_nothing_in_pandas(tmp_path, kind):
    path = tmp_path / ("t.parquet" if kind == "parquet" else "t.arrow")
    if kind == "parquet":
        pq.write_table(ARROW, path)
    else:
        write_ipc(ARROW, path, pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)
    frame = read_frame(path)
    assert frame.dtypes.astype(str).tolist() == AS_PANDAS
    assert frame.isna().sum().tolist() == [1, 1, 0, 1, 1, 1, 1, 1, 1, 1]


def test_an_index_stored_by_pandas_is_not_a_column(tmp_path):
    pd.DataFrame({"x": [1, 2, 3]}).iloc[[2, 0]].to_parquet(tmp_path / "t.parquet")
    frame = read_frame(tmp_path / "t.parquet")
    assert frame.columns.tolist() == ["x"]
    assert frame.index.equals(pd.RangeIndex(2))


def test_a_path_with_equals_signs_adds_no_column(tmp_path):
    (tmp_path / "year=2024").mkdir()
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "year=2024" / "t.parquet")
    assert read_frame(tmp_path / "year=2024" / "t.parquet").columns.tolist() == ["x"]


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "t.csv", "t.csv is empty: not even a header"),
        (b"", "t.parquet", "t.parquet is empty"),
        (b"\n\n", "t.csv", "cannot read .*t.csv as CSV"),
        (b"x,y\n1,2\n1,2,3\n", "t.csv", "Row #3: Expected 2 columns, got 3"),
        (b"x,x\n1,2\n", "t.csv", "these column names occur more than once: 'x'"),
        (b"x,y\n1,2\n", "t.parquet", "cannot read .*t.parquet as Parquet"),
        (b"x,y\n1,2\n", "t.arrow", "cannot read .*t.arrow as Arrow IPC"),
        (b"PAR1xxxx", "t.csv", "t.csv holds a Parquet file, not CSV"),
        (b"ARROW1xx", "t.parquet", "t.parquet holds an Arrow IPC file, not Parquet"),
        (gzip.compress(b"x\n1\n", mtime=0), "t.csv", "holds a gzip file, not CSV"),
        (b"PK\x03\x04xxxx", "t.csv", "holds an Excel workbook or a zip archive"),
        (b"Sales of 2024\n\na,b\n1,2\n", "t.csv", "lines above the header, delete them"),
        (gzip.compress(b"x\n1\n" * 99, mtime=0)[:-9], "t.csv.gz", "cannot read .*t.csv.gz as CSV"),
        (b"x\n1\n", "t.csv.gz", "cannot read .*t.csv.gz as CSV"),
    ],
)
def test_content_of_another_format_raises_an_error_of_one_line(csv, content, name, message):
    with pytest.raises(DataError, match=message) as caught:
        read_frame(csv(content, name))
    assert "\n" not in str(caught.value)


def test_paths_without_a_file_raise_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*no.csv. Check the name"):
        read_frame(tmp_path / "no.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder. Name one table file"):
        read_frame(tmp_path / "folder.csv")


def test_a_file_without_permission_raises_an_error(csv, monkeypatch):
    def refuse(*args, **named):
        raise PermissionError(13, "Permission denied")

    path = csv("x\n1\n")
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(PermissionError, match="no permission to read"):
        read_frame(path)


def test_a_header_without_rows_is_a_table_without_rows(csv):
    assert read_frame(csv("x,y\n")).shape == (0, 2)
