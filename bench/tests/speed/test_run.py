from dataclasses import replace
from functools import partial

import pytest

from janus_bench.cells import RunSettings
from janus_bench.fresh import ask, ask_import, peak_mib, resident_mib
from janus_bench.rendering import to_markdown
from janus_bench.speed import run as speed
from janus_bench.speed.parts import (
    CART,
    EARLIER,
    OTHERS,
    OURS,
    UNIFORMS,
    SpeedSizes,
    all_other_columns,
    earlier_columns,
    grow_forests,
    measure_memory,
)
from janus_bench.speed.requests import TARGETS
from janus_bench.speed.run import cells_of, run_speed
from janus_bench.stopwatch import take_turns
from janus_bench.store import Store
from janus_bench.tables.drawn import SMOOTH
from janus_synth import datasets

TINY = SpeedSizes(200, (300,), (100, 200), (4, 8), 100, 400, 1, 1, 20, 2_000)


def test_every_part_is_timed_at_its_size():
    result = run_speed(["ring"], sizes=TINY, processes=False)
    timed = {(r["part"], r["subject"], r["n_rows"], r["n_columns"]) for r in result.records if "subject" in r}
    assert {("fit", subject, 200, 3) for subject in (OURS, EARLIER, OTHERS, CART)} <= timed
    assert {("sample", subject, 300, 3) for subject in (OURS, CART, UNIFORMS)} <= timed
    assert {("rows", OURS, n, 3) for n in (100, 200)} <= timed
    assert {(r["n_rows"], r["n_columns"]) for r in result.records if r["part"] == "columns"} == {(100, 4), (100, 8)}
    assert all(second > 0 for record in result.records for second in record.get("seconds", []))
    requests = [r for r in result.records if r["part"] == "where"]
    assert [r["target"] for r in requests] == list(TARGETS)
    assert all(r["first"] > 0 and r["again"] > 0 and r["filtering"] > 0 for r in requests)
    page = to_markdown(result)
    assert "## Fitting more columns" in page
    assert "JANUS takes" in page
    assert "## Rows under conditions" in page


def test_times_are_kept_with_their_date_and_taken_anew_on_request(tmp_path):
    arguments = {"sizes": TINY, "processes": False, "run": RunSettings(store=Store(tmp_path))}
    first, again = (run_speed(["ring"], **arguments) for _ in range(2))
    assert again.records == first.records
    assert len(list(tmp_path.rglob("*.json"))) == 6  # warm-up, fits, samples, requests, rows, columns
    assert first.options["timed"][:10] == first.records[0]["date"][:10] == first.date[:10]
    other = run_speed(["ring"], **{**arguments, "run": replace(arguments["run"], fresh=True)})
    assert [r.get("seconds") for r in other.records[1:]] != [r.get("seconds") for r in first.records[1:]]


def out_of_time(what, *arguments):
    raise RuntimeError(f"no time for {what}")


def test_a_part_that_fails_is_reported_beside_the_others(monkeypatch):
    monkeypatch.setattr(speed, "time_fits", partial(out_of_time, "fits"))
    result = run_speed(["ring"], sizes=TINY, processes=False)
    page = to_markdown(result)
    assert "| fit | ring | RuntimeError: no time for fits |" in page
    assert "## Sampling" in page
    assert "## Fitting\n" not in page


def test_all_that_is_compared_shares_a_cell():
    cells = cells_of(["ring", "sem"], TINY, processes=True)
    assert [(cell.table, cell.method) for cell in cells] == [
        ("this process", "warm-up"),
        *[(table, part) for table in ("ring", "sem") for part in ("fit", "sample", "where")],
        ("ring", "rows"),
        ("wide", "columns"),
        ("ring", "memory"),
        ("new processes", "start"),
    ]
    assert len({cell.key for cell in cells}) == len(cells)
    longer = cells_of(["ring", "sem"], replace(TINY, row_steps=(100, 300)), processes=True)
    assert [cell.method for cell, other in zip(cells, longer, strict=True) if cell.key != other.key] == ["rows"]


def test_forests_learn_every_column_from_those_before_it():
    tasks = earlier_columns(datasets.hiring(100))
    assert [task.features.shape[1] for task in tasks] == list(range(1, 14))  # no key, and the first has no parents
    discrete = [task.discrete for task in tasks]
    assert discrete == sorted(discrete, reverse=True)  # unordered columns come first
    assert [task.features.shape[1] for task in all_other_columns(datasets.hiring(100))] == [13] * 14


def test_forests_have_the_trees_and_leaves_asked_for():
    forests = grow_forests(earlier_columns(SMOOTH["ring"].table(200)), n_trees=3, min_samples_leaf=7, n_jobs=1)
    assert [(len(forest.estimators_), forest.min_samples_leaf) for forest in forests] == [(3, 7)] * 2


def test_calls_take_turns():
    seen = []
    take_turns({"a": lambda: seen.append("a"), "b": lambda: seen.append("b")}, 2)
    assert seen == ["a", "b", "a", "b"]


def test_memory_is_that_of_new_processes():
    records = {timing.subject: timing for timing in measure_memory("ring", TINY)}
    assert set(records) == {"fit", "sample", "sample in batches"}
    assert all(0 < record.before_mib <= record.peak_mib < 2_000 for record in records.values())


def test_imports_are_timed_in_new_processes():
    assert 0 < ask_import("import janus_synth")["seconds"] < 30


def test_new_processes_keep_compiled_modules(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert ask_import("import sys; assert not sys.dont_write_bytecode")["seconds"] < 30


def test_a_question_that_fails_shows_its_error():
    with pytest.raises(RuntimeError, match="FileNotFoundError"):
        ask("sample", "nowhere.janus", 5)


def test_the_peak_is_not_below_the_present():
    assert peak_mib() >= resident_mib() > 1
