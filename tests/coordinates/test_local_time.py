"""Timestamps on a local clock: against pandas, back and forth, and fitted tables keep hours and conditions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth import Janus
from janus_synth.coordinates import Link
from janus_synth.coordinates.inverses import inverse_links
from janus_synth.coordinates.local_time import LocalTime, to_local, to_utc
from janus_synth.errors import SchemaError
from strategies import quick, seeds

ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "+02:00"]
HOUR = 3_600e6


@quick
@given(seeds, st.sampled_from(ZONES))
def test_the_clock_is_that_of_pandas_and_leads_back(seed, zone):
    rng = np.random.default_rng(seed)
    stamps = rng.integers(0, 2 * 10**15, 60).astype(float)
    stamps[:3] = np.nan
    local = to_local(stamps, zone)
    expected = pd.to_datetime(stamps, unit="us", utc=True).tz_convert(zone).tz_localize(None)
    shown = pd.to_datetime(local, unit="us")
    assert (np.abs(shown[3:] - expected[3:]) <= pd.Timedelta("1us")).all()
    back = to_utc(local, zone)
    twice = np.isin(np.abs(back - stamps), [HOUR, HOUR / 2])  # shown twice: the first of both
    np.testing.assert_array_equal(back[~twice], stamps[~twice])
    assert twice.mean() < 0.05
    np.testing.assert_array_equal(to_local(back, zone), local)


def test_hours_that_the_clock_skips_or_shows_twice():
    skipped = pd.Timestamp("2024-03-31 02:30").value / 1e3
    assert to_utc(np.array([skipped]), "Europe/Berlin")[0] == pd.Timestamp("2024-03-31 01:00").value / 1e3
    twice = pd.Timestamp("2024-10-27 02:30").value / 1e3
    assert to_utc(np.array([twice]), "Europe/Berlin")[0] == pd.Timestamp("2024-10-27 00:30").value / 1e3


@quick
@given(seeds, st.sampled_from(ZONES))
def test_a_link_measures_its_parts_and_so_do_its_inverses(seed, zone):
    at = np.random.default_rng(seed).integers(0, 2 * 10**15, 40).astype(float)
    link = Link("at", LocalTime("date", "time", zone), parts=("date", "time"))
    parts = link.measure({"at": at})
    assert (parts["date"] % (24 * HOUR) == 0).all()
    assert (parts["time"] < 24 * HOUR).all()
    for inverse in inverse_links(link):
        np.testing.assert_array_equal(inverse.compute({"at": at}), parts[inverse.column])
    assert Link.from_json(link.to_json()) == link
    assert link.with_hidden_names({"date": "d", "time": "t"}).inputs == ("d", "t")


def test_zones_must_exist():
    with pytest.raises(SchemaError):
        LocalTime("date", "time", "Europe/Atlantis")


def rides(n: int = 4_000, seed: int = 0) -> pd.DataFrame:
    """Rides of six months around both ends of summer time; the surcharge of the evening goes by the local clock."""
    rng = np.random.default_rng(seed)
    days, hours = rng.integers(0, 180, n), rng.choice(np.r_[6:23, 17, 18, 18], n)
    wall = pd.Timestamp("2024-01-15") + pd.to_timedelta(days, unit="D") + pd.to_timedelta(hours, unit="h")
    wall += pd.to_timedelta(rng.integers(0, 3_600, n), unit="s")
    frame = pd.DataFrame({"at": wall.tz_localize("America/New_York"), "surcharge": np.where(hours >= 20, 1.0, 0.0)})
    frame["distance"] = rng.gamma(2, 3, n).round(1)
    return frame


def test_hours_of_the_local_clock_are_kept(tmp_path):
    frame = rides()
    model = Janus(random_state=0).fit(frame)
    (link,) = model.links_
    assert str(link) == "at = its date + its time of day in America/New_York"
    rows = model.sample(4_000, random_state=1)
    assert rows["at"].dtype == frame["at"].dtype
    assert set(rows["at"].dt.hour) <= set(frame["at"].dt.hour)
    late = rows["at"].dt.hour >= 20
    assert (late == (rows["surcharge"] == 1.0)).mean() > 0.97  # in 254 bins of the months it was 0.8
    margin = 4.9 * np.sqrt(2 * 0.25 / 4_000)  # a false alarm in 10^6
    assert abs(late.mean() - (frame["at"].dt.hour >= 20).mean()) < margin

    some = "at >= '2024-03-20 17:00' and at < '2024-03-21 01:00' and distance > 9"
    rare = model.sample(50, where=some, random_state=0)
    assert rare["at"].min() >= pd.Timestamp("2024-03-20 17:00", tz="America/New_York")
    assert rare["at"].max() < pd.Timestamp("2024-03-21 01:00", tz="America/New_York")
    found = model.probability("at < '2024-02-01' and distance > 6", random_state=0)
    many = model.sample(100_000, random_state=3)
    counted = ((many["at"] < pd.Timestamp("2024-02-01", tz="America/New_York")) & (many["distance"] > 6)).mean()
    assert found.low - 0.003 <= counted <= found.high + 0.003

    model.save(tmp_path / "m.janus")
    pd.testing.assert_frame_equal(Janus.load(tmp_path / "m.janus").sample(30, random_state=3), many.head(30))
    assert np.isfinite(model.log_prob(rides(seed=1))).mean() > 0.97
    holed = frame.head(20).assign(surcharge=None)
    filled = model.complete(holed, random_state=0)
    assert (filled["at"] == frame.head(20)["at"]).all()
