"""Charts read back: their texts and data, and a table with columns of every kind to draw."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd

from janus_synth.plots import to_svg

SVG = "{http://www.w3.org/2000/svg}"


def texts_of(chart) -> list[str]:
    """All texts of a chart, from SVG that an XML parser accepts."""
    root = ElementTree.fromstring(to_svg(chart))
    assert root.tag == f"{SVG}svg"
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def data_of(chart, *path) -> list[dict]:
    """Rows of one part of a chart, by keys and places on the way to it."""
    whole = part = chart.to_dict()
    for step in path:
        part = part[step]
    return whole["datasets"][part["data"]["name"]]


def mixed_table(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    gone = rng.random(n) < 0.2
    days = rng.integers(0, 3_000, n).astype("timedelta64[D]")
    return pd.DataFrame(
        {
            "number": np.where(gone, np.nan, rng.lognormal(size=n)),
            "whole": pd.array(np.where(gone, 0, rng.integers(0, 400, n)), dtype="Int64"),
            "dice": rng.integers(1, 7, n),
            "spike": np.where(rng.random(n) < 0.6, 0.0, rng.normal(50, 9, n)),
            "level": pd.Series(rng.choice(["a", "b", "<script>alert(1)</script>"], n)).where(~gone),
            "many": [f"level {i}" for i in rng.integers(0, 30, n)],
            "flag": pd.array(rng.random(n) < 0.3, dtype="boolean"),
            "day": pd.Series(np.datetime64("2016-01-01", "us") + days).where(~gone),
            "moment": pd.Timestamp("2024-03-01", tz="Europe/Rome")
            + pd.to_timedelta(rng.integers(0, 90_000, n), "s").as_unit("us"),
            "wait": pd.to_timedelta(rng.integers(0, 900_000, n), "s").as_unit("us"),
            "constant": 7.0,
            "empty": np.full(n, np.nan),
            "a.b[c]:d & \"e\"": rng.normal(size=n),
        }
    )  # fmt: skip


REAL_ROWS, DRAWN_ROWS = mixed_table(400, 0), mixed_table(300, 1)
