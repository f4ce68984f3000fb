"""Costs of rejection and of sequential Monte Carlo are measured for the same request."""

from __future__ import annotations

from janus_bench.speed.methods import main, time_methods
from janus_bench.speed.parts import SpeedSizes

TINY = SpeedSizes(200, (300,), (100, 200), (4, 8), 100, 400, 1, 1, 20, 2_000)


def test_both_methods_are_timed():
    costs = list(time_methods("ring", TINY))
    assert len(costs) == 3
    for cost in costs:
        assert cost.free_row > 0
        assert cost.particle_row > 0
        assert 1 <= cost.n_columns <= 3
        assert cost.n_codes > cost.n_columns


def test_the_median_is_printed(capsys):
    main(["ring"], TINY)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("median")
