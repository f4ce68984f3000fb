"""Requests for rows end in time: with the rows of their seed, or with an error that says what to do."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import TimeLimitError
from janus_synth.sampling import time_limits
from janus_synth.sampling.time_limits import RowLimit, limit_in_seconds

HARD = "a * b > 1.5 and b * c < 0.02 and (a < 0.1 or d > 0.9) and abs(a - d) < 0.6"

TICK = 1e-4
"""Seconds between two looks at the clock of a test; no inner limit ends."""


@pytest.fixture(scope="module")
def model() -> Janus:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.gamma(2, 0.5, 400) for name in "abcd"}).assign(key=rng.choice(list("xyz"), 400))
    return Janus(n_trees=4, rules="a <= 500 * d", random_state=0).fit(frame)


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch):
    """A clock that passes a second with every look at it, so that every request is slow."""
    seconds = iter(range(10**9))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))


def test_a_request_ends_with_an_error_that_says_what_to_do(model: Janus, ticking: None):
    with pytest.raises(TimeLimitError, match=r"^0 of 100 rows were complete within 3 s\.") as caught:
        model.sample(100, where=HARD, random_state=1, max_seconds=3)
    message = str(caught.value)
    assert "The longest of 2 rules and conditions: 'a * b > 1.5" in message
    assert "max_seconds=30, or max_seconds=None" in message
    assert (caught.value.seconds, caught.value.n_found, caught.value.n_wanted) == (3.0, 0, 100)
    assert caught.value.hard[1] == "a <= 500 * d"
    assert isinstance(caught.value, TimeoutError)


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, **options: model.sample(300, random_state=1, **options),
        lambda model, **options: model.sample(300, where=HARD, random_state=1, **options),
        lambda model, **options: model.sample(300, where=HARD, shares={"key": {"x": 0.5}}, random_state=1, **options),
        lambda model, **options: model.sample_for(pd.DataFrame({"key": ["x", "y"]}), 9, random_state=1, **options),
        lambda model, **options: model.complete(pd.DataFrame({"a": [0.5, 1.0]}), random_state=1, **options),
        lambda model, **options: pd.concat(model.sample_batches(9000, batch_rows=4096, random_state=1, **options)),
    ],
    ids=["rules", "where", "shares", "sample_for", "complete", "batches"],
)
def test_rows_are_those_of_the_seed_or_there_is_an_error(model: Janus, ask, monkeypatch: pytest.MonkeyPatch):
    """Whatever moment the time ends at; the limits below end requests during planning, drawing and verification."""
    rows = ask(model, max_seconds=None)
    calls = 0

    def clock() -> float:
        nonlocal calls
        calls += 1
        return TICK * calls

    monkeypatch.setattr(time, "monotonic", clock)
    model._plans.clear()
    assert ask(model, max_seconds=None).equals(rows)
    n_looks, outcomes = calls, []
    for share in (0.02, 0.1, 0.3, 0.6, 0.9, 3.0):
        model._plans.clear()
        try:
            assert ask(model, max_seconds=share * n_looks * TICK).equals(rows)
            outcomes.append("rows")
        except TimeLimitError:
            outcomes.append("error")
    assert outcomes[0] == "error"
    assert outcomes[-1] == "rows"
    assert ask(model, max_seconds=None).equals(rows)  # nothing of an unfinished plan is kept


def test_a_limit_holds_in_real_time(model: Janus):
    start = time.monotonic()
    with pytest.raises(TimeLimitError, match="rows were complete within 0.3 s"):
        model.sample(3_000_000, where=HARD, random_state=1, max_seconds=0.3)
    assert time.monotonic() - start < 20


def test_only_the_time_of_batches_counts_not_the_time_between_them(model: Janus):
    batches = model.sample_batches(12_000, batch_rows=4096, random_state=1, max_seconds=30)
    limit = batches.gi_frame.f_locals["limit"]
    assert len(next(batches)) == 4096
    left = limit.left
    time.sleep(0.2)
    assert limit.left == left
    assert limit.n_found == 4096


def test_the_default_grows_with_the_rows():
    assert limit_in_seconds("auto", 0) == time_limits.LEAST_SECONDS
    assert limit_in_seconds("auto", 100_000) == time_limits.LEAST_SECONDS + 100_000 * time_limits.SECONDS_PER_ROW


@pytest.mark.parametrize("wrong", [0, -1, "soon", True, float("nan")])
def test_a_limit_is_a_positive_number(model: Janus, wrong):
    with pytest.raises(ValueError, match="max_seconds is"):
        model.sample(5, max_seconds=wrong)


def test_long_rules_are_shortened(model: Janus):
    limit = RowLimit(1, 5, model.model_, ["x" * 1000])
    assert len(str(limit.error())) < 500
