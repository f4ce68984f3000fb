from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Clock
from relations.agreement import found, with_nulls


def departures(n: int = 900, midnight: int = 0) -> pd.DataFrame:
    """Flights with delays that lead past midnight in both directions, computed with pandas."""
    rng = np.random.default_rng(0)
    planned = pd.Timestamp("2024-05-01") + pd.to_timedelta(rng.integers(0, 1_440, n), unit="min")
    delay = rng.integers(-30, 400, n)
    times = {"planned": planned, "actual": planned + pd.to_timedelta(delay, unit="min")}
    frame = pd.DataFrame({name: at.hour * 100 + at.minute for name, at in times.items()})
    frame["actual"] = frame["actual"].replace(0, midnight)
    return frame.assign(delay=delay, seats=rng.integers(50, 300, n), gate=rng.integers(0, 59, n))


@pytest.mark.parametrize("midnight", [0, 2400])
def test_a_delay_on_the_clock(midnight):
    frame = departures(midnight=midnight)
    assert (frame["actual"] < frame["planned"]).any()
    frame = with_nulls(frame, ["delay", "actual"], 0.1, np.random.default_rng(1))
    (relation,) = found(frame, "clock")
    assert relation.detail == Clock("actual", "planned", "delay", midnight)
    assert str(relation) == "actual is planned plus delay minutes on the clock"
    assert relation.support == len(frame[["actual", "planned", "delay"]].dropna())


def test_one_broken_row_and_unrelated_times_are_no_relation():
    frame = departures()
    frame.loc[7, "delay"] += 1
    assert found(frame, "clock") == []
    assert (
        found(departures().assign(actual=departures()["actual"].sample(frac=1, random_state=0).to_numpy()), "clock")
        == []
    )
