"""Real processes: what only the operating system can show."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "janus_synth.cli"]


def run(*args, **named):
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, **named)


def test_head_may_close_the_pipe(desk):
    with subprocess.Popen(
        [*COMMAND, "sample", "people.janus", "-n", "3000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout.readline().startswith(b"applicant_id,")
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_process_leaves_no_file(desk, number, code):
    before = sorted(os.listdir(desk))
    command = [*COMMAND, "sample", "people.janus", "-n", "50000000", "-o", "rows.parquet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + 60
        while not [name for name in os.listdir(desk) if name.endswith(".part")]:
            assert time.monotonic() < deadline
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(number)
        out, error = running.communicate(timeout=60)
    assert running.returncode == code
    assert out == ""
    assert len(error.splitlines()) == (1 if number == signal.SIGINT else 0)
    assert sorted(os.listdir(desk)) == before


def test_errors_leave_standard_output_empty(desk):
    failed = run("sample", "no.janus")
    assert (failed.returncode, failed.stdout) == (1, b"")
    assert failed.stderr == b"error: there is no file no.janus.\n"
