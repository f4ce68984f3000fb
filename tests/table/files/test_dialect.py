"""Encodings, delimiters and quotes of files are found in their first bytes."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from janus_synth.errors import DataError
from janus_synth.table.files import read_frame
from janus_synth.table.files.dialect import SAMPLE, find_dialect

ROWS = "naïve,prix\ncafé,1\nthé,2\n"
FRAME = pd.DataFrame({"naïve": ["café", "thé"], "prix": [1, 2]})


def read(tmp_path, content: bytes) -> pd.DataFrame:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    return read_frame(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_is_recognised(tmp_path, encoding):
    pd.testing.assert_frame_equal(read(tmp_path, ROWS.encode(encoding)), FRAME)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_other_encodings_are_read_with_a_warning(tmp_path, encoding):
    with pytest.warns(UserWarning, match="read as Windows-1252"):
        pd.testing.assert_frame_equal(read(tmp_path, ROWS.encode(encoding)), FRAME)


def test_letters_far_down_are_read_too(tmp_path):
    rows = "a,b\n" + "plain,1\n" * (SAMPLE // 8 + 10) + "café,2\n"
    with pytest.warns(UserWarning, match="Windows-1252"):
        frame = read(tmp_path, rows.encode("latin-1"))
    assert frame["a"].iloc[-1] == "café"


def test_a_character_cut_at_the_end_of_the_sample_is_no_other_encoding():
    content = ("a" * (SAMPLE - 1) + "é").encode()
    assert find_dialect(lambda: io.BytesIO(content), ",", "t").encoding == "utf-8"


def test_bytes_that_mean_nothing_raise_an_error(tmp_path):
    with pytest.warns(UserWarning, match="Windows-1252"), pytest.raises(DataError, match="t.csv"):
        read(tmp_path, b"x,y\n1,\x81\n")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2", ","),
        ("a;b\n1,5;2,5", ";"),
        ('a;"b, c"\n1,5;x', ";"),
        ("a;b, c\n1;2", ";"),
        ("a|b\n1|2", "|"),
        ("a\tb\n1\t2", "\t"),
        ("a\n1\n2", ","),
        ("a,b;c\n1,2\n", ","),
        ('a,b\n"x;y;z",1', ","),
        ("sep=;\na;b\n1;2", ";"),
    ],
)
def test_delimiters_are_found(text, delimiter):
    assert find_dialect(lambda: io.BytesIO(text.encode()), ",", "t").delimiter == delimiter


def test_the_line_that_names_the_separator_is_skipped(tmp_path):
    assert read(tmp_path, b"sep=;\na;b\n1;2\n").to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'a,b\n"say ""hi""",1\n', 'say "hi"'),
        (b'a,b\n"say \\"hi\\"",1\n', 'say "hi"'),
        (b'a,b\n"C:\\",1\n', "C:\\"),
        (b'a,b\n"x\ny",1\n', "x\ny"),
        (b'a,b\n"x, y",1\n', "x, y"),
    ],
)
def test_quotes_and_line_breaks_inside_of_texts(tmp_path, content, text):
    assert read(tmp_path, content)["a"].tolist() == [text]


def test_an_empty_name_and_trailing_commas_are_columns(tmp_path):
    assert read(tmp_path, b",a\n5,1\n7,2\n").columns.tolist() == ["", "a"]
    assert read(tmp_path, b"a,b,\n1,2,\n")[""].isna().all()
    with pytest.raises(DataError, match="more than once"):
        read(tmp_path, b"a,a\n1,2\n")


@pytest.mark.parametrize(
    ("text", "skipped", "delimiter"),
    [
        ("# made by hand\n# on Monday\na;b\n1;2\n", 2, ";"),
        ("# one, two\n\na,b,c\n1,2,3\n", 2, ","),
        ("#a,b\n1,2\n", 0, ","),
        ("# comment\n#a,b\n1,2\n", 1, ","),
        ("a,b\n# no comment,2\n", 0, ","),
        ("# nothing else\n", 0, ","),
    ],
)
def test_comments_before_the_header_are_skipped(text, skipped, delimiter):
    dialect = find_dialect(lambda: io.BytesIO(text.encode()), ",", "a.csv")
    assert (dialect.skipped, dialect.delimiter) == (skipped, delimiter)
