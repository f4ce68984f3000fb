"""A table with every sort of domain, and the message shown to users when no row satisfies given rules."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.rules import bind
from janus_synth.rules.feasibility import check_feasible
from janus_synth.table import read_table


def frame():
    rng = np.random.default_rng(0)
    n = 400
    smooth = np.concatenate([[140.7191, 194.8688], rng.uniform(150, 190, n - 2)])
    moment = pd.Timestamp("2024-01-01")
    return pd.DataFrame(
        {
            "age": np.arange(n) % 74 + 17,
            "income": 500 * (np.arange(n) + 1.0),
            "height": smooth,
            "price": 0.5 * (np.arange(n) % 200),
            "grams": rng.choice([0.123456789, 1.987654321, 3.3333333], n),
            "loan": pd.Categorical(rng.choice(["Yes", "No"], n), categories=["Yes", "No", "Later"]),
            "city": rng.choice(["Rome", "Oslo"], n),
            "start": moment + pd.to_timedelta(np.arange(n) % 300, unit="D"),
            "x": np.arange(n) % 11,
            "y": np.arange(n) % 21,
            "gone": np.full(n, np.nan),
        }
    )


def schema_and_codec(**changes):
    """Schema and fitted codec of the table, with changes to the schema."""
    table = read_table(frame(), {"gone": {"kind": "numeric"}, **changes})
    return table.schema, fit_codec(table, BinSettings())


def reason(learnt, *texts):
    """Why no row satisfies some rules."""
    schema, codec = learnt
    return check_feasible([bind(text, schema) for text in texts], schema, codec).reason
