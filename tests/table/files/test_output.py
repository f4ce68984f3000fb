from __future__ import annotations

import pytest

from janus_synth.table.files import check_output, open_output


def test_a_dash_is_standard_output_and_anything_else_a_file(tmp_path, capfdbinary):
    for path in ("-", tmp_path / "out"):
        with open_output(path) as file:
            file.write(b"rows")
    assert capfdbinary.readouterr().out == b"rows"
    assert (tmp_path / "out").read_bytes() == b"rows"


def test_outputs_are_checked_in_advance(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist. Create it first"):
        check_output(tmp_path / "no" / "out")
    with pytest.raises(IsADirectoryError, match="Name a file inside it"):
        check_output(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file, not a folder"):
        check_output(tmp_path / "file" / "out")
    with pytest.raises(ValueError, match="would be overwritten"):
        check_output(tmp_path / "file", inputs=["-", tmp_path / "no", tmp_path / "file"])
    check_output(tmp_path / "out", inputs=[tmp_path / "file"])
    check_output("-")
