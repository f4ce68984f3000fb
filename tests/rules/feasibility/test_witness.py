"""Search among boxes: rows on curves, proofs by empty boxes, and open questions when time is up."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.errors import UndecidedError
from janus_synth.rules import bind
from janus_synth.rules.feasibility import check_feasible
from janus_synth.rules.feasibility.clauses import build_space
from janus_synth.rules.feasibility.decide import satisfies
from janus_synth.rules.feasibility.propagation import Network
from janus_synth.rules.feasibility.translate import build_problem
from janus_synth.rules.feasibility.witness import search_boxes
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"n": rng.integers(0, 12, 300), "k": rng.integers(-5, 6, 300)})
    table = read_table(frame.assign(x=rng.uniform(0, 10, 300), y=rng.uniform(-5, 5, 300), z=rng.uniform(0, 50, 300)))
    return table.schema, fit_codec(table, BinSettings())


def look(fitted, *texts, seconds=5.0):
    schema, codec = fitted
    rules = [bind(text, schema) for text in texts]
    space = build_space({name: None for rule in rules for name in rule.columns}, schema, codec)
    problem = build_problem(rules, space)
    network = Network(problem.clauses, problem.grids)
    domains = network.propagate(dict(enumerate(problem.domains)))
    if domains is None:
        return None, True
    tests = [rule.test for rule in rules]

    def accepts(row):
        positions = {i: row[i].low if len(row[i].intervals) else None for i in range(len(space.columns))}
        return satisfies(tests, space, positions)

    return search_boxes(network, domains, range(len(space.columns)), accepts, seconds=seconds)


@pytest.mark.parametrize(
    "texts",
    [
        ("x * y == z",),
        ("x ** 2 + y ** 2 <= 0.01 * z", "x * y > 0"),
        ("n * k == 33",),
        ("x * y == 6", "x + y == 5"),
        ("z / x >= 40", "n / x >= 3"),
    ],
)
def test_rows_are_found(fitted, texts):
    assert look(fitted, *texts).row is not None


@pytest.mark.parametrize(
    "texts",
    [
        ("n * k == 53",),
        ("x ** 2 + y ** 2 > 130",),
        ("x * y > z", "z > 49.9", "y < 4.9"),
        ("n ** 2 - n * k + k ** 2 < 0",),
        ("x * n - x / n + z < -1", "n > 0"),
    ],
)
def test_that_there_is_no_row_is_proven(fitted, texts):
    row, exhausted = look(fitted, *texts)
    assert row is None
    assert exhausted


def test_a_question_stays_open_when_time_is_up(fitted):
    started = time.monotonic()
    row, exhausted = look(
        fitted, "x ** 2 - 2 * x * y + y ** 2 < 0", seconds=0.3
    )  # a square, which intervals do not see
    assert row is None
    assert not exhausted
    assert time.monotonic() - started < 3


def test_an_open_question_is_an_error_that_says_why(fitted, monkeypatch):
    monkeypatch.setattr("janus_synth.rules.feasibility.check.DECISION_SECONDS", 0.5)
    schema, codec = fitted
    with pytest.raises(UndecidedError, match="are decided by intervals"):
        check_feasible([bind("x ** 2 - 2 * x * y + y ** 2 < 0", schema)], schema, codec)
