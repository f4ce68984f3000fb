"""Planted tables with biases of every kind, cached: the name of a bias in, a ``Planted`` out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import polars as pl

from fairness.small_tables import (
    LOAN_GRAPH,
    kind_model,
    loan_model,
    loans,
    stage_model,
)
from janus_synth import Janus
from janus_synth.fairness import Bias, Planted, plant

DIRECT = Bias("sex", "male", "approved", True, 0.3)


@cache
def planted(name: str = "direct") -> Planted:
    """Plant one of the named sets of biases."""
    match name:
        case "direct":
            return plant(loan_model(), DIRECT, n=400, effect_units=200, random_state=1)
        case "mediated":
            through = Bias("sex", "male", "approved", True, 0.1, path="school", subgroup="region == 'south'")
            return plant(loan_model(), through, n=900, effect_units=200, where="race != 'red'")
        case "kinds":
            biases = [
                Bias("member", True, "passed", 1, 0.3),
                Bias("age", (18, 40), "pay", (30_000, 1e6), 0.1),
                Bias(["age", "member"], {"age": (18, 40), "member": True}, "note", "good", -0.3),
            ]
            return plant(kind_model(), biases, n=500, effect_units=200)
        case "stages":
            biases = [Bias("sex", "male", outcome, True, 0.2) for outcome in ("hired", "screened")]
            return plant(stage_model(), biases, n=400, effect_units=200, baseline="neutral")
        case "polars":
            model = Janus(structure=LOAN_GRAPH, random_state=0).fit(pl.from_pandas(loans(1_500)))
            return plant(model, DIRECT, n=400, effect_units=0)
        case "one group only":
            return plant(loan_model(), DIRECT, n=200, effect_units=50, where="sex == 'female'")
        case "dates":
            rng = np.random.default_rng(0)
            days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, 1_200), unit="D")
            table = pd.DataFrame({"group": rng.choice(["a", "b"], 1_200), "day": days})
            span = (pd.Timestamp("2020-03-01"), pd.Timestamp("2020-12-31"))
            model = Janus(structure=[("group", "day")], random_state=0).fit(table)
            return plant(model, Bias("group", "a", "day", span, 0.2), n=300, effect_units=50)
    raise KeyError(name)


EVERY = ["direct", "mediated", "kinds", "stages", "polars", "one group only", "dates"]
