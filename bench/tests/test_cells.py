import json
import os
import time
from dataclasses import replace

import pytest
from platformdirs import user_cache_path

from janus_bench.cells import Cell, RunSettings
from janus_bench.running import Tally, measure, progress_line
from janus_bench.store import Store, default_folder
from janus_synth.errors import DataError


def cells_of(*tasks):
    return [Cell("demo", "t", "m", seed, task=task) for seed, task in enumerate(tasks)]


class Log:
    """Which cells were begun, and what came of all."""

    def __init__(self):
        self.begun, self.records = [], []

    def __call__(self, cell, record):
        (self.begun if record is None else self.records).append(cell.seed if record is None else record)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_records_come_in_the_order_of_the_cells(jobs):
    cells = cells_of(*(f'{{"value": {i}}}' for i in range(5)))
    assert measure(cells, json.loads, run=RunSettings(jobs=jobs)) == [{"value": i} for i in range(5)]


def test_what_is_stored_is_not_measured_again(store):
    cells = cells_of('{"value": 0}', '{"value": 1}', '{"value": 2}')
    measure(cells[:2], json.loads, run=RunSettings(store=store))
    log = Log()
    assert measure(cells, json.loads, on_cell=log, run=RunSettings(store=store)) == [{"value": i} for i in range(3)]
    assert log.begun == [2]
    assert len(log.records) == 3
    again = Log()
    measure(cells, json.loads, on_cell=again, run=RunSettings(store=store, fresh=True))
    assert again.begun == [0, 1, 2]


def test_a_record_is_stored_before_the_next_cell_begins(store):
    cells = cells_of("{}", "{}")
    seen = []
    measure(
        cells,
        json.loads,
        on_cell=lambda cell, _: seen.append(len(list(store.folder.rglob("*.json")))),
        run=RunSettings(store=store),
    )
    assert seen == [0, 1, 1, 2]


@pytest.mark.parametrize("jobs", [0, 1])
def test_errors_are_records_and_the_run_goes_on(jobs, store):
    failed, fine = measure(cells_of("{", "{}"), json.loads, run=RunSettings(jobs=jobs, store=store))
    assert failed["failed"].startswith("JSONDecodeError: Expecting")
    assert fine == {}
    log = Log()
    assert measure(cells_of("{"), json.loads, on_cell=log, run=RunSettings(store=store)) == [failed]
    assert not log.begun


def test_a_cell_that_takes_too_long_is_ended(store):
    start = time.monotonic()
    slow, next_one = measure(cells_of(60, 61), time.sleep, run=RunSettings(jobs=1, most_seconds=1.5, store=store))
    assert slow["failed"] == next_one["failed"] == "took longer than 1.5 s"
    assert time.monotonic() - start < 40
    assert store.read("demo", cells_of(60)[0].key) == slow


def test_a_cell_that_took_too_long_is_tried_again_when_it_is_given_longer(store):
    cells = cells_of("{}")
    store.write("demo", cells[0].key, {"failed": "took longer than 2 s", "limit": 2.0}, about={})
    for most_seconds, begun in [(1.0, []), (2.0, []), (9.0, [0])]:
        log = Log()
        measure(cells, json.loads, on_cell=log, run=RunSettings(store=store, jobs=1, most_seconds=most_seconds))
        assert log.begun == begun


def test_a_process_that_dies_is_reported_and_tried_again_next_time(store):
    died, after = measure(cells_of(3, 4), os._exit, run=RunSettings(jobs=1, store=store))
    assert died["failed"] == "its process ended with exit code 3"
    assert after["failed"] == "its process ended with exit code 4"
    assert store.read("demo", cells_of(3)[0].key) is None


def test_a_time_limit_needs_a_process_that_can_be_ended():
    with pytest.raises(DataError, match="at least one job"):
        measure(cells_of("{}"), json.loads, run=RunSettings(most_seconds=1.0))


CELL = Cell("fidelity", "ring", "CART", 0, {"leaf": "5"}, {"max_rows": 100}, "data", "version", task="task")


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "speed"},
        {"table": "sem"},
        {"method": "CART 10"},
        {"seed": 1},
        {"settings": {"leaf": "10"}},
        {"sizes": {"max_rows": 200}},
        {"data": "other rows"},
        {"version": "other code"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_fact_is_part_of_the_key(change):
    assert replace(CELL, **change).key != CELL.key


def test_the_task_is_no_part_of_the_key():
    assert replace(CELL, task="another object").key == CELL.key


def test_a_damaged_file_counts_as_none(store):
    store.write("demo", "key", {"value": 1}, about={})
    store.path("demo", "key").write_text('{"record": {"val', encoding="utf-8")
    assert store.read("demo", "key") is None


def test_nothing_but_whole_records_is_left_behind(store):
    with pytest.raises(TypeError):
        store.write("demo", "key", {("no", "text"): 1}, about={})
    assert not list(store.folder.rglob("*"))


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("JANUS_CACHE")
    assert default_folder() == user_cache_path("janus-synth") / "bench"


def test_progress_names_the_cell_under_way_and_counts_stored_ones_apart():
    tally = Tally(3)
    tally.take(CELL, {})
    assert tally.seconds_left is None
    other = replace(CELL, seed=7)
    tally.take(other, None)
    assert str(tally) == "1/3 done, 1 of them stored  ring, CART, seed 7"
    tally.take(other, {})
    assert str(tally).startswith("2/3 done, 1 of them stored, about 0 s left")


def test_progress_is_shown_on_request(capsys):
    with progress_line(1, shown=True) as on_cell:
        on_cell(CELL, None)
        on_cell(CELL, {})
    assert "1/1 done" in capsys.readouterr().err
