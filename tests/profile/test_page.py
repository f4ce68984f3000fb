"""The page of a profile: complete, escaped, and with no script but ours."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from janus_synth.profile import profile_frame, profile_page
from janus_synth.profile.columns import ColumnProfile
from janus_synth.profile.page import HEIGHT, N_OPEN, WIDTH, sticks
from page_reader import Reader

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "<b>name": RNG.normal(size=200),
        "size": RNG.choice(["low", "medium", "high"], 200),
        "day": RNG.choice(["19/08/2023", "01/02/2024", "<script>"], 200, p=[0.5, 0.48, 0.02]),
    }
)


def test_the_page_is_well_formed_and_escaped_and_has_no_script_but_ours():
    page = profile_page(profile_frame(FRAME), title="a < b", day=date(2024, 3, 9))
    reader = Reader(page)
    assert reader.tags.count("script") == 1
    assert "<b>name" not in page
    assert "a &lt; b" in page
    assert "9 March 2024" in reader.text
    assert page == profile_page(profile_frame(FRAME), title="a < b", day=date(2024, 3, 9))


def test_all_columns_are_in_the_table_and_have_a_card_that_may_be_folded():
    wide = pd.DataFrame({f"x{i}": RNG.normal(size=60) for i in range(N_OPEN + 3)})
    reader = Reader(profile_page(profile_frame(wide)))
    cards = {f"column-{i}" for i in range(N_OPEN + 3)}
    assert cards <= set(reader.ids)
    assert {f"#{card}" for card in cards} <= set(reader.addresses)
    assert "3 more columns" in reader.text
    assert "details" not in Reader(profile_page(profile_frame(FRAME))).tags


def test_the_page_shows_alerts_with_remedies():
    page = profile_page(profile_frame(FRAME))
    assert "size=ordered:low&lt;medium&lt;high" in page
    assert "--silence unordered-labels:size" in page


def test_a_page_without_findings_says_so():
    page = profile_page(profile_frame(pd.DataFrame({"x": RNG.normal(size=200)})))
    assert "Nothing unusual was found." in page
    assert "No two columns are clearly associated." in page


def test_bars_fill_the_chart():
    drawn = sticks(ColumnProfile("x", "numeric", "float64", "", 0.0, 3, counts=(1, 2, 4)))
    assert [round(stick.height) for stick in drawn] == [HEIGHT // 4, HEIGHT // 2, HEIGHT]
    assert drawn[-1].x + drawn[-1].width < WIDTH
    assert sticks(ColumnProfile("x", "categorical", "str", "", 0.0, 2, counts=(1, 2), levels=("a", "b"))) == []
