"""Values that may stand for missing are reported; the same values among their like are not."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.alerts.missing_codes import missing_codes, missing_dates
from janus_synth.table import Column

RNG = np.random.default_rng(0)
AGES = RNG.integers(18, 80, 500).astype(float)
DAY = 86_400e6
DAYS = 19_000 * DAY + RNG.integers(0, 900, 500) * DAY


def numbers(cells):
    column = Column("x", "numeric", "int64")
    return [alert.message for alert in missing_codes(column, *np.unique(cells, return_counts=True))]


def dates(cells):
    column = Column("x", "datetime", "datetime64[us]")
    return [alert.message for alert in missing_dates(column, *np.unique(cells, return_counts=True))]


@pytest.mark.parametrize("codes", [[999.0], [-9.0], [-8.0, -9.0], [997.0, 998.0, 999.0], [2147483647.0], [0.0]])
def test_codes_far_from_all_others_are_named_with_their_rows(codes):
    (message,) = numbers(np.concatenate([AGES, np.repeat(codes, 20)]))
    assert all(f"{code:.0f}" in message for code in codes)
    assert " and ".join(["20"] * len(codes)) in message


@pytest.mark.parametrize(
    "cells",
    [
        AGES,
        np.arange(1000.0),  # 99, 888 and 999 are numbers like the others
        np.append(AGES, [999.0] * 3),  # as many rows as no level may have either: a file would quote them
        np.append(AGES - 50, [-1.0] * 20),
        np.append(RNG.integers(1, 8, 500).astype(float), [0.0] * 20),
    ],
)  # fmt: skip
def test_numbers_among_their_like_are_none(cells):
    assert numbers(cells) == []


@pytest.mark.parametrize("code", [2_932_896 * DAY, -25_567 * DAY])
def test_dates_far_from_all_others_are_named(code):
    (message,) = dates(np.append(DAYS, [code] * 20))
    assert ("9999-12-31" in message) or ("1900-01-01" in message)
    assert dates(DAYS) == dates(np.append(DAYS, [code] * 3)) == []
