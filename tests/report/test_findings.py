"""Numbers behind a report: against plain computations from the frames, the worst first."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError
from janus_synth.metrics import association_matrix, evaluate, marginal_errors
from janus_synth.report.findings import Findings, read_tables


def rows(n: int, seed: int, *, noise: float) -> pd.DataFrame:
    """A column that determines another one, which leaves it open: the association differs by direction."""
    rng = np.random.default_rng(seed)
    fine = rng.integers(0, 8, n)
    coarse = np.where(rng.random(n) < noise, rng.integers(0, 2, n), fine // 4)
    number = np.where(rng.random(n) < 0.1 + noise / 2, np.nan, fine + rng.normal(size=n))
    return pd.DataFrame(
        {"fine": np.array(list("abcdefgh"))[fine], "coarse": np.array(["low", "high"])[coarse], "number": number}
    )


@cache
def findings() -> Findings:
    train, test, synthetic = rows(400, 0, noise=0.0), rows(300, 1, noise=0.0), rows(500, 2, noise=0.5)
    report = evaluate(train, test, synthetic, metrics=["association_error", "ks", "total_variation"])
    tables = read_tables(train, test, synthetic, report, schema=None, random_state=0, max_rows=10_000)
    return Findings(report, tables, random_state=0, max_rows=10_000)


def test_as_many_rows_of_each_table_are_compared():
    tables = findings().tables
    assert (tables.test.n_rows, tables.synthetic.n_rows, tables.train_sample.n_rows, tables.train.n_rows) == (
        300, 300, 300, 400,
    )  # fmt: skip
    assert findings().n_compared == 300


def test_a_pair_is_shown_in_the_direction_that_differs_more():
    tables = findings().tables
    real, synthetic = (association_matrix(one)[1] for one in (tables.test, tables.synthetic))
    gap, names = np.abs(real - synthetic), list(tables.test.names)
    assert {frozenset((pair.first, pair.second)) for pair in findings().pairs} == {
        frozenset(pair) for pair in (("fine", "coarse"), ("fine", "number"), ("coarse", "number"))
    }
    for pair in findings().pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        assert abs(pair.difference) == pytest.approx(max(gap[i, j], gap[j, i]))
        assert pair.real == pytest.approx(real[i, j])
    either = next(pair for pair in findings().pairs if {pair.first, pair.second} == {"fine", "coarse"})
    assert (either.first, either.second, either.measure) == ("coarse", "fine", "Theil's U")  # fine tells coarse
    assert [abs(pair.difference) for pair in findings().pairs] == sorted(
        (abs(pair.difference) for pair in findings().pairs), reverse=True
    )


def test_columns_have_their_distances_and_missing_shares():
    tables, found = findings().tables, {one.name: one for one in findings().columns}
    test, synthetic = (one["number"] for one in (tables.test, tables.synthetic))
    assert found["number"].missing_real == pytest.approx(np.isnan(test).mean())
    assert found["number"].missing_synthetic == pytest.approx(np.isnan(synthetic).mean())
    assert found["number"].reference == marginal_errors(tables.test, tables.train_sample).ks["number"]
    assert found["number"].distance == findings().report.columns["number"]
    assert np.isnan(found["fine"].wasserstein)
    distances = [one.distance for one in findings().columns]
    assert distances == sorted(distances, reverse=True)


def test_a_report_about_other_tables_is_refused():
    train, test, synthetic = rows(60, 0, noise=0.0), rows(50, 1, noise=0.0), rows(40, 2, noise=0.5)
    report = evaluate(train, test, synthetic, metrics=["ks"])
    with pytest.raises(DataError, match="50 rows of the test table, and this one has 49"):
        read_tables(train, test[:49], synthetic, report, schema=None, random_state=0, max_rows=100)
    other = [frame.rename(columns={"fine": "finer"}) for frame in (train, test, synthetic)]
    with pytest.raises(DataError, match="other columns"):
        read_tables(*other, report, schema=None, random_state=0, max_rows=100)
