"""Where the studio listens, and who is asked for a token."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("uvicorn")

from janus_synth import datasets
from janus_synth.studio.project import Project
from janus_synth.studio.server import check_host, listen, serve


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.5"])
def test_this_computer_needs_no_token_of_ones_own(host):
    check_host(host, None)


@pytest.mark.parametrize("token", [None, "", "short"])
def test_other_addresses_need_a_long_token(token):
    with pytest.raises(ValueError, match="--token"):
        check_host("192.168.1.5", token)
    check_host("192.168.1.5", "0123456789abcdef")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_at_once_are_refused(host):
    with pytest.raises(ValueError, match="all addresses"):
        check_host(host, "0123456789abcdef")


def test_a_name_is_not_an_address():
    with pytest.raises(ValueError, match="not an address"):
        check_host("example.org", "0123456789abcdef")


def test_a_port_in_use_is_named():
    with listen("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(OSError, match="--port"):
            listen("127.0.0.1", first.getsockname()[1])


def test_a_table_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="people.csv"):
        serve(tmp_path / "project", table=tmp_path / "people.csv", browser=False)


@pytest.fixture
def command(tmp_path):
    """Start ``janus studio`` in a folder; the address it prints comes back."""
    started = []

    def start(*arguments):
        code = [sys.executable, "-m", "janus_synth", "studio", *arguments, "--no-browser"]
        process = subprocess.Popen(code, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        started.append(process)
        line = process.stdout.readline()
        return process, re.search(r"http://(127\.0\.0\.1:\d+)(/\?token=\S+)", line)

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def log_in(address):
    host, path = address.groups()
    end = time.monotonic() + 20
    while True:
        connection = http.client.HTTPConnection(host)
        try:
            connection.request("GET", path)
            found = connection.getresponse()
            return found.status, found.getheader("set-cookie").split(";")[0], host
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.02)
        finally:
            connection.close()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_server_killed_in_the_middle_of_a_fit_leaves_a_whole_project(command, tmp_path):
    datasets.hiring(4000, random_state=0).to_csv(tmp_path / "people.csv", index=False)
    process, address = command("people.csv")
    status, cookie, host = log_in(address)
    assert status == 303
    headers = {"Cookie": cookie, "Origin": f"http://{host}"}

    def ask(method, path, body=None):
        connection = http.client.HTTPConnection(host)
        connection.request(method, path, body, headers)
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    while '"running"' in ask("GET", "/api/state"):
        time.sleep(0.05)
    assert '"started":true' in ask("POST", "/api/fit", b"{}")
    while "growing trees" not in ask("GET", "/api/state"):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    project = Project(tmp_path / "people-studio")
    assert project.state.data == "data-1.csv"
    assert project.state.title == "people.csv"
    assert not project.state.fitted
    assert not project.model.exists()
    assert project.data().read_bytes() == (tmp_path / "people.csv").read_bytes()


def test_a_second_server_on_a_folder_is_sent_to_the_first(command, tmp_path):
    process, address = command()
    log_in(address)
    code = [sys.executable, "-m", "janus_synth", "studio", "--no-browser"]
    second = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert second.returncode != 0
    said = " ".join((second.stdout + second.stderr).split())
    assert f"process {process.pid} on http://{address.group(1)}/" in said
    assert "token" not in said
    process.kill()
    process.wait()
    _, address = command()  # the lock of a dead server is taken over
    assert log_in(address)[0] == 303


def test_an_interrupted_server_ends_quietly(command):
    process, address = command()
    log_in(address)
    process.send_signal(signal.SIGINT)
    assert process.wait(15) in (0, 130, -signal.SIGINT)
