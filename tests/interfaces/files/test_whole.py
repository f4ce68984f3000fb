from __future__ import annotations

import os
import stat

import pytest

from janus_synth.interfaces.files import check_output, whole_file


def test_a_file_appears_when_it_is_complete(tmp_path):
    with whole_file(tmp_path / "out") as file:
        file.write(b"half")
        assert [name for name in os.listdir(tmp_path) if not name.endswith(".part")] == []
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_bytes() == b"half"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, OSError])
def test_whatever_goes_wrong_the_old_file_stays(tmp_path, error):
    (tmp_path / "out").write_text("old")

    def stop_midway():
        with whole_file(tmp_path / "out") as file:
            file.write(b"half")
            raise error("stop")

    with pytest.raises(error):
        stop_midway()
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "old"


def test_modes_and_links_stay_as_they_are(tmp_path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o640)
    (tmp_path / "link").symlink_to("out")
    with whole_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "out").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_mode(tmp_path):
    (tmp_path / "usual").write_text("")
    with whole_file(tmp_path / "out"):
        pass
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_outputs_are_checked_in_advance(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist. Create it first"):
        check_output(tmp_path / "no" / "out")
    with pytest.raises(IsADirectoryError, match="Name a file inside it"):
        check_output(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="is a file, not a folder"):
        check_output(tmp_path / "file" / "out")
    with pytest.raises(ValueError, match="would be lost"):
        check_output(tmp_path / "file", inputs=["-", tmp_path / "no", tmp_path / "file"])
    check_output(tmp_path / "out", inputs=[tmp_path / "file"])
    check_output("-")
