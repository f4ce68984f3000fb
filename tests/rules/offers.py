"""A small table of job offers for tests of rules in models, files and requests."""

from __future__ import annotations

import numpy as np
import pandas as pd

RULE = "offered is null or offered >= requested"


def offers_frame() -> pd.DataFrame:
    """Offers that mostly match requests, some of them missing; a city lies in one country."""
    rng = np.random.default_rng(0)
    n = 800
    requested = rng.integers(30, 90, n) * 1_000
    offered = np.where(rng.random(n) < 0.2, np.nan, requested + rng.integers(-5, 20, n) * 1_000)
    city = rng.choice(["Rome", "Milan", "Oslo", "Bonn"], n)
    country = pd.Series(city).map({"Rome": "Italy", "Milan": "Italy", "Oslo": "Norway", "Bonn": "Germany"})
    return pd.DataFrame({"requested": requested, "offered": offered, "city": city, "country": country})
