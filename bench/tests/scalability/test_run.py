"""Growth: slopes by hand, scores with known answers, runs that go on, and targets reported as met or missed."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.results import Result
from janus_bench.scalability.methods import DEFAULT, LONG, make, methods_named
from janus_bench.scalability.pictures import charts
from janus_bench.scalability.report import cpu_ratio, exponent, last_step, read_points, scalability_grids
from janus_bench.scalability.run import KIND, ScalabilitySizes, run_scalability
from janus_bench.scalability.trial import Point, fidelity_scores, graph_points
from janus_bench.store import Store
from janus_synth.errors import DataError

TINY = ScalabilitySizes((5, 6), (5, 6), (300, 600), 150, 120)


def point(part, method, size, seconds, *, cpu=None, seed=0, rows=5_000):
    columns = size if part != "C" else 15
    times = {"fit_seconds": seconds, "fit_cpu": seconds if cpu is None else cpu}
    return Point(part, method, "t", columns, size if part == "C" else rows, seed, **times)


def result_of(*points):
    from janus_bench.running import records_of

    return Result.of(KIND, options={}, records=records_of(points))


def grid(result, title):
    return next(one for one in scalability_grids(result) if one.title == title)


def test_a_power_law_has_its_exponent_and_noise_is_averaged_in_logarithms():
    sizes = [5, 10, 20, 40]
    assert exponent(sizes, [3 * n**1.7 for n in sizes]) == pytest.approx(1.7)
    # Times twice too long and twice too short at every size leave the slope alone.
    assert exponent(sizes * 2, [2 * n for n in sizes] + [n / 2 for n in sizes]) == pytest.approx(1)


def test_the_slope_is_that_of_a_library_and_one_size_has_none():
    rng = np.random.default_rng(0)
    sizes, times = rng.integers(5, 100, 20), rng.uniform(1, 9, 20)
    assert exponent(sizes.tolist(), times.tolist()) == pytest.approx(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    assert np.isnan(exponent([7, 7], [1.0, 2.0]))


def test_the_last_step_forgets_smaller_sizes():
    assert last_step([10, 20, 40, 40], [5.0, 1.0, 2.0, 8.0]) == pytest.approx(2)  # from 1 to the geometric mean 4


def test_rows_of_the_truth_score_high_and_shuffled_columns_are_found_out():
    key = ModelKey(6, 0)
    known = known_model(key, 800)
    truth, second = known.sem.draw(800, key.rng(2)), known.sem.draw(800, key.rng(3))
    rng = np.random.default_rng(0)
    shuffled = second.apply(lambda column: rng.permutation(column.to_numpy()))
    good, bad = (fidelity_scores(rows, truth, known.schema) for rows in (second, shuffled))
    assert good["mf"] == pytest.approx(bad["mf"])  # every column alone is the same
    assert good["cf"] > bad["cf"] + 0.05
    assert good["detection"] < 0.6 < bad["detection"]


def test_the_score_is_half_marginals_and_half_correlations():
    points = read_points(result_of(Point("A", "m", "t", 5, 10, 0, mf=0.9, cf=0.5), Point("A", "m", "t", 5, 10, 0)))
    assert points["score"].tolist() == pytest.approx([0.7, np.nan], nan_ok=True)


def test_all_methods_learn_a_structural_model_and_say_what_it_took():
    for word in (*DEFAULT, "cart-given"):
        (found,) = graph_points("A", ModelKey(5, 0), word, n_train=150, n_drawn=100, judged=False)
        assert found.fit_seconds > 0
        assert found.sample_seconds > 0
        assert found.again_cpu >= 0
        (read,) = read_points(result_of(found)).itertuples()
        assert read.cpu == found.fit_cpu + found.sample_cpu


def test_methods_that_know_the_graph_get_it():
    dag = ModelKey(6, 1).sem().dag
    assert make("given", dag).arguments["structure"] == [list(edge) for edge in dag.edges]
    assert make("cart-given", dag).graph == dag.parents
    with pytest.raises(DataError, match="cannot be given"):
        make("given")


def test_words_are_checked_and_cut_to_what_a_part_knows():
    assert methods_named(None, LONG) == list(LONG)
    assert methods_named(["CART", "given", "cart"], DEFAULT, LONG) == ["cart"]
    with pytest.raises(DataError, match="Did you mean 'paper'"):
        methods_named(["papr"], DEFAULT)


def test_a_run_goes_on_where_it_ended(tmp_path):
    store = Store(tmp_path)
    first = run_scalability(["a"], ["cart"], range(1), sizes=TINY, run=RunSettings(store=store))
    seen: list[str] = [record["method"] for record in first.records]
    assert seen == ["real rows", "CART"] * 2
    again = run_scalability(["A"], ["cart"], range(2), sizes=TINY, run=RunSettings(store=store))
    assert len(again.records) == 8
    # Times of the first run are read, not taken anew.
    assert [record for record in again.records if record["seed"] == 0] == list(first.records)


def test_long_tables_are_timed_with_their_memory():
    sizes = ScalabilitySizes((), (), (300,))
    result = run_scalability(["C"], ["janus", "cart"], range(1), sizes=sizes, table="hiring")
    found = [(record["n_rows"], record["method"]) for record in result.records]
    assert found == [(300, "JANUS"), (300, "CART"), (300, "JANUS, new process")]
    assert 0 < result.records[2]["before_mib"] <= result.records[2]["peak_mib"]


def test_growth_with_rows_is_reported_where_cpu_seconds_are_known():
    alone = [Point("C", "JANUS, new process", "t", 15, n, 0, fit_seconds=1.0) for n in (100, 1_000)]
    timed = [point("C", "JANUS", n, n / 100, cpu=(n / 100) ** 2) for n in (100, 1_000)]
    assert grid(result_of(*timed, *alone), "Growth with rows").rows == [
        ["JANUS", "100–1,000", "1.00", "1.00", "2.00", "2.00"]
    ]


def test_what_fails_is_reported_and_does_not_end_the_run(monkeypatch):
    from janus_bench.peers import SequentialCart

    def broken(self, n, *, seed):
        raise RuntimeError("no rows today")

    monkeypatch.setattr(SequentialCart, "sample", broken)
    result = run_scalability(["B"], ["cart-given"], range(1), sizes=TINY)
    (only,) = scalability_grids(result)
    assert only.title == "What could not be measured"
    assert [row[:3] for row in only.rows] == [[f"{n} columns", "CART, graph given", "0"] for n in (5, 6)]
    assert all("no rows today" in row[3] for row in only.rows)


def test_ratios_are_taken_seed_by_seed_on_the_same_rows():
    ours = [point("A", "JANUS", 5, 1.0, cpu=4.0), point("A", "JANUS", 5, 1.0, cpu=9.0, seed=1)]
    theirs = [point("A", "CART", 5, 1.0, cpu=2.0), point("A", "CART", 5, 1.0, cpu=3.0, seed=1)]
    ours, theirs = (read_points(result_of(*points)) for points in (ours, theirs))
    assert cpu_ratio(ours, theirs) == pytest.approx((4 / 2 + 9 / 3) / 2)
    assert np.isnan(cpu_ratio(ours, theirs.iloc[:0]))


def test_targets_are_met_and_missed_in_print():
    linear = [point("B", "JANUS, graph given", n, n / 10) for n in (5, 10, 100)]
    square = [point("A", "JANUS", n, n**2 / 10) for n in (5, 10, 100)]
    busy = [point("A", "JANUS, forest", n, n**1.5, cpu=n) for n in (5, 10, 100)]
    rows = {row[0]: row for row in grid(result_of(*linear, *square, *busy), "Growth with columns").rows}
    assert rows["JANUS, graph given (B)"][1:] == ["5–100", "1.00", "1.00", "1.00", "1.00", "met"]
    assert rows["JANUS (A)"][-1] == "missed"
    assert rows["JANUS, forest (A)"][-1] == "missed"  # the clock counts as well
    assert rows["in the paper"][2] == "1.08"


def test_the_million_is_judged_by_the_clock_and_a_busy_machine_is_reported():
    long = [point("C", name, 1_000_000, clock, cpu=cpu) for name, clock, cpu in (("a", 60, 90), ("b", 180, 90))]
    short = [point("C", "a", 10_000, 1.0)]
    verdicts = {tuple(row[:2]): row[-1] for row in grid(result_of(*long, *short), "More rows").rows}
    assert verdicts == {("10,000", "a"): "–", ("1,000,000", "a"): "met", ("1,000,000", "b"): "missed, met in CPU s"}


def test_the_papers_rows_stand_beside_ours():
    table = grid(result_of(point("A", "JANUS", 10, 1.0), point("A", "CART", 10, 0.5)), table_title())
    assert [row[1] for row in table.rows] == ["JANUS", "CART", "in the paper"]
    assert table.rows[0][8] == "2.0 ×"
    assert table.rows[2][7] == "21.1 ± 5.2"
    assert table.rows[2][9] == "0.836"


def table_title():
    return "Random structural models, two edges per column"


def test_pictures_hold_every_method_and_the_papers_points():
    pytest.importorskip("altair")
    points = [point("B", "CART, graph given", n, n / 10) for n in (5, 50)]
    points += [point("C", "JANUS", n, n / 1e4) for n in (10_000, 1_000_000)]
    drawn = charts(result_of(*points))
    assert list(drawn) == ["columns", "rows"]
    assert '"seconds": 70.4' in drawn["columns"].to_json()
    assert '"seconds": 120.0' in drawn["rows"].to_json()
    assert charts(result_of(point("A", "CART", 5, 1.0))) == {}


def test_points_are_read_back_from_json():
    result = result_of(point("A", "CART", 5, 1.0))
    pd.testing.assert_frame_equal(read_points(Result.from_json(result.to_json())), read_points(result))


def test_the_command_ends_in_files_and_pictures(tmp_path):
    arguments = ["scalability", "--quick", "--parts", "B", "--columns", "5,6", "--methods", "cart-given"]
    arguments += ["--jobs", "0", "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
    said = CliRunner().invoke(app, arguments)
    assert said.exit_code == 0, said.output
    assert "More columns, graph known" in said.output
    (written,) = (tmp_path / "out").glob("*.json")
    assert json.loads(written.read_text())["options"]["sizes"]["sparse_columns"] == [5, 6]
    assert len(list((tmp_path / "out").glob("*-columns.svg"))) == 1


@pytest.mark.parametrize("words", ["five", "", "3,10"])
def test_sizes_that_are_none_are_refused(words):
    said = CliRunner().invoke(app, ["scalability", "--columns", words])
    assert isinstance(said.exception, DataError)


def test_nothing_to_measure_is_refused():
    with pytest.raises(DataError, match="nothing to measure"):
        run_scalability(["C"], ["given"], range(1), sizes=TINY, table="hiring")
    with pytest.raises(DataError, match="at least one seed"):
        run_scalability(["A"], seeds=[])
