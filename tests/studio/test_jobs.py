"""One task at a time in a process of its own, which can be cancelled and does not outlive the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from janus_synth.studio.jobs import BusyError, Jobs

WAITS = "import sys, time; sys.stdin.readline(); time.sleep(60)"
"""A worker that never gets anywhere."""


def worker(code):
    return lambda: subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


def wait(jobs, seconds=30):
    end = time.monotonic() + seconds
    while jobs.job.state == "running":
        assert time.monotonic() < end
        time.sleep(0.01)
    return jobs.job


def test_a_task_is_followed_to_its_end(jobs, monkeypatch):
    code = (
        'import sys; task = sys.stdin.readline()\nprint(\'{"progress": ["growing", 2, 8]}\'); print(\'{"done": true}\')'
    )
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker(code))
    ended = []
    jobs.start({"task": "fit"}, lambda: ended.append(jobs.job))
    assert wait(jobs).state == "done"
    assert (ended[0].state, ended[0].label, ended[0].done, ended[0].total) == ("running", "growing", 2, 8)


def test_a_second_task_is_refused_while_one_runs(jobs, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker(WAITS))
    jobs.start({"task": "fit"}, lambda: None)
    with pytest.raises(BusyError, match="running already"):
        jobs.start({"task": "fit"}, lambda: None)


def test_a_cancelled_task_ends_at_once_and_has_no_effect(jobs, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker(WAITS))
    ended = []
    jobs.start({"task": "fit"}, lambda: ended.append(1))
    process = jobs._process
    jobs.cancel()
    assert wait(jobs, 5).state == "cancelled"
    assert process.poll() is not None
    assert not ended
    jobs.start({"task": "fit"}, lambda: None)  # another one may begin
    jobs.cancel()
    wait(jobs, 5)


def test_a_task_that_takes_too_long_is_ended(jobs, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker(WAITS))
    jobs.start({"task": "read"}, lambda: None, most_seconds=0.2)
    ended = wait(jobs, 10)
    assert ended.state == "failed"
    assert "time or memory" in ended.error


def test_a_worker_that_dies_is_reported(jobs, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker("import os; os.abort()"))
    jobs.start({"task": "read"}, lambda: None)
    assert wait(jobs).state == "failed"


def test_an_error_at_the_end_is_reported(jobs, monkeypatch):
    monkeypatch.setattr("janus_synth.studio.jobs._spawn", worker("print('{\"done\": true}')"))

    def after():
        raise OSError("disk is full")

    jobs.start({"task": "read"}, after)
    ended = wait(jobs)
    assert (ended.state, ended.error) == ("failed", "disk is full")


def test_an_error_of_the_task_is_shown(jobs, tmp_path):
    task = {"task": "look", "data": str(tmp_path / "absent.csv"), "schema": {}, "overview": str(tmp_path / "o.json")}
    jobs.start(task, lambda: None)
    ended = wait(jobs)
    assert ended.state == "failed"
    assert "absent.csv" in ended.error


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_worker_ends_when_its_server_is_killed(tmp_path):
    """A named pipe that nobody writes holds the worker; its parent is killed without a chance to clean up."""
    os.mkfifo(tmp_path / "never.csv")
    code = (
        "import sys, time; from janus_synth.studio.jobs import Jobs; jobs = Jobs()\n"
        f"task = {{'task': 'look', 'data': {str(tmp_path / 'never.csv')!r}, 'schema': {{}}, 'overview': '/dev/null'}}\n"
        "jobs.start(task, lambda: None)\n"
        "while jobs.job.label == 'starting': time.sleep(0.01)\n"
        "print(jobs._process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    worker_id = int(parent.stdout.readline())
    os.kill(worker_id, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 10
    while is_running(worker_id):
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(process_id):
    try:
        with open(f"/proc/{process_id}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
