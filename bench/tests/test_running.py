"""Calls to records: what is found, what fails, and what a run that was ended need not do again."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial

import pytest

from janus_bench.cells import Cell, RunSettings
from janus_bench.rendering import read_result
from janus_bench.running import measure_calls
from janus_bench.store import Store
from janus_bench.uncertainty.run import QUICK

MOST_SECONDS = 120


@dataclass(frozen=True)
class Root:
    of: float
    value: float


@dataclass(frozen=True)
class Failure:
    name: str
    error: str


def roots(x):
    return [Root(x, sign * math.sqrt(x)) for sign in (1, -1)]


def failed(cell, error):
    return Failure(cell.method, error)


def cells_of(*numbers, call=roots):
    return [Cell("demo", "t", str(x), 0, task=partial(call, x)) for x in numbers]


class Counted:
    """Finds roots, and remembers of which; may be interrupted once, as by Ctrl+C."""

    def __init__(self, interrupted_at=None):
        self.asked, self.interrupted_at = [], interrupted_at

    def __call__(self, x):
        if x == self.interrupted_at:
            self.interrupted_at = None
            raise KeyboardInterrupt
        self.asked.append(x)
        return roots(x)


def test_all_that_is_found_comes_in_the_order_of_the_cells():
    found = measure_calls(cells_of(4.0, 1.0), failed)
    assert [(one["record"], one["of"], one["value"]) for one in found] == [
        ("root", 4.0, 2.0),
        ("root", 4.0, -2.0),
        ("root", 1.0, 1.0),
        ("root", 1.0, -1.0),
    ]


def test_a_call_that_fails_is_a_record_among_the_others():
    found = measure_calls(cells_of("nine", 9.0), failed)
    assert found[0] == {"record": "failure", "name": "nine", "error": "TypeError: must be real number, not str"}
    assert [one["value"] for one in found[1:]] == [3.0, -3.0]


def test_an_interrupted_run_goes_on_where_it_ended(tmp_path):
    store, call = Store(tmp_path), Counted(interrupted_at=16.0)
    cells = cells_of(4.0, 9.0, 16.0, 25.0, call=call)
    with pytest.raises(KeyboardInterrupt):
        measure_calls(cells, failed, run=RunSettings(store=store))
    assert call.asked == [4.0, 9.0]
    found = measure_calls(cells, failed, run=RunSettings(store=store))
    assert call.asked == [4.0, 9.0, 16.0, 25.0]
    assert found == measure_calls(cells, failed) == measure_calls(cells, failed, run=RunSettings(store=store))


def stored(folder):
    """Files of measurements with what tells whether they were written anew."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.rglob("*.json")}


@pytest.mark.slow
def test_a_killed_command_goes_on_where_it_ended(tmp_path):
    cache, out = tmp_path / "cache", tmp_path / "out"
    command = [sys.executable, "-m", "janus_bench", "uncertainty", "--quick", "--parts", "B,C", "--seeds", "2"]
    command += ["--methods", "janus,paper", "--cache", str(cache), "--out", str(out)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    deadline = time.monotonic() + MOST_SECONDS
    while not stored(cache):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before, n_cells = stored(cache), 2 * 2 * 3  # methods, seeds; wine, clouds and iris
    assert 1 <= len(before) < n_cells
    assert not out.exists()

    subprocess.run(command, check=True, timeout=MOST_SECONDS, **quiet)
    after = stored(cache)
    assert len(after) == n_cells
    assert {name: after[name] for name in before} == before
    (path,) = out.glob("uncertainty-*.json")
    n_sizes = len(QUICK.fractions) + len(QUICK.grown)
    kinds = [record["record"] for record in read_result(path).records]
    assert kinds == ["growth"] * (2 * 2 * n_sizes) + ["disturbance"] * (2 * 2)


def test_what_the_store_holds_is_asked_for_anew_on_request(tmp_path):
    call = Counted()
    for fresh in (False, False, True):
        measure_calls(cells_of(4.0, call=call), failed, run=RunSettings(store=Store(tmp_path), fresh=fresh))
    assert call.asked == [4.0, 4.0]
