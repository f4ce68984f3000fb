"""Hidden columns computed from their column are those that were measured."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.coordinates import Link, Scaled, Sum
from janus_synth.coordinates.inverses import inverse_links

LINKS = [
    Link("t", Sum((("a", 1.0),), 2.0, 2), gap="gap"),
    Link("t", Sum((("a", 1.0), ("b", -2.0)), decimals=2), gap="gap"),
    Link("t", Sum((("date", 1.0), ("time", 1.0)), decimals=0), parts=("date", "time")),
]


@pytest.mark.parametrize("link", LINKS, ids=str)
def test_computed_hidden_columns_are_those_that_were_measured(link):
    rng = np.random.default_rng(0)
    values = {name: rng.integers(-(10**14), 10**14, 50) / 100 for name in ("a", "b", "t")}
    values["t"] = np.where(rng.random(50) < 0.2, np.nan, values["t"])
    if link.is_clock:
        values["t"] = np.round(values["t"])
    measured = link.measure(values)
    found = dict(values)
    for inverse in inverse_links(link):
        found[inverse.column] = inverse.compute(found)
    for name in link.hidden:
        np.testing.assert_allclose(found[name], measured[name], rtol=0, atol=1e-3)


def test_copies_and_factors_have_no_inverse():
    assert inverse_links(Link("b", Sum((("a", 2.0),)), source="s", own="o")) == ()
    assert inverse_links(Link("b", Scaled("a", "f", (0.1, 0.2)), parts=("f",))) == ()
    assert inverse_links(Link("b", Sum((("a", 2.0),)))) == ()
