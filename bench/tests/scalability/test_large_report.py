"""Tables of a result on large tables: ratios and verdicts by hand."""

from __future__ import annotations

from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.scalability.large import LargeStep
from janus_bench.scalability.large_report import large_grids
from janus_bench.scalability.streamed import AGAIN, StreamedTrial


def result_of(*values) -> Result:
    return Result("large-tables", "", {}, {}, records_of(values))


def test_time_per_row_is_compared_with_the_fit_in_memory():
    inside = LargeStep("times", "fit in memory", 0, 2, 1_000_000, 10.0, 20.0, 800.0)
    files = LargeStep("times", "fit from files", 0, 2, 50_000_000, 300.0, 500.0, 1_400.0)
    write = LargeStep("times", "write", 0, 2, 100_000_000, 300.0, 100.0, 960.0)
    (grid,) = large_grids(result_of(inside, files, write))
    assert grid.rows[1][4:] == ["10.00", "0.50 ×", "1,468", "met"]
    assert grid.rows[2][-2:] == ["1,007", "missed"]  # 960 MiB are more than a billion bytes


def test_speed_up_and_duckdb_are_medians_over_turns():
    steps = []
    for turn, (one, two) in enumerate([(10.0, 5.0), (12.0, 8.0), (30.0, 10.0)]):
        steps += [
            LargeStep("turns", "count", turn, 1, 1_000_000, one, 5.0, 1.0),
            LargeStep("turns", "count", turn, 2, 1_000_000, two, 5.0, 1.0),
            LargeStep("turns", "group by, DuckDB", turn, 1, 1_000_000, 1.0, 0.5, 1.0),
            LargeStep("turns", "group by, DuckDB", turn, 2, 1_000_000, 0.5, 0.5, 1.0),
            LargeStep("turns", "group by of all pairs, DuckDB", turn, 1, 1_000_000, 1.0, 2.5, 1.0),
            LargeStep("turns", "group by of all pairs, DuckDB", turn, 2, 1_000_000, 0.5, 2.5, 1.0),
        ]
    (grid,) = large_grids(result_of(*steps))
    assert grid.rows[0] == ["count", "1,000,000", "5.00", "10.0 ×", "2.0 ×", "12.0", "8.00", "2.00"]
    assert grid.rows[1][3:5] == ["–", "–"]


def test_streamed_fits_are_compared_seed_by_seed():
    scores = {(0, 400): 0.52, (1, 400): 0.60, (0, AGAIN): 0.53, (1, AGAIN): 0.59, (0, 200): 0.54, (1, 200): 0.64}
    trials = [StreamedTrial("t", seed, size, 400, score, 0.01, -score) for (seed, size), score in scores.items()]
    (grid,) = large_grids(result_of(*trials))
    assert [row[:2] for row in grid.rows] == [["t", "all"], ["t", "all, again"], ["t", "200"]]
    assert grid.rows[0][2:6] == ["−0.5600", "–", "0.5600", "–"]
    assert grid.rows[1][5] == "+0.0000 ± 0.0100"
    assert grid.rows[2][5] == "+0.0300 ± 0.0100"  # 0.02 and 0.04: their standard deviation over the root of two
    assert grid.rows[2][3] == "−0.0300 ± 0.0100"
    assert grid.rows[2][7] == "+0.0000 ± 0.0000"
