from __future__ import annotations

import os
import stat

import pytest

from janus_synth.files import whole_file, write_whole


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


def test_text_is_written_as_utf8_and_bytes_as_they_are(tmp_path):
    assert write_whole(tmp_path / "text", "größer\n").read_bytes() == "größer\n".encode()
    assert write_whole(tmp_path / "bytes", b"\r\n").read_bytes() == b"\r\n"


@pytest.mark.parametrize("step", ["os.fsync", "os.chmod", "os.replace"])
def test_a_disk_that_is_full_at_any_step_is_named_and_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = write_whole(tmp_path / "out", "old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, full)
    with pytest.raises(OSError, match="cannot write .*out: No space left on device"):
        write_whole(path, "new")
    assert os.listdir(tmp_path) == ["out"]
    assert path.read_text() == "old"


def test_a_folder_is_not_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(OSError, match="cannot write .*out"):
        write_whole(tmp_path / "out", "new")
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no /dev/null")
def test_a_device_is_written_and_not_replaced():
    before = os.stat("/dev/null")
    write_whole("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.stat("/dev/null").st_ino == before.st_ino
