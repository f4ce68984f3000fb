"""Starts of text files: dialects, columns that must stay text, and what files share."""

from __future__ import annotations

import pyarrow as pa
import pytest

from janus_synth.errors import DataError
from janus_synth.partitions.files import file_partitions
from janus_synth.partitions.text_files import read_head, shared_forms
from janus_synth.table.files.places import place_of


def head_of(path, text: str, encoding: str = "utf-8"):
    path.write_bytes(text.encode(encoding))
    return read_head(place_of(str(path)))


def read(folder) -> pa.Table:
    parts = file_partitions(sorted(map(str, folder.iterdir())))
    return pa.concat_tables([batch for part in parts for batch in part.batches()])


def test_codes_and_packed_dates_stay_text(tmp_path):
    days = "".join(f"00{i},2024010{i},{i}\n" for i in range(1, 8))
    head = head_of(tmp_path / "a.csv", f"code,day,n\n{days}")
    assert [head.needs_text(name) for name in ("code", "day", "n")] == [True, True, False]
    assert head.forms["day"]["format"] == "%Y%m%d"
    assert read(tmp_path)["code"].to_pylist()[0] == "001"


def test_each_file_has_its_own_dialect(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"n,word\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_bytes("sep=;\nn;word\n3;\u00e9\n".encode())
    (tmp_path / "c.csv").write_bytes("n\tword\n4\td\n".encode("utf-16"))
    table = read(tmp_path)
    assert table["n"].to_pylist() == [1, 2, 3, 4]
    assert table["word"].to_pylist() == ["a", "b", "\u00e9", "d"]


def test_a_file_in_windows_1252_is_read_with_a_warning(tmp_path):
    (tmp_path / "a.csv").write_bytes("n;word\n1;caf\u00e9\n2;b\n".encode("cp1252"))
    with pytest.warns(UserWarning, match="Windows-1252"):
        assert read(tmp_path)["word"].to_pylist() == ["caf\u00e9", "b"]


def test_a_word_for_missing_in_one_file_makes_no_other_type(tmp_path):
    (tmp_path / "a.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(20)))
    (tmp_path / "b.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(20)) + "unknown\n")
    assert read(tmp_path)["n"].to_pylist()[-2:] == ["19", "unknown"]


def test_words_among_numbers_in_one_file_are_an_error(tmp_path):
    (tmp_path / "a.csv").write_text("n\n1\n2\n")
    (tmp_path / "b.csv").write_text("n\n1\nseveral\n")
    with pytest.raises(DataError, match=r"b\.csv has other types"):
        read(tmp_path)


def test_formats_that_files_do_not_share_are_dropped(tmp_path):
    one = head_of(tmp_path / "a.csv", "price,x\n1.50,1\n2.25,NA\n")
    two = head_of(tmp_path / "b.csv", "price,x\n1.5,1\n2.25,null\n")
    assert one.forms["price"]["format"] == "0.00"
    assert "format" not in shared_forms([one, two])["price"]
    assert set(shared_forms([one, two])["x"]["missing"]) == {"NA", "null"}


def test_a_column_without_values_is_text(tmp_path):
    (tmp_path / "a.csv").write_text("n,none\n1,\n2,\n")
    assert read(tmp_path).schema.field("none").type == pa.string()
