"""One server per project folder; a lock ends with its process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from janus_synth.errors import ProjectError
from janus_synth.studio.lock import NAME, locked

HOLDS = (
    "import sys, time\nfrom janus_synth.studio.lock import locked\n"
    "with locked(sys.argv[1], 'http://127.0.0.1:4321/'):\n    print('held', flush=True); time.sleep(60)"
)


def test_a_second_server_is_told_who_has_the_folder(tmp_path):
    with locked(tmp_path / "new", "http://127.0.0.1:1234/"):
        with pytest.raises(ProjectError, match=f"process {os.getpid()} on http://127.0.0.1:1234/") as caught:
            locked(tmp_path / "new", "http://127.0.0.1:5678/").__enter__()
        assert caught.value.file.endswith(NAME)
        assert json.loads((tmp_path / "new" / NAME).read_text())["address"] == "http://127.0.0.1:1234/"
    with locked(tmp_path / "new", "http://127.0.0.1:5678/"):
        pass


@pytest.mark.parametrize("left", ['{"process": 1, "address": "http://127.0.0.1:1/"}', "", "{", "[]", "\x00"])
def test_a_lock_that_a_dead_server_left_is_taken_over(tmp_path, left):
    (tmp_path / NAME).write_text(left)
    with locked(tmp_path, "http://127.0.0.1:9/"):
        assert json.loads((tmp_path / NAME).read_text())["process"] == os.getpid()


def test_a_damaged_note_does_not_open_a_held_lock(tmp_path):
    with locked(tmp_path, "http://127.0.0.1:9/"):
        (tmp_path / NAME).write_text("{")
        with pytest.raises(ProjectError, match="another process"), locked(tmp_path, "http://127.0.0.1:8/"):
            pytest.fail("held twice")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_lock_of_a_killed_process_is_free(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ProjectError, match=f"process {holder.pid} on http://127.0.0.1:4321/"):
            locked(tmp_path, "").__enter__()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    with locked(tmp_path, "http://127.0.0.1:9/"):
        pass
