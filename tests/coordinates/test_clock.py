"""Times of day plus minutes: rows keep them past midnight, with nulls and gaps, through files, conditions and cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.coordinates.clock import Clock
from janus_synth.errors import InfeasibleError

DAY = 1_440


def number(minutes: np.ndarray) -> np.ndarray:
    return minutes % DAY // 60 * 100 + minutes % 60


def minutes(times: pd.Series) -> pd.Series:
    return times // 100 * 60 + times % 100


@pytest.fixture(scope="module")
def flights() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 3_000
    planned, flying = 5 * rng.integers(60, 286, n), rng.choice([95, 160, 330], n) + rng.integers(-9, 10, n)
    delay = np.round(rng.exponential(25, n) - 8)
    frame = pd.DataFrame({"planned": number(planned), "arrival": number(planned + flying), "delay": delay})
    frame["left"] = number((planned + delay).astype(int))
    gone = rng.random(n) < 0.05
    return frame.assign(delay=frame["delay"].mask(gone), left=frame["left"].astype(float).mask(gone))


@pytest.fixture(scope="module")
def model(flights) -> Janus:
    return Janus(random_state=0).fit(flights)


def test_rows_keep_the_clock_and_the_gaps(flights, model, tmp_path):
    assert [str(link) for link in model.links_] == [
        "arrival = planned + a learnt gap",
        "left = planned + delay minutes on the clock",
    ]
    model.save(tmp_path / "clock.janus")
    rows = Janus.load(tmp_path / "clock.janus").sample(5_000, random_state=1)
    pd.testing.assert_frame_equal(rows, model.sample(5_000, random_state=1))
    assert list(rows.dtypes) == list(flights.dtypes)
    assert (rows["left"].isna() == rows["delay"].isna()).all()
    kept = rows.dropna()
    assert ((minutes(kept["left"]) - minutes(kept["planned"]) - kept["delay"]) % DAY == 0).all()
    assert (rows[["planned", "arrival"]] % 100 < 60).all(axis=None)
    flying = [(minutes(each["arrival"]) - minutes(each["planned"])) % DAY for each in (flights, rows)]
    for low, high in ((86, 104), (151, 169), (321, 339)):  # three routes; DKW, false alarm 1e-6 for each share
        shares = [between.between(low, high).mean() for between in flying]
        assert shares[0] == pytest.approx(shares[1], abs=0.06)


def test_conditions_cells_and_densities(flights, model):
    late = "left < 100 and delay > 0"
    rows = model.sample(50, where=late, random_state=0)
    assert holds(late, rows).all()
    free = holds(late, model.sample(20_000, random_state=3)).mean()
    chance = model.probability(late)
    assert chance.low - 0.003 <= free <= chance.high + 0.003
    blank = flights.head(60).assign(left=np.nan, arrival=np.nan).astype({"arrival": float})
    filled = model.complete(blank, random_state=0)
    known = filled["delay"].notna()
    off = minutes(filled["left"]) - minutes(filled["planned"]) - filled["delay"]
    assert (off[known] % DAY == 0).all()
    assert np.isfinite(model.log_prob(rows)).all()


@pytest.mark.parametrize("lost", ["delay", "planned", "left"])
def test_what_the_clock_determines_is_inferred(flights, model, lost):
    rows = flights.dropna().head(200).reset_index(drop=True)
    filled = model.complete(rows.assign(**{lost: np.nan, "arrival": np.nan}), random_state=0)
    assert (filled[lost] == rows[lost]).all()


@pytest.mark.parametrize("column", ["left", "arrival"])
def test_a_check_knows_which_numbers_are_times_of_day(model, column):
    """The solver alone says so; the search for a row that it saves took seconds."""
    for value in (1200, 1205, 1259, 1260, 1275, 1299, 1300):
        found = model.check(f"{column} == {value}", witness=False)
        assert bool(found) == (value % 100 < 60), value
    refused = model.check(f"{column} == 1275")
    assert f"{column} is a time of day such as 1405 (planned" in refused.reason
    assert not model.check(f"{column} > 1259 and {column} < 1300", witness=False)
    assert model.check(f"{column} > 1259 and {column} < 1301").witness[column].item() == 1300
    with pytest.raises(InfeasibleError, match="time of day"):
        model.sample(2, where=f"{column} == 1275")


def test_a_time_of_day_may_still_be_null(model):
    assert model.check("left == 1275 or left is null").witness["left"].isna().all()


def test_midnight_and_what_is_missing():
    clock = Clock("at", "late", midnight=2400)
    found = clock.evaluate({"at": np.array([2350.0, 10.0, np.nan, 5.0]), "late": np.array([10.0, -20.0, 1.0, np.nan])})
    np.testing.assert_array_equal(found, [2400.0, 2350.0, np.nan, np.nan])
    assert Clock("at", "late", midnight=2400).times()[[0, 59, 60, -1]].tolist() == [1.0, 100.0, 101.0, 2400.0]
    with pytest.raises(ValueError, match="midnight is 0 or 2400"):
        Clock("at", "late", midnight=24)
