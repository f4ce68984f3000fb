"""Attacks over repeated splits: whole runs, generators of known leakage, and what fails is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_bench.cells import RunSettings
from janus_bench.disclosure.report import disclosure_grids, excess_of
from janus_bench.disclosure.run import run_disclosure
from janus_bench.methods import make_methods
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.tables import NamedTable
from janus_synth.errors import DataError

NUMBERS = NamedTable("numbers", pd.DataFrame(np.random.default_rng(0).normal(size=(240, 4)), columns=list("abcd")), "d")


class Fresh:
    """Draws new rows from the distribution of the table: nothing can leak."""

    name = "fresh"

    def fit(self, frame, *, seed):
        return self

    def sample(self, n, *, seed):
        return pd.DataFrame(np.random.default_rng([7, seed]).normal(size=(n, 4)), columns=list("abcd"))


class Broken(Fresh):
    name = "broken"

    def sample(self, n, *, seed):
        raise RuntimeError("no rows today")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = RunSettings(store=Store(tmp_path_factory.mktemp("store")))
    methods = [*make_methods(["bootstrap"]), Fresh(), Broken()]
    return lambda: run_disclosure([NUMBERS], methods, range(3), n_attacks=200, run=settings)


def test_copies_are_caught_and_new_rows_are_not(run):
    result = run()
    found = {
        method: excess_of([r["attacks"]["singling_out"] for r in result.records if r["method"] == method])
        for method in ("bootstrap", "fresh")
    }
    assert found["bootstrap"].mark == " *"
    assert found["bootstrap"].mean > 0.5
    assert abs(found["fresh"].mean) < 0.1  # five standard errors of 200 attacks on each of three splits
    assert all(record["n_train"] == 120 for record in result.records if "n_train" in record)
    again = run()
    assert [r for r in again.records if "failed" not in r] == [r for r in result.records if "failed" not in r]


def test_losses_are_listed(run):
    *attacks, beyond, failures = disclosure_grids(Result.from_json(run().to_json()))
    assert [grid.title.rpartition(": ")[2] for grid in attacks] == ["bootstrap", "fresh", "broken"]
    assert ["numbers", "bootstrap", "singling out"] in [row[:3] for row in beyond.rows]
    assert "no rows today" in failures.rows[0][3]
    assert len(failures.rows) == 3


def test_the_interval_is_that_of_student():
    outcomes = [{"success": s, "control": 0.1} for s in (0.11, 0.12, 0.14, 0.15)]
    found = excess_of(outcomes)
    assert found.mean == pytest.approx(0.03)
    assert found.half == pytest.approx(3.1824 * 0.0182574 / 2, rel=1e-4)  # 97.5 % point of t with 3 degrees
    assert found.mark == " ?"
    assert excess_of([{"success": None, "control": None}]) is None


def test_one_split_has_no_interval():
    assert str(excess_of([{"success": 0.2, "control": 0.1}])) == "0.100 ?"


def test_nothing_to_measure_is_refused():
    with pytest.raises(DataError, match="at least one"):
        run_disclosure([NUMBERS], [], range(2))


def test_tables_of_labels_alone_are_reported_without_the_attacks_that_they_leave_out():
    labels = pd.DataFrame(np.random.default_rng(1).choice(list("xyz"), (200, 3)), columns=list("abc"))
    result = run_disclosure([NUMBERS, NamedTable("labels", labels, "c")], [Resampled()], range(2), n_attacks=50)
    grid = disclosure_grids(result)[0]
    place = grid.headings.index("univariate")
    assert [row[place] == "–" for row in grid.rows] == [False, True]


class Resampled(Fresh):
    """Draws every column on its own."""

    def fit(self, frame, *, seed):
        self.frame = frame
        return self

    def sample(self, n, *, seed):
        rng = np.random.default_rng([8, seed])
        return pd.DataFrame({name: rng.choice(self.frame[name], n) for name in self.frame})
